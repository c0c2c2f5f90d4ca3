/* The registry of built-in, plugin and command operations, and the one wrapper that calls, checks and counts them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_OP_H
#define TS_OP_OP_H

#include "tessera_op.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/key.h"
#include "base/memo.h"
#include "base/value.h"
#include "data/data.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Bounds that let calls, keys and records work without allocating; no sensible operation comes near. */
#define TS_OP_MAX_PORTS      64 /* inputs, and outputs */
#define TS_OP_MAX_PARAMETERS 64
#define TS_OP_MAX_VARIANTS   64

#define TS_OP_OWN_DEVICE "cpu" /* of the operation's own run */

enum ts_op_origin { TS_OP_BUILT_IN, TS_OP_PLUGIN, TS_OP_COMMAND };

#define TS_COMMAND_SCRATCH "tessera-call" /* how the names of commands' folders begin */
#define TS_CALL_LOG        "log.txt"      /* in a folder that is left: what a command wrote on stdout and stderr */

struct ts_op_lifetime;

struct ts_op {
  const struct ts_op_descriptor *descriptor; /* borrowed from the program, or from the registry (plugin, command) */
  enum ts_op_origin origin;
  const char *source;              /* borrowed from the registry: plugin or manifest file; "" for built in */
  struct ts_sha256 implementation; /* spec: part of every key */
  const char *numeric;             /* "exact" unless declared */
  const char *image; /* borrowed from the registry: the loaded bytes of a plugin, as a path for other processes; "" */
  struct ts_op_variant own;        /* its own run, as a variant */
  struct ts_op_needs needs;        /* zeros unless declared */
  bool shareable;                  /* false: undeclared dependencies, products stay with this user */
  atomic_uint_fast64_t executions; /* counted by ts_op_execute alone */
  struct ts_op_lifetime *lifetime; /* owned: of operations with open; NULL otherwise */
  void *lock;                      /* owned: serialises calls of operations that are not thread-safe; NULL otherwise */
};

struct ts_registry;

struct ts_registry *ts_registry_create(void);
void ts_registry_destroy(struct ts_registry *registry);
/* Built-in operations; their implementation digest comes from the table made at build time (op/implementation.h),
 * together with the descriptor's version. An operation missing there is our own bug. */
struct ts_implementation;
void ts_registry_add_built_in(struct ts_registry *registry, const struct ts_op_descriptor *const *descriptors,
                              size_t count, const struct ts_implementation *implementations,
                              size_t implementation_count);
/* Adds operations from a file: a shared library (*.so) or a command manifest (*.json). All faults of the file are
 * listed. Digest of a plugin: ELF build-id and file digest; of a command: executable, script and every declared
 * file. */
bool ts_registry_load(struct ts_registry *registry, const char *path, struct ts_faults *faults);
/* The same for a file that must be the one with this operation, as its name, version and implementation say; nothing of
 * another file is run. False without a fault: it is another file, or cannot be read. `path` may be any name of it. */
struct ts_op_identity {
  enum ts_op_origin origin; /* plugin or command */
  const char *name;         /* borrowed */
  uint32_t version;
  struct ts_sha256 implementation;
};
bool ts_registry_load_exact(struct ts_registry *registry, const char *path, const struct ts_op_identity *wanted,
                            struct ts_faults *faults);
/* Everything is loaded: files that a workflow names are not loaded any more. */
void ts_registry_complete(struct ts_registry *registry);
bool ts_registry_is_complete(const struct ts_registry *registry);
struct ts_op *ts_registry_find(const struct ts_registry *registry, const char *name); /* NULL if unknown */
size_t ts_registry_count(const struct ts_registry *registry);
struct ts_op *ts_registry_at(const struct ts_registry *registry, size_t index); /* in order of names */
/* The nearest known operation name, for "did you mean"; NULL if none is near. */
const char *ts_registry_nearest(const struct ts_registry *registry, const char *name);

bool ts_op_find_input(const struct ts_op *op, const char *port, size_t *index);
bool ts_op_find_output(const struct ts_op *op, const char *port, size_t *index);
bool ts_op_find_parameter(const struct ts_op *op, const char *name, size_t *index);

/* ---- Columns of table outputs (columns.c); ports by number. ---- */

