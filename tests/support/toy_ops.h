/* Small operations for tests of the engine: pure functions that are made to collapse, fail or collide.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All of them are built-in operations as far as the registry can tell, and so is the reading of inputs: no file is
 * opened, what a "file" holds follows from its path. */
#ifndef TS_TESTS_SUPPORT_TOY_OPS_H
#define TS_TESTS_SUPPORT_TOY_OPS_H

#include "op/op.h"

#include <stdatomic.h>
#include <stdint.h>

#define TOY_FAILS_FOR 7         /* value of p for which toy.risky fails */
#define TOY_MISSING   "missing" /* tables of an image of this name cannot be read */
#define TOY_REASON    "the toy says no"

/*   toy.mix    a, b?      -> out            p          a hash of everything
 *   toy.fold   a          -> out            p          one of three values; p counts by pairs (canonical form)
 *   toy.pair   a, b?      -> first, second  s, flag    two hashes, the second one of two values; without case of s
 *   toy.round  a          -> out            r, p       r counts in steps of one half
 *   toy.same   a          -> out                       its input again
 *   toy.join   a, b?, c?  -> out                       a hash, no parameters
 *   toy.risky  a          -> out            p          fails for p = TOY_FAILS_FOR
 *   toy.alone  a          -> out            p          not thread-safe; see toy_overlaps
 *   toy.meet   a          -> out            p          needs another call at the same time, else it fails after a while
 *   toy.stat   image      -> out            p          a hash of the pixels and their place
 *   toy.blank  image      -> out            p, q       one of two values
 *   toy.shift  image      -> image          p          p counts modulo 4
 *   toy.near   image      -> image                     maximum of the 3 x 3 neighbours (radius 1)
 *   toy.paint  image, a   -> image                     pixels that depend on a table
 *   toy.stir   image      -> image          p          pixels that differ whenever the input or p does
 *   toy.noise  a          -> image          size, p    size x size pixels of noise that do not compress
 * Ports without another type are tables; images are image/gray8. */
struct ts_registry *toy_registry_create(void);
/* For cmocka_run_group_tests: *state is such a registry. */
int toy_set_up(void **state);
int toy_tear_down(void **state);

/* Pixel (x, y) of the image that a path stands for: 0..3. */
uint8_t toy_pixel(const char *path, int64_t x, int64_t y);

/* How often two calls of toy.alone were seen at once; must stay 0. */
extern atomic_int toy_overlaps;
/* Executions of all operations named "toy.*" so far: calls of the program under test, unless the registry is
 * another. */
uint64_t toy_executions(const struct ts_registry *registry);

#endif
