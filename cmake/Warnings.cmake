# Warnings are errors in our own code; consumers of the libraries inherit no flags.
add_library(reprise_warnings INTERFACE)
target_compile_options(reprise_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum -Werror
  -Wno-missing-field-initializers)  # designated initialisers leave out what keeps its default
