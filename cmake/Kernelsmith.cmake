# Compiler settings and the functions that declare every target of the project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(KERNELSMITH_TESTS "Build the tests and benchmarks" ON)
set(KERNELSMITH_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, comma separated")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

if(KERNELSMITH_SANITIZE)
  add_compile_options(-fsanitize=${KERNELSMITH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KERNELSMITH_SANITIZE})
  # Headers of protobuf add members to their classes where they see this; the library of the system has none of them.
  add_compile_options(-U__SANITIZE_THREAD__)
endif()

# Warnings are errors for our own code; generated code and system headers are exempt.
add_library(kernelsmith_warnings INTERFACE)
target_compile_options(kernelsmith_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers -Werror)

# All programs land in one folder, so that they find each other.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# kernelsmith_library(NAME SOURCES a.cc b.cc DEPENDS lib1 lib2): a static library; headers are included from the root.
function(kernelsmith_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE $<BUILD_INTERFACE:kernelsmith_warnings>)
endfunction()

# kernelsmith_program(NAME SOURCES main.cc DEPENDS lib1): an executable in bin/, installed.
function(kernelsmith_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} kernelsmith_warnings)
  install(TARGETS ${name} RUNTIME)
endfunction()

# kernelsmith_test(NAME SOURCES a_test.cc DEPENDS lib1 [LABEL fast|integration|hostile|faults] [TIMEOUT seconds]
#                  [SERIAL]): a GoogleTest program, one CTest test per program. The default label is fast. SERIAL keeps
# other tests from running beside it.
function(kernelsmith_test name)
  cmake_parse_arguments(ARG "SERIAL" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} kernelsmith_warnings GTest::gtest GTest::gmock
    GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE KERNELSMITH_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    KERNELSMITH_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# kernelsmith_benchmark(NAME SOURCES a_bench.cc DEPENDS lib1): a Google Benchmark program in bench/.
function(kernelsmith_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} kernelsmith_warnings benchmark::benchmark
    benchmark::benchmark_main)
endfunction()

# kernelsmith_python_test(NAME SOURCE a_test.py LABEL integration|faults TIMEOUT seconds [SERIAL]): a unittest script that runs
# the built programs, found through KERNELSMITH_BIN_DIR.
function(kernelsmith_python_test name)
  cmake_parse_arguments(ARG "SERIAL" "SOURCE;LABEL;TIMEOUT" "" ${ARGN})
  add_test(NAME ${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "KERNELSMITH_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};PYTHONDONTWRITEBYTECODE=1")
  if(ARG_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
