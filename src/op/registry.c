/* The registry: every operation by name, wherever it comes from.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Filled before a run by one thread, only read afterwards; therefore it has no lock. */
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/map.h"
#include "op/implementation.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

struct ts_registry {
  struct ts_arena arena; /* owns source names and everything made from manifests */
  struct ts_op **ops;    /* owned, each of them owned too; in order of names */
  size_t count;
  size_t capacity;
  void **libraries; /* owned: handles of dlopen */
  size_t library_count;
  size_t library_capacity;
  struct ts_map files; /* real paths that were loaded */
  bool is_complete;
};

struct ts_registry *ts_registry_create(void) {
  return ts_calloc(1, sizeof(struct ts_registry));
}

static void destroy_op(struct ts_op *op) {
  ts_lifetime_destroy(op);
  if (op->lock) pthread_mutex_destroy(op->lock);
  free(op->lock);
  free(op);
}

void ts_registry_destroy(struct ts_registry *registry) {
  if (!registry) return;
  for (size_t i = 0; i < registry->count; i++) destroy_op(registry->ops[i]);
  for (size_t i = 0; i < registry->library_count; i++) dlclose(registry->libraries[i]);
  free(registry->ops);
  free(registry->libraries);
  ts_map_release(&registry->files);
  ts_arena_release(&registry->arena);
  free(registry);
}

struct ts_arena *ts_registry_arena(struct ts_registry *registry) {
  return &registry->arena;
}

void ts_registry_take_library(struct ts_registry *registry, void *handle) {
  registry->libraries =
      ts_grow(registry->libraries, registry->library_count, &registry->library_capacity, sizeof(*registry->libraries));
  registry->libraries[registry->library_count++] = handle;
}

