/* Plugins: shared libraries that export tessera_operations.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything of a plugin is checked before it is used: the API number of a descriptor comes first, then its size,
 * then its fields. Either all operations of a plugin are added or none. */
#include "op/op_int.h"
#include "op/state_int.h"

#include <dlfcn.h>
#include <string.h>

#define MAX_OPERATIONS 1024

#define MOVING_PAGE "docs/plugins-from-api-1.md"

void ts_op_refuse_api(const char *path, uint32_t api, struct ts_faults *faults) {
  struct ts_error *err =
      ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' was written for operation API %u, this tessera has API %d",
                  path, (unsigned)api, TESSERA_OP_API);
  if (api < TESSERA_OP_API)
    ts_error_help(err, "change it as " MOVING_PAGE " shows, and compile it with the tessera_op.h of this tessera");
  else
    ts_error_help(err, "compile it with the tessera_op.h of this tessera");
}

static void check_twin(const struct ts_op_descriptor *const *operations, size_t index, const char *path,
                       struct ts_faults *faults) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(operations[i]->name, operations[index]->name) == 0)
      ts_op_fault(faults, path, TS_ERR_DUPLICATE_NAME, "plugin '%s' has operation '%s' twice", path,
                  operations[index]->name);
}

/* Copies of the plugin's descriptors in the registry's arena; NULL if one of them is bad or its name taken. */
static const struct ts_op_descriptor *const *adopt_all(struct ts_registry *registry,
                                                       const struct ts_op_descriptor *const *given, size_t count,
                                                       const char *path, struct ts_faults *faults) {
  const size_t before = faults->count;
  bool complete = true;
  struct ts_arena *arena = ts_registry_arena(registry);
  const struct ts_op_descriptor **own = ts_arena_array(arena, count, sizeof *own);
  for (size_t i = 0; i < count; i++) {
    own[i] = ts_op_adopt(arena, given[i], path, faults);
    complete = complete && own[i];
    if (own[i] && ts_op_descriptor_check(own[i], path, faults))
      ts_registry_is_taken(registry, own[i]->name, path, faults);
  }
  if (!complete || faults->count != before) return NULL;
  for (size_t i = 0; i < count; i++) check_twin(own, i, path, faults);
  return faults->count == before ? own : NULL;
}

/* A plugin that declines our API number: if it takes an earlier one, its author gets to know what has changed. */
static void refuse_unwilling(tessera_operations_function ask, const char *path, struct ts_faults *faults) {
  for (uint32_t api = TESSERA_OP_API - 1; api >= 1; api--) {
    size_t count = 0;
    if (!ask(api, &count)) continue;
    ts_op_refuse_api(path, api, faults);
    return;
  }
  struct ts_error *err =
      ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' cannot work with operation API %d", path, TESSERA_OP_API);
  ts_error_help(err, "compile it with the tessera_op.h of this tessera");
}

/* The plugin's list, or NULL with a fault. */
static const struct ts_op_descriptor *const *ask_operations(void *library, const char *path, size_t *count,
                                                            struct ts_faults *faults) {
  tessera_operations_function ask = NULL;
  *(void **)&ask = dlsym(library, "tessera_operations");
  if (!ask) {
    struct ts_error *err =
        ts_op_fault(faults, path, TS_ERR_PLUGIN, "'%s' is not a plugin: it does not export 'tessera_operations'", path);
    ts_error_help(err, "see tessera_op.h for what a plugin exports; check the library's symbol visibility");
    return NULL;
  }
  const struct ts_op_descriptor *const *operations = ask(TESSERA_OP_API, count);
  if (!operations) {
    refuse_unwilling(ask, path, faults);
    return NULL;
  }
  if (*count == 0 || *count > MAX_OPERATIONS) {
    ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' lists %zu operations; 1 to %d are possible", path, *count,
                MAX_OPERATIONS);
    return NULL;
  }
  return operations;
}

static bool add_operations(struct ts_registry *registry, void *library, const char *path,
                           const struct ts_plugin_image *image, struct ts_faults *faults) {
  size_t count = 0;
  const struct ts_op_descriptor *const *operations = ask_operations(library, path, &count, faults);
  if (operations) operations = adopt_all(registry, operations, count, path, faults);
  if (!operations) return false;
  for (size_t i = 0; i < count; i++) {
    struct ts_op_entry entry = {operations[i], TS_OP_PLUGIN, path, &image->digest, true, image->shared_path};
    ts_registry_add(registry, &entry);
  }
  return true;
}

/* Why the system's loader refused, without the name that the file has in /proc. */
static const char *reason_of(const struct ts_plugin_image *image) {
  const char *reason = dlerror();
  const size_t length = strlen(image->load_path);
  if (!reason) return "the system gives no reason";
  return strncmp(reason, image->load_path, length) == 0 && strncmp(reason + length, ": ", 2) == 0 ? reason + length + 2
                                                                                                  : reason;
}

static void load(struct ts_registry *registry, const char *path, const struct ts_plugin_image *image,
                 struct ts_faults *faults) {
  void *library = dlopen(image->load_path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    struct ts_error *err =
        ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' could not be loaded: %s", path, reason_of(image));
    ts_error_help(err, "compile it as a shared library for this machine, with all that it needs linked");
    return;
  }
  if (add_operations(registry, library, path, image, faults))
    ts_registry_take_library(registry, library);
  else
    dlclose(library);
}

void ts_plugin_load_image(struct ts_registry *registry, const char *path, const struct ts_plugin_image *image,
                          struct ts_faults *faults) {
  /* A library that was linked with -ffast-math sets the arithmetic of the thread that loads it. */
  struct ts_thread_state before;
  ts_thread_state_enter(&before, true);
  load(registry, path, image, faults);
  ts_thread_state_leave(&before);
}

void ts_plugin_load(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults) {
  struct ts_error unreadable = {0};
  const struct ts_plugin_image *image = ts_plugin_image_open(real_path, &unreadable);
  if (image && ts_elf_check(image->load_path, path, &unreadable))
    ts_plugin_load_image(registry, path, image, faults);
  else
    *ts_faults_add(faults) = unreadable;
}
