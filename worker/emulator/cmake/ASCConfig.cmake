# find_package(ASC): makes the language ASC known, so that project(... LANGUAGES ASC CXX) compiles .asc files with the bisheng of
# this toolkit. Set the variables CMAKE_ASC_* before find_package, or on the command line.

get_filename_component(ASC_TOOLKIT_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")

if(NOT DEFINED CMAKE_ASC_ARCHITECTURES)
  set(CMAKE_ASC_ARCHITECTURES "dav-2201" CACHE STRING "Architecture that ASC code is compiled for")
endif()
if(NOT DEFINED CMAKE_ASC_RUN_MODE)
  set(CMAKE_ASC_RUN_MODE "npu" CACHE STRING "npu; cpu and sim belong to a real CANN")
endif()
if(NOT CMAKE_ASC_RUN_MODE STREQUAL "npu")
  set(ASC_FOUND FALSE)
  set(ASC_NOT_FOUND_MESSAGE "CMAKE_ASC_RUN_MODE is '${CMAKE_ASC_RUN_MODE}'; the emulated CANN has npu alone")
  return()
endif()
if(CMAKE_ASC_ENABLE_SIMT)
  set(ASC_FOUND FALSE)
  set(ASC_NOT_FOUND_MESSAGE "CMAKE_ASC_ENABLE_SIMT is on; the emulated CANN has no SIMT")
  return()
endif()
# Host code of the project, whoever compiles it, finds the runtime without asking.
include_directories(SYSTEM "$<$<COMPILE_LANGUAGE:C,CXX>:${ASC_TOOLKIT_ROOT}/include>")
link_directories("${ASC_TOOLKIT_ROOT}/lib64")
set(ASC_FOUND TRUE)
