/* Finds the files of a work order on this machine: by name and size where they may be, by digest whether they are.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Looked at in this order: the folders that --data-root or --operations and the environment name, the places where the
 * order's locations had them on this machine, beside the study file, and anywhere below the named folders. */
#include "order/order.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/machine/machine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_FILES ((size_t)1 << 20) /* below all folders: a search through a whole disk is a mistake */
#define DEEPEST    32

struct found_file {
  uint64_t bytes;
  const char *path; /* borrowed from the arena */
};

struct ts_order_finder {
  struct ts_project *project;   /* borrowed */
  struct ts_issues *issues;     /* borrowed */
  const json_t *hints;          /* borrowed: {DIGEST: [PATH, ...]} of this machine; NULL */
  const char **roots, **places; /* borrowed from the arena: folders of data, of operations */
  size_t root_count, place_count;
  struct found_file *files; /* owned: all files below the roots, by size; NULL until they are needed */
  size_t file_count, file_capacity;
  bool has_searched;
  bool has_seen_other; /* a file in one of the places was another one */
};

/* The folders of an option, then those of a variable's text, which separates them by colons. In the arena. */
static const char **folders_of(struct ts_project *project, const char *const *given, size_t given_count,
                               const char *text, size_t *count) {
  size_t most = given_count + 1;
  for (const char *c = text; c && *c; c++) most += *c == ':';
  const char **folders = ts_arena_array(&project->arena, most, sizeof *folders);
  *count = 0;
  for (size_t i = 0; i < given_count; i++)
    folders[(*count)++] = ts_request_path(project->request, &project->arena, given[i]);
  while (text && *text) {
    const size_t length = strcspn(text, ":");
    if (length > 0)
      folders[(*count)++] =
          ts_request_path(project->request, &project->arena, ts_arena_strndup(&project->arena, text, length));
    text += length + (text[length] == ':');
  }
  return folders;
}

struct ts_order_finder *ts_order_finder_create(struct ts_project *project, const struct ts_order *order,
                                               struct ts_issues *issues) {
  const struct ts_request *r = project->request;
  struct ts_order_finder *finder = ts_calloc(1, sizeof *finder);
  finder->project = project;
  finder->issues = issues;
  finder->hints = json_object_get(order->locations, ts_machine_id());
  finder->roots = folders_of(project, r->data_roots, r->data_root_count, getenv("TESSERA_DATA"), &finder->root_count);
  finder->places =
      folders_of(project, r->operations, r->operations_count, getenv("TESSERA_OPERATIONS"), &finder->place_count);
  return finder;
}

void ts_order_finder_destroy(struct ts_order_finder *finder) {
  if (!finder) return;
  free(finder->files);
  free(finder);
}

/* A path of the locations: text, or "hex:" and digits where it is not UTF-8. NULL: neither. */
static const char *hint_path(struct ts_order_finder *finder, const json_t *hint) {
  const char *text = json_string_value(hint);
  if (!text || strncmp(text, "hex:", 4) != 0) return text;
  const size_t count = (strlen(text) - 4) / 2;
  char *path = ts_arena_alloc(&finder->project->arena, count + 1);
  return ts_hex_decode(text + 4, (uint8_t *)path, count) ? path : NULL;
}

/* ---- everything below the roots ---- */
static void add_file(struct ts_order_finder *finder, const char *path, uint64_t bytes) {
  finder->files = ts_grow(finder->files, finder->file_count, &finder->file_capacity, sizeof *finder->files);
  finder->files[finder->file_count++] = (struct found_file){bytes, ts_arena_strdup(&finder->project->arena, path)};
}

static void walk(struct ts_order_finder *finder, const char *folder, int depth) {
  DIR *dir = depth < DEEPEST ? opendir(folder) : NULL;
  for (struct dirent *entry; dir && finder->file_count < MOST_FILES && (entry = readdir(dir));) {
    struct stat state;
    if (entry->d_name[0] == '.') continue;
    ts_auto_free char *path = ts_path_join(folder, entry->d_name);
    if (lstat(path, &state) != 0) continue;
    if (S_ISDIR(state.st_mode)) walk(finder, path, depth + 1);
    if (S_ISREG(state.st_mode)) add_file(finder, path, (uint64_t)state.st_size);
  }
  if (dir) closedir(dir);
}

