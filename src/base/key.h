/* The one identity: byte-exact keys of tasks, contents and blocks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key is SHA-256 over fields; a field is one ASCII tag byte, an unsigned 64-bit little-endian length, the bytes:
 * D domain, S salt, O operation, I implementation digest, N numeric class, P number of parameters (u64) then per
 * parameter, sorted by the bytes of its name, n name and the value (i, r, b, s, l); U number of inputs (u64) then per
 * input, sorted by port name, n port and k key. Text form: "k1:" and 64 hex digits. */
#ifndef TS_BASE_KEY_H
#define TS_BASE_KEY_H

#include "base/digest.h"
#include "base/error.h"
#include "base/str.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_KEY_DOMAIN_TASK    "tessera.task.1"
#define TS_KEY_DOMAIN_CONTENT "tessera.content.1"
#define TS_KEY_DOMAIN_BLOCK   "tessera.block.1"
#define TS_KEY_DOMAIN_OUTPUT  "tessera.output.1" /* one output port of a task that has several */
#define TS_KEY_TEXT_SIZE      68                 /* "k1:" + 64 digits + NUL */

struct ts_key {
  struct ts_sha256 digest;
};

struct ts_key_parameter {
  const char *name; /* borrowed */
  struct ts_value value;
};

struct ts_key_input {
  const char *port; /* borrowed */
  struct ts_key key;
};

/* Everything a key is made of. Parameters and inputs may come in any order; encoding sorts a copy. */
struct ts_key_fields {
  const char *domain;
  const char *salt; /* "" normally */
  const char *operation;
  struct ts_sha256 implementation;
  const char *numeric_class; /* "exact", "tolerance:CLASS", "nondeterministic" */
  const struct ts_key_parameter *parameters;
  size_t parameter_count;
  const struct ts_key_input *inputs;
  size_t input_count;
};

/* Appends the encoded bytes. NaN and infinities are refused (BAD_VALUE), as are two parameters or ports of one name. */
bool ts_key_encode(const struct ts_key_fields *fields, struct ts_str *bytes, struct ts_error *err);
bool ts_key_compute(const struct ts_key_fields *fields, struct ts_key *key, struct ts_error *err);
/* Many calls of one operation with the same parameters: all fields before the inputs are hashed once. begin ignores the
 * inputs of the fields; end gives what ts_key_compute gives for the fields and these inputs. */
struct ts_key_prefix {
  struct ts_sha256_state state;
};
bool ts_key_begin(const struct ts_key_fields *fields, struct ts_key_prefix *prefix, struct ts_error *err);
bool ts_key_end(const struct ts_key_prefix *prefix, const struct ts_key_input *inputs, size_t input_count,
                struct ts_key *key, struct ts_error *err);
/* Key of one output port: the task's own key if the operation has a single output, else SHA-256 over D
 * "tessera.output.1", k task key, n port name. */
void ts_key_of_output(const struct ts_key *task, const char *port, bool single_output, struct ts_key *key);

void ts_key_print(const struct ts_key *key, char text[TS_KEY_TEXT_SIZE]);
bool ts_key_equal(const struct ts_key *a, const struct ts_key *b);

#endif
