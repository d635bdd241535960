# The compiler reports its version, or configuration ends here.

execute_process(COMMAND "${CMAKE_ASC_COMPILER}" --version RESULT_VARIABLE _asc_result OUTPUT_VARIABLE _asc_version
  ERROR_VARIABLE _asc_error)
if(NOT _asc_result EQUAL 0)
  message(FATAL_ERROR "${CMAKE_ASC_COMPILER} --version failed: ${_asc_error}")
endif()
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
