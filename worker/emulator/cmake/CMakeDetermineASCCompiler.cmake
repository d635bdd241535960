# Finds bisheng: CMAKE_ASC_COMPILER if given, else that of the toolkit which this file belongs to.

get_filename_component(_asc_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT CMAKE_ASC_COMPILER)
  find_program(CMAKE_ASC_COMPILER NAMES bisheng PATHS "${_asc_root}/bin" NO_DEFAULT_PATH)
endif()
if(NOT CMAKE_ASC_COMPILER OR NOT EXISTS "${CMAKE_ASC_COMPILER}")
  message(FATAL_ERROR "the ASC compiler '${CMAKE_ASC_COMPILER}' does not exist; source set_env.sh of the toolkit, or set "
    "CMAKE_ASC_COMPILER to the path of bisheng")
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC_COMPILER)

if(NOT CMAKE_ASC_COMPILER_AR)
  find_program(CMAKE_ASC_COMPILER_AR NAMES ar)
endif()
if(NOT CMAKE_ASC_SOURCE_FILE_EXTENSIONS)
  set(CMAKE_ASC_SOURCE_FILE_EXTENSIONS asc)
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in" "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
