# Fuzz targets: one libFuzzer program per tests/fuzz/fuzz_*.c, with every module instrumented (clang only).
# SPDX-License-Identifier: Apache-2.0
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "TESSERA_FUZZ needs clang: cmake --preset fuzz")
endif()

add_library(ts_fuzz_support STATIC tests/fuzz/fuzz.c tests/support/design_text.c)
target_include_directories(ts_fuzz_support PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(ts_fuzz_support PRIVATE ts_flags PUBLIC ts_api)

# Writes the seeds that only the program itself can make.
add_executable(fuzz_seeds tests/fuzz/make_seeds.c)
target_link_libraries(fuzz_seeds PRIVATE ts_flags ts_fuzz_support)

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
add_custom_target(fuzzers DEPENDS fuzz_seeds)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ts_flags ts_fuzz_support)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(fuzzers ${name})
endforeach()
# Their headers are seeds.
foreach(source ${plugin_sources})
  get_filename_component(stem ${source} NAME_WE)
  add_dependencies(fuzzers plugin_${stem})
endforeach()
