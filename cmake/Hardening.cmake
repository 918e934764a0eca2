# The OpenSSF compiler guide's flags as far as GCC 12 has them; the preset `release` switches them on.
option(REPRISE_HARDENING "build with hardening flags" OFF)
set(REPRISE_SANITIZE "" CACHE STRING "sanitizers to build with, for example address,undefined")
add_library(reprise_hardening INTERFACE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(control_flow -mbranch-protection=standard)
else()
  set(control_flow -fcf-protection=full)
endif()
if(REPRISE_HARDENING)
  target_compile_options(reprise_hardening INTERFACE
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-clash-protection
    -fstack-protector-strong ${control_flow} -ftrivial-auto-var-init=zero
    -fno-delete-null-pointer-checks -fno-strict-overflow -fno-strict-aliasing)
  target_link_options(reprise_hardening INTERFACE
    -Wl,-z,nodlopen -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now -Wl,--as-needed)
endif()
# What is shipped is linked as the distribution links; elsewhere a link takes a quarter of the time.
find_program(MOLD mold)
if(MOLD AND NOT REPRISE_HARDENING)
  add_link_options(-fuse-ld=mold)
endif()
if(REPRISE_SANITIZE)
  add_compile_options(-fsanitize=${REPRISE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REPRISE_SANITIZE})
  # GCC takes std::regex for uninitialised under these (bug 105616); the other presets keep the warning.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
