/* The front's part of verifying: products by their digests, and the comparison with a store that was made from nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify.h"
#include "base/alloc.h"
#include "store/key_set.h"
#include "store/store_int.h"
#include "store/survey.h"

#include <string.h>

/* Digests of all products; a list, because what is damaged is removed meanwhile. */
struct digest_list {
  struct ts_sha256 *items; /* owned */
  size_t count, capacity;
};

static void add_digest(void *user, const struct ts_store_product *product) {
  struct digest_list *list = user;
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = product->digest;
}

static bool is_stopped(const volatile int *stop, struct ts_error *err) {
  return stop && *stop && !ts_fail(err, TS_ERR_CANCELLED, "stopped on request");
}

/* Loading compares the digest and removes what is damaged; a product that is then missing does not count any more. */
static bool verify_products(struct ts_store *store, const struct digest_list *list, const volatile int *stop,
                            struct ts_store_verification *found, struct ts_error *err) {
  for (size_t i = 0; i < list->count; i++) {
    struct ts_error trouble = {0};
    if (is_stopped(stop, err)) return false;
    struct ts_data *data = ts_store_load(store, &list->items[i], &trouble);
    ts_data_unref(data);
    found->products++;
    if (data) continue;
    if (trouble.code != TS_ERR_OK && trouble.code != TS_ERR_BAD_PRODUCT) {
      if (err && err->code == TS_ERR_OK) *err = trouble;
      return false;
    }
    found->damaged_products++;
  }
  return true;
}

bool ts_store_verify(struct ts_store *store, const volatile int *stop, struct ts_store_verification *found,
                     struct ts_error *err) {
  const struct ts_store_backend *backend = store->backend;
  memset(found, 0, sizeof *found);
  if (!backend->verify) return ts_store_backend_refuse(backend, "cannot be verified", err);
  if (!ts_store_check_writable(store, err) || !ts_store_flush(store, err)) return false;
  struct digest_list list = {0};
  const bool ok = backend->verify(store->state, found, err) &&
                  backend->product_list(store->state, add_digest, &list, err) &&
                  verify_products(store, &list, stop, found, err) && backend->sweep(store->state, found, err);
  free(list.items);
  return ok;
}

struct key_list {
  struct ts_key *items; /* owned */
  size_t count, capacity;
};

static void add_keys(void *user, const struct ts_key *key, const struct ts_key *content_key) {
  struct key_list *list = user;
  (void)content_key;
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = *key;
}

static bool has_same_outputs(const struct ts_record *a, const struct ts_record *b) {
  if (a->output_count != b->output_count) return false;
  for (size_t i = 0; i < a->output_count; i++) {
    if (strcmp(a->outputs[i].port, b->outputs[i].port) != 0) return false;
    if (memcmp(&a->outputs[i].digest, &b->outputs[i].digest, sizeof a->outputs[i].digest) != 0) return false;
  }
  return true;
}

/* A comparison under way. */
struct comparing {
  struct ts_store *store;                  /* borrowed */
  struct ts_store_comparison *result;      /* borrowed */
  struct ts_arena *arena;                  /* borrowed */
  size_t capacity;                         /* of the differences, which are the arena's in the end */
  struct ts_store_difference *differences; /* owned */
  struct ts_key_set inexact; /* records that need not come out the same, by their own doing or that of their inputs */
};

static bool remove_wrong(struct comparing *comparing, const struct ts_record *wrong, struct ts_error *err) {
  struct ts_store_comparison *result = comparing->result;
  comparing->differences =
      ts_grow(comparing->differences, result->difference_count, &comparing->capacity, sizeof *comparing->differences);
  comparing->differences[result->difference_count++] =
      (struct ts_store_difference){.key = wrong->key,
                                   .operation = ts_arena_strdup(comparing->arena, wrong->operation),
                                   .run = ts_arena_strdup(comparing->arena, wrong->run)};
  return comparing->store->backend->drop(comparing->store->state, &wrong->key, err);
}

/* Removes a record of the store that differs from a true one, under its key or its content key; *removed says
 * whether. */
static bool compare_once(struct comparing *comparing, enum ts_store_by by, const struct ts_record *truth, bool *removed,
                         struct ts_error *err) {
  const struct ts_key *key = by == TS_STORE_BY_KEY ? &truth->key : &truth->content_key;
  const struct ts_store_backend *backend = comparing->store->backend;
  ts_auto(ts_arena_release) struct ts_arena scratch = {0};
  struct ts_record there;
  struct ts_error trouble = {0};
  *removed = false;
  if (!backend->find(comparing->store->state, by, key, &scratch, &there, &trouble)) {
    if (trouble.code != TS_ERR_OK && err && err->code == TS_ERR_OK) *err = trouble;
    return trouble.code == TS_ERR_OK;
  }
  comparing->result->compared += by == TS_STORE_BY_KEY;
  if (has_same_outputs(truth, &there)) return true;
  *removed = true;
  return remove_wrong(comparing, &there, err);
}

/* Behind a wrong record of a content key there may be another one; of a key there is only one. */
static bool compare_by_content(struct comparing *comparing, const struct ts_record *truth, struct ts_error *err) {
  bool removed = true;
  while (removed) {
    if (!compare_once(comparing, TS_STORE_BY_CONTENT_KEY, truth, &removed, err)) return false;
  }
  return true;
}

/* Producers are recorded before their consumers. */
static bool has_inexact_input(const struct comparing *comparing, const struct ts_record *record) {
  for (size_t i = 0; i < record->input_count; i++) {
    if (ts_key_set_has(&comparing->inexact, ts_key_set_hash(&record->inputs[i].key))) return true;
  }
  return false;
}

static bool compare_record(struct comparing *comparing, struct ts_store *fresh, const struct ts_key *key,
                           struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena scratch = {0};
  struct ts_record truth;
  if (!ts_store_find(fresh, key, &scratch, &truth, err)) return !err || err->code == TS_ERR_OK;
  const bool is_exact = strcmp(truth.numeric, "exact") == 0;
  const bool is_determined = is_exact && !has_inexact_input(comparing, &truth);
  bool removed;
  if (!is_determined) ts_key_set_add(&comparing->inexact, ts_key_set_hash(&truth.key));
  comparing->result->inexact += !is_determined;
  if (is_determined && !compare_once(comparing, TS_STORE_BY_KEY, &truth, &removed, err)) return false;
  return !is_exact || compare_by_content(comparing, &truth, err);
}

bool ts_store_compare(struct ts_store *store, struct ts_store *fresh, struct ts_arena *arena,
                      struct ts_store_comparison *result, struct ts_error *err) {
  struct key_list keys = {0};
  struct comparing comparing = {.store = store, .result = result, .arena = arena};
  uint64_t mark = 0;
  memset(result, 0, sizeof *result);
  if (!store->backend->drop || !fresh->backend->keys)
    return ts_store_backend_refuse(store->backend, "cannot be verified", err);
  bool ok = fresh->backend->keys(fresh->state, &mark, add_keys, &keys, err);
  for (size_t i = 0; ok && i < keys.count; i++) ok = compare_record(&comparing, fresh, &keys.items[i], err);
  result->differences =
      ts_arena_memdup(arena, comparing.differences, result->difference_count * sizeof *comparing.differences);
  free(comparing.differences);
  ts_key_set_release(&comparing.inexact);
  free(keys.items);
  return ok;
}
