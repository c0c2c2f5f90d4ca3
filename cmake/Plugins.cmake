# Plugins see the public headers only, as those written outside the tree do. Every C file below workflows/ is one.
# SPDX-License-Identifier: Apache-2.0

# ts_add_plugin(TARGET SOURCE FILE-NAME FOLDER)
function(ts_add_plugin target source file_name folder)
  add_library(${target} MODULE ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE ts_flags m)
  # A plugin's author need not know about visibility or declare the one function that tessera looks up.
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
  # The build id is part of an operation's implementation digest.
  target_link_options(${target} PRIVATE -Wl,--build-id=sha1)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file_name} C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()

file(GLOB_RECURSE plugin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workflows/*.c)
foreach(source ${plugin_sources})
  get_filename_component(stem ${source} NAME_WE)
  ts_add_plugin(plugin_${stem} ${source} ${stem} ${CMAKE_BINARY_DIR}/plugins)
endforeach()
