# Lets the program TESSERA write its man pages and completion scripts into FOLDER; run by `cmake -P`.
# SPDX-License-Identifier: Apache-2.0
file(REMOVE_RECURSE ${FOLDER})
foreach(section 1 5 7)
  file(MAKE_DIRECTORY ${FOLDER}/man/man${section})
endforeach()

function(write_document file)
  execute_process(COMMAND ${TESSERA} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(ask_words kind result)
  execute_process(COMMAND ${TESSERA} words ${kind} OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" words "${words}")
  set(${result} ${words} PARENT_SCOPE)
endfunction()

write_document(man/man1/tessera.1 man)
ask_words(commands commands)
foreach(command ${commands})
  write_document(man/man1/tessera-${command}.1 man ${command})
endforeach()
# A page of help is called study.5: the number is its section.
ask_words(pages pages)
foreach(page ${pages})
  string(REGEX REPLACE "^.*\\." "" section ${page})
  write_document(man/man${section}/tessera-${page} man ${page})
endforeach()
write_document(tessera completion bash)
write_document(_tessera completion zsh)
write_document(tessera.fish completion fish)