/* Index of the first operation whose name is not less than `name`. */
static size_t lower_bound(const struct ts_registry *registry, const char *name) {
  size_t low = 0, high = registry->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(registry->ops[middle]->descriptor->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct ts_op *ts_registry_find(const struct ts_registry *registry, const char *name) {
  size_t index = lower_bound(registry, name);
  if (index == registry->count || strcmp(registry->ops[index]->descriptor->name, name) != 0) return NULL;
  return registry->ops[index];
}

size_t ts_registry_count(const struct ts_registry *registry) { return registry->count; }

struct ts_op *ts_registry_at(const struct ts_registry *registry, size_t index) {
  if (index >= registry->count) TS_BUG("operation %zu of %zu", index, registry->count);
  return registry->ops[index];
}

const char *ts_registry_nearest(const struct ts_registry *registry, const char *name) {
  const char **names = ts_calloc(registry->count + 1, sizeof(*names));
  for (size_t i = 0; i < registry->count; i++) names[i] = registry->ops[i]->descriptor->name;
  const char *nearest = ts_nearest_word(name, names, registry->count);
  free(names);
  return nearest;
}

static void *make_lock(const struct ts_op_descriptor *descriptor) {
  if (!descriptor->not_thread_safe) return NULL;
  pthread_mutex_t *lock = ts_malloc(sizeof(*lock));
  if (pthread_mutex_init(lock, NULL) != 0) TS_BUG("no mutex for '%s'", descriptor->name);
  return lock;
}

void ts_registry_add(struct ts_registry *registry, const struct ts_op_entry *entry) {
  const char *name = entry->descriptor->name;
  if (ts_registry_find(registry, name)) TS_BUG("operation '%s' is added twice", name);
  struct ts_op *op = ts_calloc(1, sizeof(*op));
  op->descriptor = entry->descriptor;
  op->origin = entry->origin;
  op->source = ts_arena_strdup(&registry->arena, entry->source);
  ts_op_implementation(entry->descriptor->version, entry->source_digest, &op->implementation);
  op->numeric = entry->descriptor->numeric ? entry->descriptor->numeric : "exact";
  op->image = entry->image ? ts_arena_strdup(&registry->arena, entry->image) : "";
  op->own = (struct ts_op_variant){.struct_bytes = sizeof op->own,
                                   .device = TS_OP_OWN_DEVICE,
                                   .run = entry->descriptor->run,
                                   .scratch_per_input_byte = entry->descriptor->scratch_per_input_byte};
  if (entry->descriptor->needs) op->needs = *entry->descriptor->needs;
  op->shareable = entry->shareable;
  atomic_init(&op->executions, 0);
  op->lock = make_lock(entry->descriptor);
  op->lifetime = ts_lifetime_create(entry->descriptor);
  registry->ops = ts_grow(registry->ops, registry->count, &registry->capacity, sizeof(struct ts_op *));
  size_t index = lower_bound(registry, name);
  memmove(registry->ops + index + 1, registry->ops + index, (registry->count - index) * sizeof(struct ts_op *));
  registry->ops[index] = op;
  registry->count++;
}

static int compare_implementation(const void *name, const void *implementation) {
  return strcmp(name, ((const struct ts_implementation *)implementation)->operation);
}

static void check_built_in(const struct ts_op_descriptor *descriptor) {
  ts_auto(ts_faults_release) struct ts_faults faults = {0};
  if (!ts_op_descriptor_check(descriptor, "", &faults)) TS_BUG("built-in operation: %s", faults.items[0].text);
}

void ts_registry_add_built_in(struct ts_registry *registry, const struct ts_op_descriptor *const *descriptors,
                              size_t count, const struct ts_implementation *implementations,
                              size_t implementation_count) {
  for (size_t i = 0; i < count; i++) {
    check_built_in(descriptors[i]);
    const struct ts_implementation *found = bsearch(descriptors[i]->name, implementations, implementation_count,
                                                    sizeof(*implementations), compare_implementation);
    if (!found) TS_BUG("operation '%s' has no implementation digest", descriptors[i]->name);
    struct ts_sha256 digest;
    memcpy(digest.bytes, found->digest, sizeof(digest.bytes));
    struct ts_op_entry entry = {descriptors[i], TS_OP_BUILT_IN, "", &digest, true, NULL};
    ts_registry_add(registry, &entry);
  }
}

struct ts_error *ts_op_fault(struct ts_faults *faults, const char *file, enum ts_error_code code, const char *format,
                             ...) {
  struct ts_error *err = ts_faults_add(faults);
  va_list args;
  va_start(args, format);
  ts_vfail(err, code, format, args);
  va_end(args);
  ts_error_place(err, file, 0, 0, "");
  return err;
}

bool ts_registry_is_taken(const struct ts_registry *registry, const char *name, const char *source,
                          struct ts_faults *faults) {
  const struct ts_op *op = ts_registry_find(registry, name);
  if (!op) return false;
  struct ts_error *err = op->origin == TS_OP_BUILT_IN
                             ? ts_op_fault(faults, source, TS_ERR_DUPLICATE_NAME, "operation '%s' is built in", name)
                             : ts_op_fault(faults, source, TS_ERR_DUPLICATE_NAME,
                                           "operation '%s' is defined already in '%s'", name, op->source);
  ts_error_help(err, "give the operation another name");
  return true;
}

static void load_file(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults) {
  if (ts_str_ends_with(path, ".so")) {
    ts_plugin_load(registry, path, real_path, faults);
  } else if (ts_str_ends_with(path, ".json")) {
    ts_command_load(registry, path, real_path, faults);
  } else {
    struct ts_error *err = ts_op_fault(faults, path, TS_ERR_PLUGIN, "'%s' is not a file of operations", path);
    ts_error_help(err, "name a shared library (.so) or a command manifest (.json)");
  }
}

bool ts_registry_load(struct ts_registry *registry, const char *path, struct ts_faults *faults) {
  ts_auto_free char *real_path = realpath(path, NULL);
  if (!real_path) {
    bool missing = errno == ENOENT || errno == ENOTDIR;
    struct ts_error *err = ts_op_fault(faults, path, missing ? TS_ERR_FILE_NOT_FOUND : TS_ERR_FILE_IO,
                                       "operation file '%s' cannot be opened: %s", path, strerror(errno));
    return ts_error_help(err, "check the path; a plugin must be compiled first");
  }
  if (ts_map_find_name(&registry->files, real_path)) return true;
  size_t before = faults->count;
  load_file(registry, path, real_path, faults);
  if (faults->count != before) return false;
  ts_map_insert_name(&registry->files, real_path, NULL);
  return true;
}

void ts_registry_complete(struct ts_registry *registry) { registry->is_complete = true; }

bool ts_registry_is_complete(const struct ts_registry *registry) { return registry->is_complete; }

static bool is_wanted(const struct ts_sha256 *implementation, const struct ts_op_identity *wanted) {
  return memcmp(implementation, &wanted->implementation, sizeof *implementation) == 0;
}

/* The digest of a plugin file is known before the file is loaded. */
static bool load_exact_plugin(struct ts_registry *registry, const char *path, const struct ts_op_identity *wanted,
                              struct ts_faults *faults) {
  struct ts_error ignored = {0};
  struct ts_sha256 implementation;
  const struct ts_plugin_image *image = ts_plugin_image_open(path, &ignored);
  if (!image) return false;
  ts_op_implementation(wanted->version, &image->digest, &implementation);
  if (!is_wanted(&implementation, wanted) || !ts_elf_check(image->load_path, path, &ignored)) return false;
  const size_t before = faults->count;
  ts_plugin_load_image(registry, path, image, faults);
  return faults->count == before;
}

/* Reading a manifest runs nothing: the command is read apart, and again if it is the one. */
static bool load_exact_command(struct ts_registry *registry, const char *path, const struct ts_op_identity *wanted,
                               struct ts_faults *faults) {
  struct ts_registry *apart = ts_registry_create();
  ts_auto(ts_faults_release) struct ts_faults ignored = {0};
  const struct ts_op *op = ts_registry_load(apart, path, &ignored) ? ts_registry_find(apart, wanted->name) : NULL;
  const bool is_right = op && is_wanted(&op->implementation, wanted);
  ts_registry_destroy(apart);
  return is_right && ts_registry_load(registry, path, faults);
}

/* A pipe would be waited for, and what it gives would be missing elsewhere. */
bool ts_registry_load_exact(struct ts_registry *registry, const char *path, const struct ts_op_identity *wanted,
                            struct ts_faults *faults) {
  struct stat state;
  if (stat(path, &state) != 0 || !S_ISREG(state.st_mode)) return false;
  return wanted->origin == TS_OP_PLUGIN ? load_exact_plugin(registry, path, wanted, faults)
                                        : load_exact_command(registry, path, wanted, faults);
}
