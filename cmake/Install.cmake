# What `make install` puts where.
# SPDX-License-Identifier: Apache-2.0
install(TARGETS tessera_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The prefix is known when it is installed, not before (make install PREFIX=...).
install(CODE "set(CMAKE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
  set(CMAKE_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
  set(CMAKE_INSTALL_BINDIR ${CMAKE_INSTALL_BINDIR})
  set(PROJECT_VERSION ${PROJECT_VERSION})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in ${CMAKE_BINARY_DIR}/tessera.pc @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Documents and schemas, as they lie in the tree, so that what they refer to is there.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.json")

# Man pages and completion scripts come from the program's own command table, when it is installed.
set(documents ${CMAKE_BINARY_DIR}/documents)
install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -DTESSERA=$<TARGET_FILE:tessera> -DFOLDER=${documents}
  -P ${PROJECT_SOURCE_DIR}/cmake/Documents.cmake COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${documents}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${documents}/tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${documents}/_tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${documents}/tessera.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