/* Whether the port declares its columns; if so, all of them. */
bool ts_op_declares_columns(const struct ts_op *op, size_t port);
bool ts_op_has_column(const struct ts_op *op, size_t port, const char *column);
/* The nearest declared column, for "did you mean"; NULL if none is near. */
const char *ts_op_nearest_column(const struct ts_op *op, size_t port, const char *column);
/* NULL if the column is not a declared ratio. */
const struct ts_op_ratio *ts_op_find_ratio(const struct ts_op *op, size_t port, const char *column);
bool ts_op_is_count(const struct ts_op *op, size_t port, const char *column);   /* adds up over tiles */
bool ts_op_of_objects(const struct ts_op *op, size_t port, const char *column); /* depends on where tiles cut objects */

enum ts_value_type ts_op_plain_type(enum ts_op_value_type type); /* of plain values of the same type */
/* Whether a value lies in the parameter's domain; the error describes the domain (OUTSIDE_DOMAIN, BAD_VALUE). */
bool ts_op_check_value(const struct ts_op_parameter *parameter, const struct ts_value *value, struct ts_error *err);
/* The canonical form of a value (connectivity 5 -> 4). */
struct ts_value ts_op_canonical(const struct ts_op_parameter *parameter, const struct ts_value *value);

/* The needs of a call beside the operation. */
struct ts_op_context {
  const atomic_bool *cancelled; /* borrowed; may be NULL */
  const char *scratch_folder; /* borrowed: where commands get a folder of their own for a call; may be NULL (TMPDIR) */
  /* Borrowed: an empty folder, where the exchange of the call is left to look at, as that of a command: call.json, the
   * files of inputs and outputs, and what a command wrote (TS_CALL_LOG). NULL: nothing is left. */
  const char *call_folder;
  struct ts_str *log;    /* borrowed: output of commands is appended here; may be NULL */
  struct ts_str *remark; /* borrowed: the line of their error output that people should see; may be NULL */
  double timeout_s;      /* of the call; 0: none */
  /* Other code of the process may change current folder, environment and locale, so an operation is not held to leave
   * them alone, nor are they restored. */
  bool shares_process;
  const char *task; /* borrowed: name of the task, for messages; may be NULL */
  /* Lends threads to operations that can share their work: calls body(argument, index) for each index below count and
   * returns when all are done. NULL: the calling thread does it alone. */
  void (*parallel_for)(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument);
  void *parallel_user;  /* borrowed: given to parallel_for */
  size_t thread_count;  /* how many threads parallel_for has, the caller's included; 0 or 1: none to lend */
  struct ts_memo *memo; /* borrowed: values of parts, from call to call; NULL: none are kept */
  /* Borrowed, in the order of the inputs: identities of their contents; zero: not known. May be NULL. */
  const struct ts_xxh128 *input_digests;
  const struct ts_op_variant *variant; /* borrowed: of the operation; NULL: its own run */
  struct ts_pixel_size pixel_size;     /* shown to operations that declare to read it */
};

/* The variant for a device, bit-equal to all others of the operation; NULL: it has none, or tessera does not know the
 * device. */
const struct ts_op_variant *ts_op_variant_for(const struct ts_op *op, const char *device);
/* The variant that the environment forces (TESSERA_DEVICE), if the operation has it; NULL: its own run. */
const struct ts_op_variant *ts_op_variant_chosen(const struct ts_op *op);

/* Runs the operation once: inputs and parameters in descriptor order (an optional input may be NULL), outputs filled
 * with new references. Counts the execution, checks that inputs fit and that every output was made with its declared
 * type. */
bool ts_op_execute(struct ts_op *op, struct ts_data *const *inputs, const struct ts_value *parameters,
                   struct ts_data **outputs, const struct ts_op_context *context, struct ts_error *err);

/* Lineage or content key of a call: canonical parameters, keys or digests of the inputs (NULL entries are skipped), and
 * the pixel size (NULL: not known) if the operation reads it. */
bool ts_op_key(const struct ts_op *op, const char *domain, const char *salt, const struct ts_value *parameters,
               const struct ts_pixel_size *pixel_size, const struct ts_key *const *inputs, struct ts_key *key,
               struct ts_error *err);

/* The pixel size is a parameter of keys and records, under a name that no operation can give to one of its own; its
 * value is a list of two reals, which lies in `room`. */
#define TS_OP_PIXEL_SIZE "@pixel_size_um"
struct ts_op_pixel_size_room {
  struct ts_value items[2];
  struct ts_value_list list;
};
struct ts_value ts_op_pixel_size_value(const struct ts_pixel_size *size, struct ts_op_pixel_size_room *room);

#endif
