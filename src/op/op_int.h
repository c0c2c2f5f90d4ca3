/* Shared by the files of the op module: descriptor checks, the registry, plugins and commands, calls.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_OP_INT_H
#define TS_OP_OP_INT_H

#include "op/op.h"

#include "base/json.h"
#include "base/reader.h"

#include <sys/types.h>

/* ---- Rules for descriptors, whether they come from a program, a plugin or a manifest (descriptor.c). ---- */

bool ts_op_name_allowed(const char *name);       /* "library.operation" */
bool ts_op_word_allowed(const char *name);       /* ports and parameters: letters, digits, '_'; a letter first */
bool ts_op_numeric_allowed(const char *numeric); /* "exact", "tolerance:CLASS", "nondeterministic" */
const char *ts_op_numeric_words(void);           /* the same, for help texts */
const char *ts_op_value_type_name(enum ts_op_value_type type);
/* The next alternative of a port type such as "mask|labels"; *rest starts at the declaration. False at the end. */
bool ts_op_next_type(const char **rest, char name[64]);
/* The first alternative of an unknown type is copied to `unknown`; true if there is none. */
bool ts_op_declaration_allowed(const char *declaration, char unknown[64]);
#define TS_OP_SITE_MAX 31                  /* as long as sched/resources.h has room for */
bool ts_op_site_allowed(const char *site); /* letters, digits, '.', '_' and '-' */
#define TS_OP_MOST_NEEDED       65536      /* cores, GPUs, members of a gang: more is a mistake */
#define TS_OP_MOST_NEEDED_BYTES (UINT64_C(1) << 50)
/* Every fault of a descriptor, as found in the file `source`; true if there are none. */
bool ts_op_descriptor_check(const struct ts_op_descriptor *descriptor, const char *source, struct ts_faults *faults);

/* ---- Structs of plugins, which may be longer or shorter than ours (adopt.c). ---- */

/* A copy in which every struct has the length that this program knows; NULL, with faults, if one is too short to make
 * sense or of another API. What is wrong with its fields is left to ts_op_descriptor_check. */
const struct ts_op_descriptor *ts_op_adopt(struct ts_arena *arena, const struct ts_op_descriptor *given,
                                           const char *path, struct ts_faults *faults);
bool ts_op_adopt_place(const struct ts_op_place *given, struct ts_op_place *place); /* false: NULL or too short */
/* The fault of a plugin that was compiled for another operation API. */
void ts_op_refuse_api(const char *path, uint32_t api, struct ts_faults *faults);

/* A value of the type of a parameter, as operations see it (value.c). */
struct ts_op_value ts_op_value_of(enum ts_op_value_type type, const struct ts_value *value);

/* ---- Declarations about tables (columns.c). ---- */

#define TS_OP_MAX_DECLARED 4096 /* of each list; a greater number is a descriptor that was not initialised */
/* A declaration that does not hold: which list has it, where in the list, and the port it names. */
struct ts_op_tables_fault {
  const char *list; /* "columns", "ratios", "counts" or "objects" */
  size_t index;
  enum ts_error_code code;
  const char *text, *help; /* borrowed for the call */
};
typedef void (*ts_op_tables_report)(void *user, const struct ts_op_tables_fault *fault);
/* Reports every fault of the declarations of a descriptor whose ports are good. */
void ts_op_tables_check(const struct ts_op_descriptor *descriptor, ts_op_tables_report report, void *user);
/* Whether a finished table has the columns that its port declares; if not, the name of the first that is missing, or
 * of the first that is not declared. */
bool ts_op_table_fits(const struct ts_op *op, size_t port, const struct ts_data *table, const char **missing,
                      const char **surplus);

/* ---- The registry's inside (registry.c). ---- */

