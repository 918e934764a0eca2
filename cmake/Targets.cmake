# One library per folder: reprise_library(runtime_base HEADERS a.h SOURCES a.cc PUBLIC reprise::x PRIVATE y)
# makes the target reprise_runtime_base with the alias reprise::runtime_base. Includes are written from the
# root of the tree ("runtime/base/error.h"). Every header listed is checked to be self-contained
# (target all_verify_interface_header_sets: `make headers`).
#
# With REPRISE_UNITY several sources of a library or test are compiled as one: most of a compilation is headers. What gives
# different things one name in its anonymous namespaces is named here, by source or target, and compiled on its own.
set(REPRISE_UNITY_SOURCES 8 CACHE STRING "how many of a library at a time: few enough that a planted bug compiles in seconds")
set(REPRISE_UNITY_TESTS 20 CACHE STRING "how many tests at a time")
set(reprise_apart
  test_agent_process test_rehearsal_plan
  baselines.cc events_trace.cc open_ended.cc replay.cc value_table.cc zones_policy.cc zones_replay.cc
  agent_host.cc azure_test.cc claims.cc gcp_test.cc pod_gc.cc rejection.cc
  job_habits.cc jobs_made_anew.cc optional_kinds.cc other_machines.cc people.cc reboot_at_binding.cc volume_habits.cc
  held_machines.cc run.cc report_lanes.cc report_text.cc wire.cc
  init_containers_test.cc kubelet_test.cc manager_test.cc wire_test.cc writers_test.cc)
# Their tests share names.
set(reprise_fewer_at_a_time test_controllers_gpupool test_controllers_resumablejob)
function(reprise_unity target at_a_time)
  if(target IN_LIST reprise_apart)
    return()
  elseif(target IN_LIST reprise_fewer_at_a_time)
    set(at_a_time ${REPRISE_UNITY_SOURCES})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${REPRISE_UNITY} UNITY_BUILD_BATCH_SIZE ${at_a_time})
  foreach(source ${ARGN})
    get_filename_component(name "${source}" NAME)
    if(name IN_LIST reprise_apart)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

function(reprise_library name)
  cmake_parse_arguments(arg "" "" "HEADERS;SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target reprise_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:reprise_warnings>
      $<BUILD_INTERFACE:reprise_hardening>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_HEADERS})
  target_compile_features(${target} ${scope} cxx_std_23)
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  reprise_unity(${target} ${REPRISE_UNITY_SOURCES} ${arg_SOURCES})
  add_library(reprise::${name} ALIAS ${target})
endfunction()

# reprise_test(runtime_base SOURCES error_test.cc LIBRARIES reprise::runtime_base [LABELS unit])
# makes one GoogleTest program. It has one ctest entry per invariant with REPRISE_TEST_EACH, which the inner loop needs, and one
# in all otherwise: a process for each of thousands of tests costs more than the tests.
option(REPRISE_TEST_EACH "one ctest entry per test" OFF)
add_custom_target(unit_tests)
# `make threads` builds these, and `make sanitized` those: a sanitizer knows nothing of the simulator's fibers.
add_custom_target(runtime_tests)
add_custom_target(sanitized_tests)
function(reprise_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  set(target test_${name})
  add_executable(${target} ${arg_SOURCES})
  reprise_unity(${target} ${REPRISE_UNITY_TESTS} ${arg_SOURCES})
  # Optimising tests costs more time than it saves; the libraries that they test are built as they are shipped.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main
    $<BUILD_INTERFACE:reprise_warnings>
      $<BUILD_INTERFACE:reprise_hardening>)
  if(name MATCHES "^runtime_")
    add_dependencies(runtime_tests ${target})
  endif()
  if(name MATCHES "^(runtime_.*|controllers_.*|api|protocol|agent|node_agent)$")
    add_dependencies(sanitized_tests ${target})
  endif()
  add_dependencies(unit_tests ${target})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(REPRISE_TEST_EACH)
    gtest_discover_tests(${target} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 120)
  else()
    add_test(NAME ${name} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
  endif()
endfunction()

# A program that runs in any image, whatever libc that has, and resolves no names: what would warn of that ends the link.
# Sanitizers need their shared runtime.
function(reprise_static_program target)
  if(NOT REPRISE_SANITIZE)
    target_link_options(${target} PRIVATE
      -static-pie -s -Wl,--gc-sections -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
  endif()
endfunction()
