# Variants of the kernels: which instructions their files may use, and which of them the program may choose from.
# SPDX-License-Identifier: Apache-2.0
#
# NAME_avx2.c and NAME_avx512.c get their own flags; the program asks the processor before it calls anything in them.
# FMA instructions are used where they are written out only: -ffp-contract=off holds for these files too.
# FORTIFY 3 made `tessera bench` execute 2 % more instructions, nearly all of them in one copy of a few pixels.
set_target_properties(ts_kernels PROPERTIES TS_PIXEL_LOOPS ON)
set(kernels ${PROJECT_SOURCE_DIR}/src/kernels/cpu)
file(GLOB avx2_sources CONFIGURE_DEPENDS ${kernels}/*_avx2.c)
file(GLOB avx512_sources CONFIGURE_DEPENDS ${kernels}/*_avx512.c)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(${avx512_sources} PROPERTIES
    COMPILE_OPTIONS "-mavx2;-mfma;-mavx512f;-mavx512bw;-mavx512vl;-mavx512dq")
  # The files with a table of variants.
  set_source_files_properties(
    ${kernels}/choice.c ${kernels}/variant.c ${kernels}/canny_rows.c ${kernels}/nuclei_colour.c
    PROPERTIES COMPILE_DEFINITIONS "TS_KERNELS_AVX2;TS_KERNELS_AVX512")
else()
  set_source_files_properties(${avx2_sources} ${avx512_sources} PROPERTIES HEADER_FILE_ONLY ON) # not compiled
endif()