struct ts_op_entry {
  const struct ts_op_descriptor *descriptor;
  enum ts_op_origin origin;
  const char *source;                    /* copied */
  const struct ts_sha256 *source_digest; /* of source files, plugin or command; the version is joined here */
  bool shareable;
  const char *image; /* copied; NULL: none. See ts_op */
};
void ts_registry_add(struct ts_registry *registry, const struct ts_op_entry *entry);
struct ts_arena *ts_registry_arena(struct ts_registry *registry);          /* lives as long as the registry */
void ts_registry_take_library(struct ts_registry *registry, void *handle); /* dlclose at the end */
/* A fault at a place in `file` (line 0: whole file); returns it so that help can be added. */
struct ts_error *ts_op_fault(struct ts_faults *faults, const char *file, enum ts_error_code code, const char *format,
                             ...) TS_PRINTF(4, 5);
/* True, and a DUPLICATE_NAME fault, if an operation of this name is there already. */
bool ts_registry_is_taken(const struct ts_registry *registry, const char *name, const char *source,
                          struct ts_faults *faults);

/* ---- Digests (key.c). ---- */

/* The part of keys: SHA-256 over the version (u64, little endian) and the digest of the source. */
void ts_op_implementation(uint32_t version, const struct ts_sha256 *source_digest, struct ts_sha256 *implementation);
void ts_op_digest_number(struct ts_sha256_stream *stream, uint64_t number); /* adds it as u64, little endian */

/* ---- Plugins (plugin.c, plugin_image.c, elf.c). ---- */

/* The bytes of a plugin file as they were when it was opened (plugin_image.c). Never freed. */
struct ts_plugin_image {
  struct ts_sha256 digest; /* over the build id and the bytes */
  char *load_path;         /* owned: the copy, or the file itself */
  char shared_path[48];    /* the copy, for other processes of this machine while this one lives; "": none */
  bool loads_copy;
};
const struct ts_plugin_image *ts_plugin_image_open(const char *path, struct ts_error *err);
void ts_plugin_load(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults);
void ts_plugin_load_image(struct ts_registry *registry, const char *path, const struct ts_plugin_image *image,
                          struct ts_faults *faults);
/* Whether the system's loader can open the file: an ELF shared library of which no segment is cut off (touching the
 * missing part would end the process). `name` is the file's name in messages. */
bool ts_elf_check(const char *path, const char *name, struct ts_error *err);
/* The GNU build id of an ELF file: at most 64 bytes; *size 0 if it has none. */
bool ts_elf_build_id(const char *path, uint8_t id[64], size_t *size, struct ts_error *err);

/* ---- Commands (command_*.c). ---- */

struct ts_command_file {
  const char *name; /* borrowed from the arena: as the manifest names it */
  const char *path; /* borrowed from the arena: absolute */
  struct ts_sha256 digest;
  int64_t device, inode, size_bytes, modified_ns, changed_ns; /* when the digest was taken */
};

/* A command operation; lives in the registry's arena and is the descriptor's user pointer. */
struct ts_command {
  const char *manifest;     /* borrowed from the arena */
  const char *const *words; /* borrowed from the arena: program and arguments, files beside the manifest resolved */
  size_t word_count;
  struct ts_command_file *files; /* borrowed from the arena: the program, scripts and declared files */
  size_t file_count;
  double timeout_s; /* 0: none */
  bool complete;    /* nothing undeclared is used */
};

void ts_command_load(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults);
/* The program, words and files of a manifest; faults are added to the reader's list. */
struct ts_command *ts_command_resolve(const struct ts_reader *reader, const json_t *manifest, const char *real_path);
/* "columns", "ratios", "counts" and "objects" of a manifest into the descriptor, whose ports have been read
 * (command_tables.c). */
void ts_command_read_tables(const struct ts_reader *reader, const json_t *manifest,
                            struct ts_op_descriptor *descriptor);
/* "needs" of a manifest into the descriptor (command_needs.c). */
void ts_command_read_needs(const struct ts_reader *reader, const json_t *manifest, struct ts_op_descriptor *descriptor);
/* Takes the digest of one file and remembers its state. */
bool ts_command_file_measure(struct ts_command_file *file, struct ts_error *err);
/* SHA-256 over the manifest's text and every file: name (length, bytes) and digest each. */
void ts_command_digest(const struct ts_command *command, const struct ts_json_doc *manifest, struct ts_sha256 *digest);
/* Whether the files still have the digest; looks at contents only if times or sizes differ. */
bool ts_command_unchanged(const struct ts_command *command, struct ts_error *err);
int ts_command_run(struct ts_op_call *call); /* the run function of every command descriptor */
/* Writes inputs and the request of a call, of a command or of any other operation; false with the call's error set. */
struct ts_call_state;
bool ts_command_send(const struct ts_op_call *call, const char *folder, const char *request_path);
/* Writes the outputs of a finished call beside them. */
bool ts_call_leave_outputs(const struct ts_call_state *state, const char *folder);

