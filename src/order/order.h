/* The work order: the document that describes a run without the paths of any machine, and what is made of it again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * "tessera.order/1" (docs/schema/order.schema.json): the texts of workflow and study, the operations and data files by
 * digest, the parameter sets, the wanted products, the options that change results and the settings that do not. It is
 * written when a run begins and kept with it; workers, --resume and 'store verify --recompute' read it. Locations, kept
 * beside it, say where a machine had the files: hints, which are believed only if the digest agrees.
 * Further rounds of a study are documents beside it. order_fields.c lists the members of a request, order_write.c makes
 * the document, order_sets.c its sets, order_read.c opens a project from it, order_locate.c finds its files,
 * order_keep.c puts it into the store. */
#ifndef TS_ORDER_ORDER_H
#define TS_ORDER_ORDER_H

#include "project/data/manifest.h"
#include "project/project.h"
#include "request/table.h"

#define TS_ORDER_SCHEMA       "tessera.order/1"
#define TS_ORDER_ROUND_SCHEMA "tessera.order-round/1"

struct ts_order {
  json_t *root;      /* owned */
  json_t *rounds;    /* owned: an array of the rounds after the first; NULL: it is not known whether there are any */
  json_t *locations; /* owned: {HOST: {DIGEST: [PATH, ...]}}; NULL: none are known */
  json_t *row;       /* owned: what the row of a recorded run says; NULL */
  const char *file;  /* borrowed: name of the study or workflow file, for messages; NULL: that of the order */
};
void ts_order_release(struct ts_order *order);
/* Whether this is a work order that this program reads; `whose` as in "run 1a2b3c4d". */
bool ts_order_check(const json_t *root, const char *whose, struct ts_error *err);
/* Fails because a document has another schema. */
bool ts_order_fail_format(const char *whose, const char *found, const char *wanted, struct ts_error *err);

/* ---- order_fields.c: fields of a request, by the part that the option table says they have ---- */
/* Adds what the request gives to the object. */
void ts_order_fields_write(const struct ts_request *request, enum ts_request_part part, json_t *object);
/* Sets what the request does not give; texts go to the arena. */
void ts_order_fields_restore(struct ts_arena *arena, const json_t *object, enum ts_request_part part,
                             struct ts_request *request);

/* ---- order_write.c ---- */
/* The order of a plan, for these sets. Without a plan (NULL) that of the project alone: no wanted products. A new
 * reference. */
json_t *ts_order_write(const struct ts_project *project, const struct ts_plan *plan, const struct ts_value *values,
                       size_t set_count);
/* Names, digests and sizes of the data; a new reference. */
json_t *ts_order_items(const struct ts_project *project);
/* Where this machine has the data and the operations; with_copies: also the copies of plugins that this process holds,
 * which end with it. A new reference. */
json_t *ts_order_locations(const struct ts_project *project, bool with_copies);
/* The canonical text (keys sorted, no blanks), to free; its SHA-256 is the fingerprint. */
char *ts_order_text(const json_t *root, struct ts_sha256 *fingerprint);

/* ---- order_read.c: a project from project.order ---- */
/* Sets what the run was asked for and the request does not give: options and settings, and places of a recorded run. */
void ts_order_restore(struct ts_arena *arena, const struct ts_order *order, struct ts_request *request);
/* The data that the run was begun with; NULL if that is not known. */
const json_t *ts_order_begun_items(const struct ts_order *order);
/* The products that the order wants, in the arena. NULL: an error. */
struct ts_source *ts_order_wanted(const struct ts_project *project, struct ts_arena *arena, size_t *count,
                                  struct ts_error *err);
/* How a project is opened from an order; sets the members that the files of a project would set. */
extern const struct ts_order_reader ts_order_reader;

/* ---- order_sets.c ---- */
/* Adds "space" and "sets". */
void ts_order_sets_write(json_t *document, const struct ts_workflow *workflow, const struct ts_value *values,
                         size_t set_count);
/* Round of `count` sets from number `first` on; `values` begins with set 0. A new reference. */
json_t *ts_order_round_write(const struct ts_workflow *workflow, const struct ts_value *values, size_t first,
                             size_t count);
