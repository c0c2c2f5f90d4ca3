# Compiler flags: every warning that pays, and nothing that lets the compiler change a floating-point result.
# SPDX-License-Identifier: Apache-2.0

# ts_add_flags(NAME OPTIMISATION): an interface library that everything of the project links.
function(ts_add_flags name optimisation)
  add_library(${name} INTERFACE)
  separate_arguments(opt_flags UNIX_COMMAND "${optimisation}")
  target_compile_options(${name} INTERFACE
    ${opt_flags} -ffp-contract=off -fstack-protector-strong
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wformat=2)
  target_compile_definitions(${name} INTERFACE _GNU_SOURCE)

  if(TESSERA_WERROR)
    target_compile_options(${name} INTERFACE -Werror)
  endif()

  if(TESSERA_SANITIZE)
    target_compile_options(${name} INTERFACE
      -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} INTERFACE -fsanitize=${TESSERA_SANITIZE})
  elseif(NOT optimisation MATCHES "-O0")
    # The sanitizers have their own, better checks; without optimisation glibc refuses to fortify.
    target_compile_definitions(${name} INTERFACE _FORTIFY_SOURCE=2)
  endif()

  if(TESSERA_COVERAGE)
    target_compile_options(${name} INTERFACE --coverage)
    target_link_options(${name} INTERFACE --coverage)
  endif()
endfunction()

ts_add_flags(ts_flags "${TESSERA_OPT_FLAGS}")
