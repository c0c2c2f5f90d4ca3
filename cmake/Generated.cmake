# Files that the build writes: the version header, the implementation digests, the files that the program carries.
# SPDX-License-Identifier: Apache-2.0
set(generated ${CMAKE_BINARY_DIR}/generated)
if(EXISTS ${PROJECT_SOURCE_DIR}/src/base/version.h.in)
  configure_file(src/base/version.h.in ${generated}/base/version.h @ONLY)
endif()

# The tools list what they read in a depfile, folders too, so that a new file that matches a pattern is noticed.
function(ts_generate library output tool)
  add_custom_command(OUTPUT ${generated}/${output}
    COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tools/${tool} --source ${PROJECT_SOURCE_DIR}
      --output ${generated}/${output} --depfile ${generated}/${output}.d ${ARGN}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/${tool} ${PROJECT_SOURCE_DIR}/tools/toolbox.py
    DEPFILE ${generated}/${output}.d
    COMMENT "Generating ${output}" VERBATIM)
  add_library(${library} STATIC ${generated}/${output})
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${library} PRIVATE ts_flags)
endfunction()

ts_generate(ts_implementations implementation_digests.c implementation-digest
  --library vips=${vips_VERSION} --library openslide=${openslide_VERSION})
ts_generate(ts_embedded embedded_files.c embed-files)