static int compare_files(const void *a, const void *b) {
  const struct found_file *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return strcmp(x->path, y->path);
}

static void search_roots(struct ts_order_finder *finder) {
  if (finder->has_searched) return;
  finder->has_searched = true;
  for (size_t i = 0; i < finder->root_count; i++) walk(finder, finder->roots[i], 0);
  if (finder->file_count > 0) qsort(finder->files, finder->file_count, sizeof *finder->files, compare_files);
}

/* ---- data ---- */
struct wanted_file {
  const char *name;
  const char *hex; /* the digest as digits */
  struct ts_sha256 digest;
  uint64_t bytes;
};

static bool read_wanted(const json_t *object, struct wanted_file *wanted) {
  wanted->name = json_string_value(json_object_get(object, "name"));
  wanted->hex = json_string_value(json_object_get(object, "digest"));
  wanted->bytes = (uint64_t)json_integer_value(json_object_get(object, "bytes"));
  return wanted->name && wanted->hex && strlen(wanted->hex) == 64 &&
         ts_hex_decode(wanted->hex, wanted->digest.bytes, sizeof wanted->digest.bytes);
}

/* Whether the file is the one; the digest is taken only of a file of the same size. */
static bool is_it(struct ts_order_finder *finder, const char *path, const struct wanted_file *wanted,
                  struct ts_item_source *source) {
  struct stat state;
  struct ts_error ignored = {0};
  struct ts_item_source found = {0};
  if (!path || stat(path, &state) != 0 || !S_ISREG(state.st_mode)) return false;
  finder->has_seen_other = true;
  if ((uint64_t)state.st_size != wanted->bytes ||
      !ts_source_open(finder->project->store, &finder->project->arena, path, &found, &ignored))
    return false;
  if (memcmp(&found.digest, &wanted->digest, sizeof found.digest) != 0) return false;
  *source = found;
  return true;
}

static bool is_in(struct ts_order_finder *finder, const char *folder, const char *name,
                  const struct wanted_file *wanted, struct ts_item_source *source) {
  ts_auto_free char *path = ts_path_join(folder, name);
  return name[0] != '/' && is_it(finder, ts_arena_strdup(&finder->project->arena, path), wanted, source);
}

static bool is_hinted(struct ts_order_finder *finder, const struct wanted_file *wanted, struct ts_item_source *source) {
  const json_t *hints = json_object_get(finder->hints, wanted->hex);
  for (size_t i = 0; i < json_array_size(hints); i++)
    if (is_it(finder, hint_path(finder, json_array_get(hints, i)), wanted, source)) return true;
  return false;
}

static bool is_below_roots(struct ts_order_finder *finder, const struct wanted_file *wanted,
                           struct ts_item_source *source) {
  search_roots(finder);
  size_t low = 0, high = finder->file_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (finder->files[middle].bytes < wanted->bytes)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < finder->file_count && finder->files[low].bytes == wanted->bytes; low++)
    if (is_it(finder, finder->files[low].path, wanted, source)) return true;
  return false;
}

static void complain_data(struct ts_order_finder *finder, const struct wanted_file *wanted) {
  struct ts_error err = {0};
  if (finder->has_seen_other)
    ts_fail(&err, TS_ERR_DATA_CHANGED, "'%s' has other content than when the run began (SHA-256 %.16s)", wanted->name,
            wanted->hex);
  else
    ts_fail(&err, TS_ERR_FILE_NOT_FOUND, "there is no file '%s' with the content of when the run began (SHA-256 %.16s)",
            wanted->name, wanted->hex);
  ts_error_help(&err, "name a folder that has it with --data-root DIR or TESSERA_DATA, or start a new run");
  ts_issues_fault(finder->issues, &err);
}

static bool bad_order(struct ts_order_finder *finder) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_STORE_FORMAT, "the work order of the run makes no sense");
  ts_error_help(&err, "start the run again; if that happens often, check the store with: tessera store verify");
  return ts_issues_fault(finder->issues, &err);
}

