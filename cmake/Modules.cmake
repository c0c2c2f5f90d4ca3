# One static library per module, linked along src/LAYERS; then libtessera.so, the program, the plugins, and installing.
# SPDX-License-Identifier: Apache-2.0
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/LAYERS)

function(ts_target_name module result)
  string(REPLACE "/" "_" name "ts_${module}")
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# Turns "ops/*" into the folders that are there.
function(ts_expand_module pattern result)
  if(NOT pattern MATCHES "\\*$")
    set(${result} ${pattern} PARENT_SCOPE)
    return()
  endif()
  file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${pattern})
  set(modules "")
  foreach(folder ${folders})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${folder})
      list(APPEND modules ${folder})
    endif()
  endforeach()
  set(${result} "${modules}" PARENT_SCOPE)
endfunction()

function(ts_add_module module allowed)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.c)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/cli/main.c) # the program's, not the module's
  ts_target_name(${module} name)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ts_flags)
  if(module STREQUAL "base")
    target_link_libraries(${name} PUBLIC ${ts_needs_base})
  elseif(DEFINED ts_needs_${module})
    target_link_libraries(${name} PRIVATE ${ts_needs_${module}})
  endif()
  foreach(lower ${allowed})
    string(REGEX REPLACE "/[^/]*\\.h$" "" lower ${lower})
    string(REGEX REPLACE "^tessera(_table)?\\.h$" "api" lower ${lower}) # the module that implements the public headers
    # A contract without a library; modules below api only use the types of the public header.
    if(NOT lower STREQUAL module AND NOT lower STREQUAL "tessera_op.h" AND (NOT lower STREQUAL "api" OR TARGET ts_api))
      ts_target_name(${lower} lower_name)
      target_link_libraries(${name} PUBLIC ${lower_name})
    endif()
  endforeach()
  set(ts_modules ${ts_modules} ${module} PARENT_SCOPE)
endfunction()

set(ts_modules "")
set(above "")
file(STRINGS ${PROJECT_SOURCE_DIR}/src/LAYERS layers REGEX "^[a-z]")
foreach(line ${layers})
  string(REGEX MATCH "^([^:]+): *(.*)$" matched "${line}")
  set(pattern ${CMAKE_MATCH_1})
  separate_arguments(allowed UNIX_COMMAND "${CMAKE_MATCH_2}")
  if("all" IN_LIST allowed)
    set(allowed ${above})
  endif()
  set(below "")
  foreach(name ${allowed})
    ts_expand_module(${name} expanded)
    list(APPEND below ${expanded})
  endforeach()
  ts_expand_module(${pattern} expanded)
  foreach(module ${expanded})
    ts_add_module(${module} "${below}")
    list(APPEND above ${module})
  endforeach()
endforeach()

# The digests belong to the operations, not to the contract in op; the files that the program carries to base.
foreach(module ${ts_modules})
  ts_target_name(${module} name)
  if(module MATCHES "^ops/|^project$")
    target_link_libraries(${name} PUBLIC ts_implementations)
  endif()
  if(module STREQUAL "base")
    target_link_libraries(${name} PUBLIC ts_embedded)
  endif()
endforeach()

# What others link: the objects of every module below the front ends in one shared library. Only what the public
# headers mark as visible can be seen in it.
add_library(tessera_shared SHARED $<TARGET_OBJECTS:ts_implementations> $<TARGET_OBJECTS:ts_embedded>)
set_target_properties(tessera_shared PROPERTIES OUTPUT_NAME tessera LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_libraries(tessera_shared PRIVATE ts_flags)
foreach(module ${ts_modules})
  if(NOT module STREQUAL "cli")
    ts_target_name(${module} name)
    target_sources(tessera_shared PRIVATE $<TARGET_OBJECTS:${name}>)
    target_link_libraries(tessera_shared PRIVATE ${ts_needs_${module}})
  endif()
endforeach()

# The program holds the modules itself: it starts without looking for a library, and no state exists twice.
add_executable(tessera src/cli/main.c)
target_include_directories(tessera PRIVATE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(tessera PRIVATE ts_flags ts_cli ts_api ts_base)
install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

include(cmake/Plugins.cmake)
include(cmake/Install.cmake)
