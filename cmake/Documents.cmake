# Lets the program TESSERA write its man pages and completion scripts into FOLDER; run by `cmake -P`.
# SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man)

function(write_document file)
  execute_process(COMMAND ${TESSERA} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${TESSERA} words commands OUTPUT_VARIABLE commands OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" commands "${commands}")
write_document(man/tessera.1 man)
foreach(command ${commands})
  write_document(man/tessera-${command}.1 man ${command})
endforeach()
write_document(tessera completion bash)
write_document(_tessera completion zsh)
write_document(tessera.fish completion fish)
