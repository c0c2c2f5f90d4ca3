# The outside libraries, and which module may see which of them.
# SPDX-License-Identifier: Apache-2.0
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# Debian's own interpreter first: it sees the modules that tools/setup installs.
find_program(PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PYTHON3 python3 REQUIRED)

foreach(package vips openslide jansson sqlite3 libxxhash libcrypto libzstd expat xgboost zlib)
  pkg_check_modules(${package} REQUIRED IMPORTED_TARGET ${package})
endforeach()
pkg_check_modules(cmocka IMPORTED_TARGET cmocka)

# Modules not named here use the C library alone (and what their lower modules offer).
set(ts_needs_base PkgConfig::jansson PkgConfig::libxxhash PkgConfig::libcrypto Threads::Threads m)
set(ts_needs_data PkgConfig::libzstd)
set(ts_needs_graph PkgConfig::expat)
set(ts_needs_image PkgConfig::vips PkgConfig::openslide)
set(ts_needs_op ${CMAKE_DL_LIBS})
set(ts_needs_store PkgConfig::sqlite3)
set(ts_needs_replay ${CMAKE_DL_LIBS}) # zlib is loaded with the first gz file (replay/table_text.c)
set(ts_needs_tune ${CMAKE_DL_LIBS}) # xgboost is loaded with the first model (tune/surrogate.c)
