/* Chooses what 'store gc' removes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs first: an unfinished one is kept with all that it uses, and while it may still come to tasks that it has not
 * reached (one that is 'failed' has been everywhere), so are the other runs of its file. Of the finished ones those
 * stay that the request names. Then products: those of runs that are kept stay, the others go; with a size to reach,
 * those first that no run uses, then those whose seconds are least for their bytes. */
#include "api/store/gc_choice.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

void ts_gc_choice_release(struct gc_choice *choice) {
  free(choice->digests);
  *choice = (struct gc_choice){0};
}

/* ---- runs ---- */

/* "30d", "12h", "2w": seconds. */
static bool read_age(const char *text, int64_t *seconds) {
  static const struct {
    char letter;
    int64_t seconds;
  } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
  const size_t digits = strspn(text, "0123456789");
  int64_t number = 0;
  if (digits == 0 || digits > 6 || text[digits] == '\0' || text[digits + 1] != '\0') return false;
  for (size_t i = 0; i < digits; i++) number = 10 * number + (text[i] - '0');
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (text[digits] != units[i].letter) continue;
    *seconds = number * units[i].seconds;
    return true;
  }
  return false;
}

static bool is_finished(const struct usage_run *run) { return strcmp(run->row->state, "done") == 0; }

/* At another place, too: a project may have been moved. */
static bool has_same_file(const struct usage_run *one, const struct usage_run *other) {
  return strcmp(one->row->file, other->row->file) == 0 ||
         (strcmp(one->name, other->name) == 0 &&
          strcmp(ts_path_name(one->row->file), ts_path_name(other->row->file)) == 0);
}

static bool is_dropped(const struct usage_run *run, const struct ts_request *request) {
  for (size_t i = 0; i < request->dropped_count; i++)
    if (strcmp(request->dropped[i], run->row->id) == 0) return true;
  return false;
}

