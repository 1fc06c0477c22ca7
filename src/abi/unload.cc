// The C++ runtime inside the shared library keeps a pool of memory for exceptions thrown when there is no other. A host that unloads
// the library gets it back. Not part of a build whose C++ runtime is shared, as the pool is the host's there.
namespace __gnu_cxx {
void __freeres();  // declared by no header: it is meant for memory checkers, which call it at exit for the same reason
}

namespace {
[[gnu::destructor]] void release_runtime() { __gnu_cxx::__freeres(); }
}  // namespace
