# Compiler flags: every warning that pays, and nothing that lets the compiler change a floating-point result.
# SPDX-License-Identifier: Apache-2.0
add_library(ts_flags INTERFACE)
separate_arguments(opt_flags UNIX_COMMAND "${TESSERA_OPT_FLAGS}")
target_compile_options(ts_flags INTERFACE
  ${opt_flags} -ffp-contract=off -fstack-protector-strong
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wformat=2)
target_compile_definitions(ts_flags INTERFACE _GNU_SOURCE)

if(TESSERA_WERROR)
  target_compile_options(ts_flags INTERFACE -Werror)
endif()

if(TESSERA_SANITIZE)
  target_compile_options(ts_flags INTERFACE
    -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ts_flags INTERFACE -fsanitize=${TESSERA_SANITIZE})
elseif(NOT TESSERA_OPT_FLAGS MATCHES "-O0")
  # The sanitizers have their own, better checks; without optimisation glibc refuses to fortify.
  target_compile_definitions(ts_flags INTERFACE _FORTIFY_SOURCE=2)
endif()

if(TESSERA_COVERAGE)
  target_compile_options(ts_flags INTERFACE --coverage)
  target_link_options(ts_flags INTERFACE --coverage)
endif()
