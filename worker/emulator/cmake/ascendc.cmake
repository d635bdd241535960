# The older way to build kernels (Kernel direct launch by ascendc_library), on top of the language ASC:
#
#   include(${ASCEND_CANN_PACKAGE_PATH}/compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
#   ascendc_library(kernels SHARED add_custom.cpp)
#   add_executable(demo main.cpp)
#   target_link_libraries(demo PRIVATE kernels)
#
# main.cpp finds aclrtlaunch_add_custom.h and calls ACLRT_LAUNCH_KERNEL(add_custom)(blocks, stream, x, y, z). Kernels are
# those that their file defines as `extern "C" __global__ __aicore__ void name(...)`; they are found by that text.

get_filename_component(_ascendc_root "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_ascendc_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(SOC_VERSION AND NOT SOC_VERSION MATCHES "^Ascend910(B|_93)")
  message(FATAL_ERROR "SOC_VERSION is '${SOC_VERSION}'; the emulated CANN has Ascend910B1 to B4, Ascend910_9391 and _9392")
endif()
if(RUN_MODE AND NOT RUN_MODE STREQUAL "npu")
  message(FATAL_ERROR "RUN_MODE is '${RUN_MODE}'; the emulated CANN has npu alone")
endif()

list(PREPEND CMAKE_PREFIX_PATH "${_ascendc_root}")
find_package(ASC REQUIRED PATHS "${_ascendc_root}" NO_DEFAULT_PATH)
enable_language(ASC)

# What host code of such a project links.
if(NOT TARGET host_intf_pub)
  add_library(host_intf_pub INTERFACE)
  target_include_directories(host_intf_pub SYSTEM INTERFACE "${_ascendc_root}/include")
  target_link_directories(host_intf_pub INTERFACE "${_ascendc_root}/lib64")
  target_link_libraries(host_intf_pub INTERFACE ascendcl)
endif()

# Parameters of a launcher for those of a kernel: `parameters` of its declaration, `arguments` of the launch.
function(_ascendc_parameters text parameters arguments)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
  string(REPLACE "," ";" list "${text}")
  set(taken "")
  set(passed "")
  set(index 0)
  foreach(one IN LISTS list)
    string(STRIP "${one}" one)
    if(one STREQUAL "" OR one STREQUAL "void")
      continue()
    endif()
    string(REGEX REPLACE "[A-Za-z_0-9]+$" "" type "${one}")
    string(STRIP "${type}" type)
    string(REGEX REPLACE "__gm__|__restrict__" "" plain "${type}")
    string(REGEX REPLACE "^ *const +| +const *$" "" value "${plain}")
    string(STRIP "${value}" value)
    if(plain MATCHES "\\*$" OR plain MATCHES "GM_ADDR")
      string(APPEND taken ", void* p${index}")
      string(APPEND passed ", (${type})p${index}")
    elseif(value MATCHES "^(unsigned |signed )?(char|short|int|long|long long|float|double|bool|size_t|u?int(8|16|32|64)_t)$")
      string(APPEND taken ", ${value} p${index}")
      string(APPEND passed ", p${index}")
    else()
      # A structure by value arrives by its address.
      string(APPEND taken ", void* p${index}")
      string(APPEND passed ", *(${value}*)p${index}")
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
  string(REGEX REPLACE "^, " "" passed "${passed}")
  set(${parameters} "${taken}" PARENT_SCOPE)
  set(${arguments} "${passed}" PARENT_SCOPE)
endfunction()

# Writes aclrtlaunch_<kernel>.h for each kernel of a source, and the source that is compiled in its place: the author's with
# launchers behind it.
function(_ascendc_wrap source headers wrapped)
  file(READ "${source}" text)
  string(REPLACE ";" "\n" text "${text}")
  string(REGEX MATCHALL "extern \"C\"[^({}]*__global__[^({}]*[A-Za-z_0-9]+[ \t\r\n]*\\([^)]*\\)[ \t\r\n]*{" kernels "${text}")
  set(launchers "")
  foreach(kernel IN LISTS kernels)
    string(REGEX REPLACE "^.*[ \t\r\n*]([A-Za-z_0-9]+)[ \t\r\n]*\\(([^)]*)\\)[ \t\r\n]*{$" "\\1" name "${kernel}")
    string(REGEX REPLACE "^[^(]*\\(([^)]*)\\)[ \t\r\n]*{$" "\\1" list "${kernel}")
    _ascendc_parameters("${list}" taken passed)
    set(declaration "extern \"C\" uint32_t aclrtlaunch_${name}(uint32_t blockDim, aclrtStream stream${taken})")
    file(CONFIGURE OUTPUT "${headers}/aclrtlaunch_${name}.h" @ONLY CONTENT
"#pragma once

#include <cstdint>

#include \"acl/acl.h\"

#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
#endif

@declaration@;
")
    string(APPEND launchers "${declaration} {\n  ${name}<<<blockDim, nullptr, stream>>>(${passed});\n  return 0;\n}\n")
  endforeach()
  file(CONFIGURE OUTPUT "${wrapped}" @ONLY CONTENT
"#include \"@source@\"

#include \"acl/acl.h\"

@launchers@")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
endfunction()

function(ascendc_library target)
  set(kind STATIC)
  set(sources ${ARGN})
  if(ARGN MATCHES "^(STATIC|SHARED|OBJECT)(;|$)")
    list(POP_FRONT sources kind)
  endif()
  set(headers "${CMAKE_BINARY_DIR}/include/${target}")
  set(wrapped "")
  foreach(source IN LISTS sources)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(name "${source}" NAME_WE)
    set(copy "${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/${name}.asc")
    _ascendc_wrap("${source}" "${headers}" "${copy}")
    list(APPEND wrapped "${copy}")
  endforeach()
  add_library(${target} ${kind} ${wrapped})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE ASC
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${headers}>")
  target_link_libraries(${target} PUBLIC host_intf_pub)
  install(TARGETS ${target} ARCHIVE DESTINATION lib LIBRARY DESTINATION lib OBJECTS DESTINATION lib)
  install(DIRECTORY "${headers}/" DESTINATION include/${target})
endfunction()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "UNSUPPORTED: ascendc_fatbin_library (${target}) makes device objects without host code; use ascendc_library")
endfunction()

function(ascendc_compile_definitions target)
  set(definitions ${ARGN})
  list(REMOVE_ITEM definitions PRIVATE PUBLIC INTERFACE)
  target_compile_definitions(${target} PRIVATE ${definitions})
endfunction()

# What stands behind -forward-options-to-host-compiler is for the host's half, which is compiled at the same time here.
function(ascendc_compile_options target)
  set(options ${ARGN})
  list(REMOVE_ITEM options PRIVATE PUBLIC INTERFACE)
  list(FIND options "-forward-options-to-host-compiler" at)
  if(NOT at EQUAL -1)
    list(SUBLIST options 0 ${at} options)
  endif()
  if(options)
    target_compile_options(${target} PRIVATE ${options})
  endif()
endfunction()

function(ascendc_include_directories target)
  set(folders ${ARGN})
  list(REMOVE_ITEM folders PRIVATE PUBLIC INTERFACE)
  target_include_directories(${target} PRIVATE ${folders})
endfunction()
