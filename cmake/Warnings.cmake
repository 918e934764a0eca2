option(REPRISE_UNITY "compile several sources as one" OFF)
# Warnings are errors in our own code; consumers of the libraries inherit no flags.
add_library(reprise_warnings INTERFACE)
target_compile_options(reprise_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum -Werror
  -Wno-missing-field-initializers)  # designated initialisers leave out what keeps its default
# An older libstdc++ calls in its stable sorts what it has marked as deprecated itself.
target_compile_options(reprise_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(REPRISE_UNITY)
  # A neighbour's names are no concern of a source's locals; and a source is no header although it is included.
  target_compile_options(reprise_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local;-Wno-subobject-linkage> $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()