/* The sets of project.order and of its rounds, once its workflow is read: rows of all parameters, in the arena. NULL:
 * an error. */
struct ts_value *ts_order_sets(const struct ts_project *project, struct ts_arena *arena, size_t *count,
                               struct ts_error *err);

/* ---- order_locate.c: files by digest ---- */
struct ts_order_finder;
struct ts_order_finder *ts_order_finder_create(struct ts_project *project, const struct ts_order *order,
                                               struct ts_issues *issues);
void ts_order_finder_destroy(struct ts_order_finder *finder);
/* Finds the file that an order calls {"name", "digest", "bytes"} and opens it; a fault if it is nowhere. */
bool ts_order_find_data(struct ts_order_finder *finder, const json_t *wanted, struct ts_item_source *source);
/* Loads the file of operations that holds this operation; a fault if it is nowhere. */
bool ts_order_find_operation(struct ts_order_finder *finder, const json_t *wanted);

/* ---- order_keep.c: orders in the store ---- */
/* Keeps the order and its locations; what the row of the run says about them, as a new reference. NULL: an error. */
json_t *ts_order_keep(const struct ts_project *project, const struct ts_plan *plan, const struct ts_value *values,
                      size_t set_count, struct ts_error *err);
/* Makes the sets from `first` to before `end` number `number` (from 0) of the rounds that the row names; another one,
 * and those behind it, go. Without sets, the rounds before it are all. *changed: the row says something else now. */
bool ts_order_keep_round(const struct ts_project *project, json_t *row, size_t number, const struct ts_value *values,
                         size_t first, size_t end, bool *changed, struct ts_error *err);
/* The order of a run. Its root is NULL if the run was begun by a program that kept none. Release in either case. */
bool ts_order_load(struct ts_store *store, const struct ts_run_row *row, struct ts_order *order, struct ts_error *err);
/* Where the row of a run says what it is about: the fingerprint of its order, that of its file's text, its name. */
const char *ts_order_row_text(const json_t *row, const char *name);
/* Digest of the text of the project's study or workflow file, as hexadecimal digits. */
void ts_order_file_digest(const struct ts_project *project, char hex[65]);

/* ---- runs.c: run records ---- */
/* A run that is continued; all zero: none is. */
struct ts_resumed {
  char id[9];                /* "" if none is continued */
  struct ts_request request; /* what it was asked; texts are in the arena of the project */
  struct ts_order order;     /* to release */
};
/* With --resume: finds the run; the project gets its request and its order. Before the dataset and the design are
 * read. */
bool ts_run_resume(struct ts_resumed *resumed, struct ts_project *project, const char *command,
                   struct ts_issues *issues);
/* A run while it goes on; all zero before. */
struct ts_recorded {
  char id[9];
  json_t *row;        /* owned: what its row says about its order */
  size_t set_count;   /* sets that the order and its rounds have, as far as this process asked for them */
  size_t round_count; /* of these rounds, without the first */
  uint64_t next_task; /* number of its next task row */
};
void ts_recorded_release(struct ts_recorded *run);
/* Begins the run of a plan with these sets, or goes on with it. */
bool ts_run_open(const struct ts_project *project, const struct ts_resumed *resumed, const struct ts_plan *plan,
                 const struct ts_value *values, size_t set_count, struct ts_recorded *run, struct ts_issues *issues);
/* Once the strategy was asked: keeps the sets behind those that are known as a further round, before they are run.
 * `values` are all sets so far; as many as before: there are no further rounds. */
bool ts_run_add_round(const struct ts_project *project, struct ts_recorded *run, const struct ts_value *values,
                      size_t set_count, struct ts_issues *issues);
void ts_run_close(struct ts_store *store, const char *id, const char *state, const json_t *result,
                  struct ts_issues *issues);
/* Whether a run is of the project's file (`same_file`, also if it was moved), or of a file in its folder. */
bool ts_run_is_near(const struct ts_project *project, const struct ts_run_row *row, bool same_file);
/* The row of the run that was asked for, or the last one of the command (NULL: of any). */
bool ts_run_find(struct ts_store *store, const char *asked, const char *command, struct ts_arena *arena,
                 struct ts_run_row *row, struct ts_issues *issues);

#endif