bool ts_order_find_data(struct ts_order_finder *finder, const json_t *object, struct ts_item_source *source) {
  struct wanted_file wanted;
  if (!read_wanted(object, &wanted)) return bad_order(finder);
  const char *last = ts_path_name(wanted.name);
  finder->has_seen_other = false;
  for (size_t i = 0; i < finder->root_count; i++)
    if (is_in(finder, finder->roots[i], wanted.name, &wanted, source) ||
        (last != wanted.name && is_in(finder, finder->roots[i], last, &wanted, source)))
      return true;
  const char *beside = finder->project->study.folder;
  if (is_hinted(finder, &wanted, source) || (beside && is_in(finder, beside, wanted.name, &wanted, source)) ||
      is_below_roots(finder, &wanted, source))
    return true;
  complain_data(finder, &wanted);
  return false;
}

/* ---- operations ---- */
static bool read_identity(const json_t *object, struct ts_op_identity *wanted, const char **file) {
  const char *origin = json_string_value(json_object_get(object, "origin"));
  const char *hex = json_string_value(json_object_get(object, "digest"));
  wanted->name = json_string_value(json_object_get(object, "name"));
  wanted->version = (uint32_t)json_integer_value(json_object_get(object, "version"));
  *file = json_string_value(json_object_get(object, "file"));
  if (!origin || !hex || !wanted->name || strlen(hex) != 64) return false;
  wanted->origin = strcmp(origin, "plugin") == 0    ? TS_OP_PLUGIN
                   : strcmp(origin, "command") == 0 ? TS_OP_COMMAND
                                                    : TS_OP_BUILT_IN;
  return ts_hex_decode(hex, wanted->implementation.bytes, 32) && (wanted->origin == TS_OP_BUILT_IN || *file);
}

static bool load_from(struct ts_order_finder *finder, const char *folder, const char *file,
                      const struct ts_op_identity *wanted) {
  ts_auto_free char *path = ts_path_join(folder, ts_path_name(file));
  return ts_registry_load_exact(finder->project->registry, path, wanted, &finder->issues->faults);
}

static void load(struct ts_order_finder *finder, const json_t *hints, const char *file,
                 const struct ts_op_identity *wanted) {
  bool is_loaded = false;
  for (size_t i = 0; !is_loaded && i < finder->place_count; i++)
    is_loaded = load_from(finder, finder->places[i], file, wanted);
  for (size_t i = 0; !is_loaded && i < json_array_size(hints); i++) {
    const char *path = hint_path(finder, json_array_get(hints, i));
    is_loaded = path && ts_registry_load_exact(finder->project->registry, path, wanted, &finder->issues->faults);
  }
  if (!is_loaded && finder->project->study.folder) load_from(finder, finder->project->study.folder, file, wanted);
}

static bool has_implementation(const struct ts_op *op, const struct ts_op_identity *wanted) {
  return op && memcmp(&op->implementation, &wanted->implementation, sizeof op->implementation) == 0;
}

static void complain_operation(struct ts_order_finder *finder, const struct ts_op_identity *wanted, const char *file) {
  struct ts_error err = {0};
  if (wanted->origin == TS_OP_BUILT_IN) {
    ts_fail(&err, TS_ERR_PLUGIN, "the operation '%s' of this program is another one than when the run began",
            wanted->name);
    ts_error_help(&err, "use the program that began the run, or start a new run");
  } else {
    ts_fail(&err, TS_ERR_PLUGIN, "there is no file '%s' with the operation '%s' as it was when the run began", file,
            wanted->name);
    ts_error_help(&err, "name a folder that has the file unchanged with --operations DIR or TESSERA_OPERATIONS, or "
                        "start a new run");
  }
  ts_issues_fault(finder->issues, &err);
}

bool ts_order_find_operation(struct ts_order_finder *finder, const json_t *object) {
  struct ts_op_identity wanted;
  const char *file = NULL;
  const size_t before = finder->issues->faults.count;
  if (!read_identity(object, &wanted, &file)) return bad_order(finder);
  const char *hex = json_string_value(json_object_get(object, "digest"));
  if (!ts_registry_find(finder->project->registry, wanted.name) && wanted.origin != TS_OP_BUILT_IN)
    load(finder, json_object_get(finder->hints, hex), file, &wanted);
  if (finder->issues->faults.count > before) return false;
  if (has_implementation(ts_registry_find(finder->project->registry, wanted.name), &wanted)) return true;
  complain_operation(finder, &wanted, file);
  return false;
}