static bool check_dropped(const struct store_usage *usage, const struct ts_request *request, struct ts_issues *issues) {
  for (size_t i = 0; i < request->dropped_count; i++) {
    const char *id = request->dropped[i];
    const union ts_map_value *number = ts_map_find_name(&usage->by_run, id);
    struct ts_error err = {0};
    if (!number) {
      ts_fail(&err, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store", id);
      ts_error_help(&err, "see the runs with: tessera status");
    } else if (strcmp(usage->runs[number->number].row->state, "running") == 0) {
      ts_fail(&err, TS_ERR_USAGE, "run %s is running: what it needs cannot be dropped", id);
      ts_error_help(&err, "stop it first, or wait until it ends");
    }
    if (err.code != TS_ERR_OK) return ts_issues_fault(issues, &err);
  }
  return true;
}

static void keep_unfinished(struct store_usage *usage, const struct ts_request *request) {
  for (size_t i = 0; i < usage->run_count; i++) {
    struct usage_run *run = &usage->runs[i];
    if (is_finished(run) || is_dropped(run, request)) continue;
    run->kept_because = KEPT_UNFINISHED;
    if (strcmp(run->row->state, "failed") == 0) continue;
    for (size_t k = 0; k < usage->run_count; k++) {
      struct usage_run *other = &usage->runs[k];
      if (!other->kept_because && !is_dropped(other, request) && has_same_file(other, run))
        other->kept_because = KEPT_NEEDED;
    }
  }
}

/* What the request says about finished runs. */
struct wish {
  bool keeps_all;
  size_t newest;    /* so many */
  int64_t since_ns; /* and those that ended later */
};

static bool read_wish(const struct ts_request *request, int64_t now_ns, struct wish *wish, struct ts_issues *issues) {
  int64_t age_s = 0;
  wish->keeps_all = !request->has_keep_runs && !request->older_than && request->to_bytes == 0;
  wish->newest = request->has_keep_runs ? request->keep_runs : 0;
  wish->since_ns = INT64_MAX;
  if (!request->older_than) return true;
  if (!read_age(request->older_than, &age_s))
    return ts_issues_usage(issues, "give a number with m, h, d or w (minutes, hours, days, weeks), such as 30d",
                           "'%s' is not an age", request->older_than);
  wish->since_ns = now_ns - age_s * NS_PER_S;
  return true;
}

static void keep_finished(struct store_usage *usage, const struct ts_request *request, const struct wish *wish) {
  size_t seen = 0;
  for (size_t i = 0; i < usage->run_count; i++) {
    struct usage_run *run = &usage->runs[i];
    const int64_t ended = run->row->finished_unix_ns ? run->row->finished_unix_ns : run->row->started_unix_ns;
    if (is_dropped(run, request)) continue;
    const bool is_newest = is_finished(run) && seen++ < wish->newest;
    if (run->kept_because) continue;
    if (is_newest)
      run->kept_because = KEPT_NEWEST;
    else if (ended > wish->since_ns)
      run->kept_because = KEPT_YOUNG;
    else if (wish->keeps_all)
      run->kept_because = KEPT_ALL;
  }
}

/* ---- products ---- */

static void keep_product(void *user, struct store_usage *usage, uint32_t product) {
  (void)user;
  usage->products[product].is_kept = true;
}

struct candidate {
  uint32_t product;
  bool is_used;
  double seconds_per_byte;
};

static int compare_candidates(const void *a, const void *b) {
  const struct candidate *left = a, *right = b;
  if (left->is_used != right->is_used) return left->is_used ? 1 : -1;
  if (left->seconds_per_byte != right->seconds_per_byte)
    return left->seconds_per_byte < right->seconds_per_byte ? -1 : 1;
  return (left->product > right->product) - (left->product < right->product);
}

static size_t list_candidates(const struct store_usage *usage, struct candidate *candidates) {
  size_t count = 0;
  for (size_t i = 0; i < usage->product_count; i++) {
    const struct used_product *product = &usage->products[i];
    if (product->is_kept || product->is_text) continue;
    const double seconds = product->record == USAGE_NONE ? 0 : usage->records[product->record].seconds;
    candidates[count++] = (struct candidate){.product = (uint32_t)i,
                                             .is_used = product->user_count > 0,
                                             .seconds_per_byte = seconds / (double)(product->packed_bytes + 1)};
  }
  if (count > 0) qsort(candidates, count, sizeof *candidates, compare_candidates);
  return count;
}

/* A task with several products is computed once. */
static double seconds_of(struct store_usage *usage, const struct used_product *product) {
  if (product->record == USAGE_NONE) return 0;
  struct used_record *record = &usage->records[product->record];
  if (record->mark == usage->mark) return 0;
  record->mark = usage->mark;
  return record->seconds;
}

static void choose_product(struct gc_choice *choice, uint32_t number) {
  struct used_product *product = &choice->usage->products[number];
  product->is_chosen = true;
  choice->digests[choice->count++] = product->digest;
  choice->bytes += product->packed_bytes;
  choice->file_bytes += product->is_file ? product->packed_bytes : 0;
  choice->left_bytes -= product->packed_bytes < choice->left_bytes ? product->packed_bytes : choice->left_bytes;
  choice->seconds += seconds_of(choice->usage, product);
}

static void choose_products(struct gc_choice *choice, uint64_t to_bytes) {
  struct store_usage *usage = choice->usage;
  struct candidate *candidates = ts_calloc(usage->product_count + 1, sizeof *candidates);
  choice->digests = ts_calloc(usage->product_count + 1, sizeof *choice->digests);
  choice->left_bytes = usage->footprint.bytes - ts_usage_stray_bytes(usage);
  const size_t count = list_candidates(usage, candidates);
  usage->mark++;
  for (size_t i = 0; i < count && (to_bytes == 0 || choice->left_bytes > to_bytes); i++)
    choose_product(choice, candidates[i].product);
  free(candidates);
}

bool ts_gc_choose(struct gc_choice *choice, struct store_usage *usage, const struct ts_request *request,
                  int64_t now_unix_ns, struct ts_issues *issues) {
  struct wish wish;
  choice->usage = usage;
  if (!read_wish(request, now_unix_ns, &wish, issues) || !check_dropped(usage, request, issues)) return false;
  keep_unfinished(usage, request);
  keep_finished(usage, request, &wish);
  for (size_t i = 0; i < usage->run_count; i++)
    if (usage->runs[i].kept_because) ts_usage_walk(usage, i, keep_product, NULL);
  choose_products(choice, request->to_bytes);
  return true;
}