/* ---- Processes (process.c). ---- */

/* The output of a process: the beginning and the end, bytes between them are only counted. */
struct ts_captured {
  struct ts_str head;
  struct ts_str tail;
  size_t left_out_bytes;
  struct ts_str errors; /* the end of what it wrote to its error output, which is part of the above, too */
};
void ts_captured_add(struct ts_captured *captured, const char *bytes, size_t size, bool is_error);
void ts_captured_print(const struct ts_captured *captured, struct ts_str *out);
/* The line that says most, "" if there is none; `text` holds `size` bytes. Of a process that failed: the exception of
 * Python's last traceback, or the last line of its error output, or of all its output. Otherwise the last line of its
 * error output that mentions a warning, or the last one. */
void ts_captured_remark(const struct ts_captured *captured, bool has_failed, char *text, size_t size);
void ts_captured_release(struct ts_captured *captured);

enum ts_process_end {
  TS_PROCESS_EXITED,
  TS_PROCESS_SIGNALLED,
  TS_PROCESS_TIMED_OUT,
  TS_PROCESS_CANCELLED,
  TS_PROCESS_FULL,   /* it wrote more than it may */
  TS_PROCESS_CROWDED /* with what others wrote meanwhile it is more than the budget */
};
struct ts_scratch_share;
struct ts_process {
  const char *const *words;       /* borrowed: program (absolute path) and arguments, NULL-terminated */
  const char *const *environment; /* borrowed, NULL-terminated */
  const char *folder;             /* borrowed: where it runs */
  double timeout_s;               /* 0: none */
  uint64_t most_bytes;            /* of one file that it writes, and of all in its folder; 0: no limit */
  struct ts_scratch_share *share; /* borrowed: where what is found in the folder is booked; NULL without a limit */
  const atomic_bool *cancelled;   /* borrowed; may be NULL */
  enum ts_process_end end;        /* result */
  int status;                     /* result: exit status, or number of the signal */
};
/* How long the folder is not measured again when so much of its limit is left and a look took look_ns: before it can be
 * full at 2 GB/s, from 1 to 250 ms, and never less than a look takes. */
uint64_t ts_process_next_look_ns(uint64_t left_bytes, uint64_t look_ns);
/* Runs a process in a group of its own, without a shell, with stdout and stderr captured; the whole group is gone
 * when this returns. False only if the process could not be started or watched. */
bool ts_process_run(struct ts_process *process, struct ts_captured *captured, struct ts_error *err);

/* ---- Calls (call.c). ---- */

/* The target of call->private_data. */
struct ts_call_state {
  struct ts_op *op;                    /* borrowed */
  struct ts_data *const *inputs;       /* borrowed */
  struct ts_data **outputs;            /* borrowed array of owned references, until the call has succeeded */
  const struct ts_op_context *context; /* borrowed, never NULL */
  struct ts_error *err;                /* borrowed, never NULL */
  struct ts_region place;              /* of the first pixel input: where outputs lie unless they say otherwise */
  const struct ts_type *type[TS_OP_MAX_PORTS]; /* declared by output_type; NULL: not declared */
  struct ts_region placed[TS_OP_MAX_PORTS];    /* by output_place, if has_place */
  bool has_place[TS_OP_MAX_PORTS];
  bool is_guarded[TS_OP_MAX_PORTS]; /* the operation writes into it itself; commands do not */
  uint64_t generation;              /* how often the state of the process was restored before; part of keys of parts */
  struct ts_memo *memo;             /* borrowed; NULL: parts are neither recalled nor remembered */
  struct ts_xxh128 parts_of;        /* identifies the operation in the keys of parts; set if there is a memo */
  void *opened;                     /* the operation's state, from ts_lifetime_open */
  bool was_called;                  /* the operation itself, after all checks */
  atomic_bool has_recalled;         /* a part, whichever thread asked */
};
bool ts_call_is_cancelled(const struct ts_call_state *state);
/* Makes the call of this state; outputs are NULL if it failed. */
bool ts_call_once(struct ts_call_state *state, const struct ts_value *parameters);
/* Runs the operation itself, counted, watched and alone if it must be; gives what it returned. */
int ts_call_run(struct ts_op *op, struct ts_op_call *call);

