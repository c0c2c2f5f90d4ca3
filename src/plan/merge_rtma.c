/* RTMA: full buckets cut from the reuse tree, bottom up; members left of one first task stay together.
 * SPDX-License-Identifier: Apache-2.0
 *
 * At each level, from the leaves up, the members that are left below a node are cut into buckets of exactly the wanted
 * size; the rest moves up one level. Members left below a node of the first level become one bucket, and small buckets
 * are then put together first-fit, so that no worker gets a fragment without need. */
#include "plan/bucket_int.h"

#include "base/alloc.h"

struct cutter {
  const struct ts_reuse_tree *tree; /* borrowed */
  size_t size;
  uint32_t *bucket_of; /* borrowed */
  uint32_t *left;      /* owned: ranks that are in no bucket yet, ascending */
  size_t left_count;
  uint32_t bucket_count;
};

static void cut_bucket(struct cutter *c, const uint32_t *ranks, size_t count) {
  for (size_t i = 0; i < count; i++) c->bucket_of[c->tree->order[ranks[i]]] = c->bucket_count;
  c->bucket_count++;
}

/* One level: the groups of the next deeper level that remain are all smaller than a bucket. Cutting starts with the
 * first group, hence the rest is the end of the last one. */
static void cut_level(struct cutter *c, size_t depth) {
  size_t kept = 0;
  for (size_t first = 0; first < c->left_count;) {
    size_t end = ts_tree_interval_end(c->tree, c->left, c->left_count, first, depth);
    for (; end - first >= c->size; first += c->size) cut_bucket(c, c->left + first, c->size);
    for (; first < end; first++) c->left[kept++] = c->left[first];
  }
  c->left_count = kept;
}

/* First fit by a tree of free places: node i has the most free places of the buckets below it. */
struct places {
  uint32_t *most; /* owned: 2 * width nodes, root 1 */
  size_t width;   /* a power of two */
};

static size_t find_place(struct places *places, uint32_t need) {
  size_t node = 1;
  while (node < places->width) node = places->most[2 * node] >= need ? 2 * node : 2 * node + 1;
  size_t found = node - places->width;
  places->most[node] -= need;
  for (node /= 2; node >= 1; node /= 2) {
    uint32_t a = places->most[2 * node], b = places->most[2 * node + 1];
    places->most[node] = a > b ? a : b;
  }
  return found;
}

struct group {
  uint32_t first, count;
};

static int compare_groups(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* Largest groups first, each into the first bucket that has room. */
static void fit_groups(struct cutter *c, struct group *groups, size_t count) {
  struct places places = {.width = 1};
  while (places.width < count) places.width *= 2;
  places.most = ts_malloc(2 * places.width * sizeof *places.most);
  size_t room = c->size < c->left_count ? c->size : c->left_count;
  for (size_t i = 0; i < 2 * places.width; i++) places.most[i] = (uint32_t)room;
  qsort(groups, count, sizeof *groups, compare_groups);
  for (size_t g = 0; g < count; g++) {
    uint32_t bucket = c->bucket_count + (uint32_t)find_place(&places, groups[g].count);
    for (size_t i = 0; i < groups[g].count; i++) c->bucket_of[c->tree->order[c->left[groups[g].first + i]]] = bucket;
  }
  free(places.most);
}

static void fit_rest(struct cutter *c) {
  ts_auto_free struct group *groups = ts_malloc((c->left_count + 1) * sizeof *groups);
  size_t count = 0;
  for (size_t first = 0; first < c->left_count;) {
    size_t end = ts_tree_interval_end(c->tree, c->left, c->left_count, first, 0);
    groups[count++] = (struct group){(uint32_t)first, (uint32_t)(end - first)};
    first = end;
  }
  if (count > 0) fit_groups(c, groups, count);
}

static bool merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                  struct ts_error *err) {
  (void)err;
  size_t members = tree->input->member_count;
  struct cutter c = {.tree = tree, .size = options->max_bucket_size, .bucket_of = bucket_of, .left_count = members};
  if (tree->input->task_count == 0) return ts_merger_naive.merge(tree, options, bucket_of, err);
  c.left = ts_malloc(members * sizeof *c.left);
  for (size_t r = 0; r < members; r++) c.left[r] = (uint32_t)r;
  for (size_t d = tree->input->task_count; d-- > 0;) cut_level(&c, d);
  fit_rest(&c);
  free(c.left);
  return true;
}

const struct ts_merger ts_merger_rtma = {.name = "rtma",
                                         .help = "full buckets of --max-bucket-size from the reuse tree, bottom up",
                                         .needs_size = true,
                                         .merge = merge};
