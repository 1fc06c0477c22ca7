module gsample_tests

go 1.21

require gsample v1.0.0

replace gsample => ../../../bindings/go
