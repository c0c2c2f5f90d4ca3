/* The work order: the document that describes a run without the paths of any machine, and what is made of it again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * "tessera.order/1" (docs/schema/order.schema.json): the texts of workflow and study, the operations and data files by
 * digest, the parameter sets, the wanted products, the options that change results and the settings that do not. It is
 * written when a run begins and kept with it; workers, --resume and 'store verify --recompute' read it. Locations, kept
 * beside it, say where a machine had the files: hints, which are believed only if the digest agrees.
 * order_fields.c lists the members of a request, order_write.c makes the document, order_read.c opens a session from
 * it, order_locate.c finds its files, order_keep.c puts it into the store. */
#ifndef TS_STUDY_ORDER_H
#define TS_STUDY_ORDER_H

#include "study/manifest.h"
#include "study/study_int.h"

#define TS_ORDER_SCHEMA "tessera.order/1"

struct ts_order {
  json_t *root;      /* owned */
  json_t *locations; /* owned: {HOST: {DIGEST: [PATH, ...]}}; NULL: none are known */
  json_t *row;       /* owned: what the row of a recorded run says; NULL */
  const char *file;  /* borrowed: name of the study or workflow file, for messages; NULL: that of the order */
};
void ts_order_release(struct ts_order *order);
/* Whether this is a work order that this program reads; `whose` as in "run 1a2b3c4d". */
bool ts_order_check(const json_t *root, const char *whose, struct ts_error *err);

/* ---- order_fields.c: members of a request ---- */
enum ts_order_part {
  TS_ORDER_UNKNOWN,  /* no member of this name */
  TS_ORDER_OPTIONS,  /* change results */
  TS_ORDER_SETTINGS, /* do not */
  TS_ORDER_PLACES,   /* paths as the user wrote them: kept beside the order */
  TS_ORDER_LEFT_OUT, /* belong to a call, not to a run; or part of another member */
};
enum ts_order_part ts_order_part_of(const char *member); /* name of the member of ts_request */
/* Adds what the request gives to the object. */
void ts_order_fields_write(const struct ts_request *request, enum ts_order_part part, json_t *object);
/* Sets what the request does not give; texts go to the arena. */
void ts_order_fields_restore(struct ts_arena *arena, const json_t *object, enum ts_order_part part,
                             struct ts_request *request);

/* ---- order_write.c ---- */
/* The order of a plan; `values` are its sets. A new reference. */
json_t *ts_order_write(const struct session *s, const struct ts_plan *plan, const struct ts_value *values);
/* Names, digests and sizes of the data; a new reference. */
json_t *ts_order_items(const struct session *s);
/* Where this machine has the data and the operations; with_copies: also the copies of plugins that this process holds,
 * which end with it. A new reference. */
json_t *ts_order_locations(const struct session *s, bool with_copies);
/* The canonical text (keys sorted, no blanks), to free; its SHA-256 is the fingerprint. */
char *ts_order_text(const json_t *root, struct ts_sha256 *fingerprint);

/* ---- order_read.c: a session from session.order ---- */
/* Sets what the run was asked for and the request does not give: options and settings, and places of a recorded run. */
void ts_order_restore(struct ts_arena *arena, const struct ts_order *order, struct ts_request *request);
/* In place of ts_session_read's files: study, operations, workflow. */
bool ts_order_read(struct session *s);
/* The data that the run was begun with; NULL if that is not known. */
const json_t *ts_order_begun_items(const struct ts_order *order);
/* The plan of the order, once the dataset is open. The values are in the session's arena. */
struct ts_plan *ts_order_plan(struct session *s, struct ts_error *err);
/* Files of the order's items: files[i] gets those of input i, *groups the values of the groups. False with faults if
 * one of them is not to be found. */
bool ts_order_list_files(struct session *s, const struct ts_order *order, struct paths *files,
                         const char *const **groups);

/* ---- order_locate.c: files by digest ---- */
struct ts_order_finder;
struct ts_order_finder *ts_order_finder_create(struct session *s, const struct ts_order *order);
void ts_order_finder_destroy(struct ts_order_finder *finder);
/* Finds the file that an order calls {"name", "digest", "bytes"} and opens it; a fault if it is nowhere. */
bool ts_order_find_data(struct ts_order_finder *finder, const json_t *wanted, struct ts_item_source *source);
/* Loads the file of operations that holds this operation; a fault if it is nowhere. */
bool ts_order_find_operation(struct ts_order_finder *finder, const json_t *wanted);
/* Whether an option or the environment says where data is. */
bool ts_order_has_data_roots(const struct session *s);

/* ---- study.c, run_command.c: a recorded run again ---- */
/* As ts_study and ts_run_workflow, with the order in place of the files of the project. */
int ts_study_of(const struct ts_request *request, const struct ts_order *order, char **reply);
int ts_run_of(const struct ts_request *request, const struct ts_order *order, char **reply);

/* ---- order_keep.c: orders in the store ---- */
/* Keeps the order and its locations; what the row of the run says about them. To free; NULL with an error. */
char *ts_order_keep(struct session *s, const struct ts_plan *plan, const struct ts_value *values, struct ts_error *err);
/* The order of a run. Its root is NULL if the run was begun by a program that kept none. Release in either case. */
bool ts_order_load(struct ts_store *store, const struct ts_run_row *row, struct ts_order *order, struct ts_error *err);
/* Where the row of a run says what it is about: the fingerprint of its order, that of its file's text, its name. */
const char *ts_order_row_text(const json_t *row, const char *name);
/* Digest of the text of the session's study or workflow file, as hexadecimal digits. */
void ts_order_file_digest(const struct session *s, char hex[65]);

#endif
