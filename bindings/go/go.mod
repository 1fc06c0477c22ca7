module gsample

go 1.21
