# Debian packages of what `cmake --install` installs, one per component: `make release` builds them (packaging/release).
# The image is made without them (packaging/image).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Reprise")
set(CPACK_PACKAGE_CONTACT "The Reprise authors <reprise@reprise.dev>")
# Each component has its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
# Packaging installs what is built; it builds nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(CPACK_COMPONENTS_ALL operator agent cli kubectl runtime)
# What `gzip` makes of a text, without a name and a time in it.
function(reprise_zipped text zipped)
  execute_process(COMMAND gzip -9nc "${text}" OUTPUT_FILE "${zipped}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(changelog "${CMAKE_BINARY_DIR}/CHANGELOG.md.gz")
reprise_zipped("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${changelog}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where that is set
# reprise_package(COMPONENT NAME SUMMARY TEXT [DEPENDENCY...])
function(reprise_package component name summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  string(JOIN ", " needs ${ARGN})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${needs}" PARENT_SCOPE)
  set(own "${CMAKE_BINARY_DIR}/packages/${name}")
  configure_file("${PROJECT_SOURCE_DIR}/packaging/deb/changelog.in" "${own}/changelog" @ONLY)
  reprise_zipped("${own}/changelog" "${own}/changelog.gz")
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/deb/copyright" "${own}/changelog.gz" "${changelog}"
    DESTINATION share/doc/${name} COMPONENT ${component})
  set(overrides "${PROJECT_SOURCE_DIR}/packaging/deb/lintian-overrides/${name}")
  if(EXISTS "${overrides}")
    install(FILES "${overrides}" DESTINATION share/lintian/overrides COMPONENT ${component})
  endif()
endfunction()
reprise_package(operator reprise-operator "Kubernetes operator that makes spot GPUs dependable"
  "The controllers of GpuPool and ResumableJob. In a cluster they run as a\n\
container image; this is the program alone.")
reprise_package(agent reprise-agent "trainer's parent in the pods of ResumableJobs"
  "A static program that restores, watches and records checkpoints, and has a\n\
trainer save when its node is taken.")
reprise_package(cli reprise "rehearse, simulate and estimate training on spot nodes"
  "Runs a training script on an embedded cluster that takes nodes away, and\n\
computes what spot capacity would have cost."
  reprise-agent)
reprise_package(kubectl kubectl-reprise "kubectl plugin for GpuPools and ResumableJobs"
  "Shows pools and jobs on one screen, says what blocks them, and suspends,\n\
resumes and interrupts jobs.")
reprise_package(runtime libreprise-runtime-dev "Kubernetes controllers in C++, development files"
  "Static libraries and headers: typed caches, work queue, leader election,\n\
Events, metrics."
  libboost1.83-dev libcurl4-openssl-dev libfmt-dev libjsoncpp-dev libnghttp2-dev libsimdjson-dev libspdlog-dev libssl-dev
  libyaml-cpp-dev libzstd-dev pkg-config)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS OFF)
include(CPack)
