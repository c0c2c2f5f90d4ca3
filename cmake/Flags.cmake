# Compiler flags: every warning that pays, checks against exploits, and nothing that changes a floating-point result.
# SPDX-License-Identifier: Apache-2.0
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # otherwise programs are compiled, but not linked, as position independent

set(ts_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wformat=2 -Wundef -Wcast-qual -Wwrite-strings -Wpointer-arith -Wnull-dereference)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND ts_warnings -Wlogical-op -Wduplicated-cond) # clang does not have them
endif()

# The program loads plugins and reads files from strangers: a fault in either should end it, not take it over.
set(ts_hardening -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND ts_hardening -fcf-protection)
endif()

# ts_add_flags(NAME OPTIMISATION): an interface library that everything of the project links.
function(ts_add_flags name optimisation)
  add_library(${name} INTERFACE)
  separate_arguments(opt_flags UNIX_COMMAND "${optimisation}")
  target_compile_options(${name} INTERFACE
    ${opt_flags} -ffp-contract=off ${ts_hardening} ${ts_warnings})
  target_link_options(${name} INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed)
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
    # Level 3 also checks copies whose room is known at run time only: too slow for the loops over pixels (Kernels.cmake).
    target_compile_options(${name} INTERFACE -U_FORTIFY_SOURCE
      -D_FORTIFY_SOURCE=$<IF:$<BOOL:$<TARGET_PROPERTY:TS_PIXEL_LOOPS>>,2,3>)
  endif()

  if(TESSERA_COVERAGE)
    target_compile_options(${name} INTERFACE --coverage)
    target_link_options(${name} INTERFACE --coverage)
  endif()
endfunction()

ts_add_flags(ts_flags "${TESSERA_OPT_FLAGS}")