/* ---- What the operation sees (inputs.c). ---- */

struct ts_prepared {
  struct ts_op_view views[TS_OP_MAX_PORTS];
  struct ts_op_value values[TS_OP_MAX_PARAMETERS];
  const struct ts_op_view *inputs[TS_OP_MAX_PORTS];
  const struct ts_op_value *parameters[TS_OP_MAX_PARAMETERS];
};
/* Checks inputs and parameters and fills their views. */
bool ts_call_prepare(struct ts_call_state *state, const struct ts_value *parameters, struct ts_prepared *prepared);

/* ---- What it makes (outputs.c): host functions, and checks. ---- */

void *ts_call_output_pixels(struct ts_op_call *call, size_t port, int64_t width, int64_t height, int32_t channels,
                            enum ts_op_element element);
void *ts_call_output_region(struct ts_op_call *call, size_t port, const struct ts_op_place *place, int32_t channels,
                            enum ts_op_element element);
double *ts_call_output_table(struct ts_op_call *call, size_t port, size_t rows, size_t columns,
                             const char *const *names);
void *ts_call_output_bytes(struct ts_op_call *call, size_t port, size_t size_bytes);
void ts_call_output_place(struct ts_op_call *call, size_t port, const struct ts_op_place *given);
void ts_call_output_type(struct ts_op_call *call, size_t port, const char *type_name);
/* "operation 'x.y' ..." as OPERATION_CONTRACT. Returns false. */
bool ts_call_break_contract(const struct ts_call_state *state, const char *format, ...) TS_PRINTF(2, 3);
/* After the run, which returned a status: checks and finishes the outputs. */
bool ts_call_conclude(const struct ts_call_state *state, int status);
void ts_call_drop_outputs(struct ts_call_state *state);

/* ---- Checks on request (verify.c). ---- */

bool ts_call_is_verifying(void);
/* Runs with a check of the inputs before and after, of recalled parts, and of a variant against the own run. */
bool ts_call_run_verified(struct ts_call_state *state, struct ts_op_call *call);

/* ---- Open and close (lifetime.c). ---- */

struct ts_op_lifetime *ts_lifetime_create(const struct ts_op_descriptor *descriptor); /* NULL: it has no open */
void ts_lifetime_destroy(const struct ts_op *op);                                     /* closes what was opened */
/* Before a call: opens the operation if nobody has yet, and gives its state to the call. */
bool ts_lifetime_open(struct ts_call_state *call);

/* ---- Calls that the state of the process matters to (guarded_call.c). ---- */

/* Makes the call that `fresh` describes, again if the state of the process was changed meanwhile; fails with
 * OPERATION_DISTURBS if the operation did. */
bool ts_call_guarded(struct ts_call_state *fresh, const struct ts_value *parameters);

/* ---- Threads lent to the operation (lent.c). ---- */

size_t ts_lent_thread_count(const struct ts_op_call *call);
void ts_lent_parallel_for(struct ts_op_call *call, size_t count, void (*body)(void *argument, size_t index),
                          void *argument);

/* ---- Parts (parts.c): the host functions, and the beginning of a call. ---- */

void ts_parts_begin(struct ts_call_state *state, struct ts_memo *memo);
size_t ts_parts_recall(struct ts_op_call *call, const void *key, size_t key_bytes, void *value, size_t value_bytes);
void ts_parts_remember(struct ts_op_call *call, const void *key, size_t key_bytes, const void *value,
                       size_t value_bytes);
int ts_parts_input_digest(struct ts_op_call *call, size_t port, uint8_t digest[16]);

#endif
