/* From a manifest's words and file names to a program that can be started and the files that identify it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Words that name a file beside the manifest mean that file; the first word may also be a program on the PATH. All
 * of them, and all files declared under "files", are part of the operation's digest. */
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>
#include <unistd.h>

struct resolver {
  const struct ts_reader *reader; /* borrowed */
  const char *folder;             /* borrowed: of the manifest */
  struct ts_command *command;     /* borrowed */
  size_t file_capacity;
};

/* Adds a file unless it is there already; false with a fault at `pointer` if it cannot be read. */
static bool add_file(struct resolver *resolver, const char *name, const char *path, const char *pointer) {
  struct ts_command *command = resolver->command;
  for (size_t i = 0; i < command->file_count; i++)
    if (strcmp(command->files[i].path, path) == 0) return true;
  struct ts_command_file file = {.name = ts_arena_strdup(resolver->reader->arena, name), .path = path};
  struct ts_error err = {0};
  if (!ts_command_file_measure(&file, &err)) {
    ts_json_place(&err, resolver->reader->doc, pointer, TS_JSON_VALUE);
    *ts_faults_add(resolver->reader->faults) = err;
    return false;
  }
  if (command->file_count == resolver->file_capacity) TS_BUG("more files of a command than were counted");
  command->files[command->file_count++] = file;
  return true;
}

/* A regular file beside the manifest: its absolute path, else NULL. */
static const char *beside(const struct resolver *resolver, const char *word) {
  if (!*word || *word == '-') return NULL;
  ts_auto_free char *joined = ts_path_join(resolver->folder, word);
  if (!ts_file_exists(joined) || ts_folder_exists(joined)) return NULL;
  return ts_arena_strdup(resolver->reader->arena, joined);
}

/* A program on the PATH, else NULL. Links are not followed: a Python of a virtual environment, and programs of several
 * names, look at the path they were started by. */
static const char *on_path(const struct resolver *resolver, const char *word) {
  if (strchr(word, '/')) return NULL;
  const char *rest = getenv("PATH");
  while (rest) {
    const char *end = strchrnul(rest, ':');
    ts_auto_free char *listed = ts_strndup(rest, (size_t)(end - rest));
    ts_auto_free char *folder = realpath(*listed ? listed : ".", NULL);
    ts_auto_free char *candidate = folder ? ts_path_join(folder, word) : NULL;
    if (candidate && access(candidate, X_OK) == 0 && !ts_folder_exists(candidate))
      return ts_arena_strdup(resolver->reader->arena, candidate);
    rest = *end ? end + 1 : NULL;
  }
  return NULL;
}

static const char *resolve_program(struct resolver *resolver, const char *word, const char *pointer) {
  const char *path = beside(resolver, word);
  if (!path) path = on_path(resolver, word);
  if (path && access(path, X_OK) == 0) {
    add_file(resolver, word, path, pointer);
    return path;
  }
  struct ts_error *err = ts_reader_fault(resolver->reader, TS_ERR_FILE_NOT_FOUND, pointer, TS_JSON_VALUE,
                                         "program '%s' %s", word, path ? "may not be executed" : "was not found");
  ts_error_help(err, "%s", path ? "make it executable: chmod +x" : "install it, or name its path");
  return word;
}

static const char *resolve_word(struct resolver *resolver, size_t index, const json_t *word) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, "/command");
  ts_json_pointer_add_index(&pointer, index);
  if (!json_is_string(word)) {
    struct ts_error *err = ts_reader_fault(resolver->reader, TS_ERR_WRONG_TYPE, ts_str_get(&pointer), TS_JSON_VALUE,
                                           "every word of the command must be a string, not %s", ts_json_kind(word));
    ts_error_help(err, "put it in double quotation marks");
    return "";
  }
  const char *text = ts_arena_strdup(resolver->reader->arena, json_string_value(word));
  if (index == 0) return resolve_program(resolver, text, ts_str_get(&pointer));
  const char *path = beside(resolver, text);
  if (!path) return text;
  add_file(resolver, text, path, ts_str_get(&pointer));
  return path;
}

static void resolve_words(struct resolver *resolver, const json_t *words) {
  size_t count = json_array_size(words);
  if (count == 0) {
    struct ts_error *err =
        ts_reader_fault(resolver->reader, TS_ERR_BAD_VALUE, "/command", TS_JSON_VALUE, "the command is empty");
    ts_error_help(err, "write [\"PROGRAM\", \"ARGUMENT\", ...]");
    return;
  }
  const char **resolved = ts_arena_array(resolver->reader->arena, count + 1, sizeof(*resolved));
  for (size_t i = 0; i < count; i++) resolved[i] = resolve_word(resolver, i, json_array_get(words, i));
  resolver->command->words = resolved;
  resolver->command->word_count = count;
}

static void resolve_file(struct resolver *resolver, size_t index, const json_t *file) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  ts_str_add(&pointer, "/files");
  ts_json_pointer_add_index(&pointer, index);
  if (!json_is_string(file)) {
    struct ts_error *err = ts_reader_fault(resolver->reader, TS_ERR_WRONG_TYPE, ts_str_get(&pointer), TS_JSON_VALUE,
                                           "every file must be a string, not %s", ts_json_kind(file));
    ts_error_help(err, "write the name of a file beside the manifest");
    return;
  }
  const char *name = json_string_value(file);
  const char *path = beside(resolver, name);
  if (path) {
    add_file(resolver, name, path, ts_str_get(&pointer));
    return;
  }
  struct ts_error *err = ts_reader_fault(resolver->reader, TS_ERR_FILE_NOT_FOUND, ts_str_get(&pointer), TS_JSON_VALUE,
                                         "declared file '%s' was not found", name);
  ts_error_help(err, "names are relative to the folder of the manifest");
}

struct ts_command *ts_command_resolve(const struct ts_reader *reader, const json_t *manifest, const char *real_path) {
  struct ts_command *command = ts_arena_alloc(reader->arena, sizeof(*command));
  const json_t *words = ts_reader_get(manifest, "command", TS_WANT_LIST);
  const json_t *files = ts_reader_get(manifest, "files", TS_WANT_LIST);
  ts_auto_free char *folder = ts_path_folder(real_path);
  struct resolver resolver = {reader, folder, command, json_array_size(words) + json_array_size(files)};
  command->manifest = ts_arena_strdup(reader->arena, reader->doc->file);
  command->files = ts_arena_array(reader->arena, resolver.file_capacity + 1, sizeof(*command->files));
  command->timeout_s = json_number_value(ts_reader_get(manifest, "timeout_s", TS_WANT_NUMBER));
  command->complete = json_is_true(json_object_get(manifest, "complete"));
  if (words) resolve_words(&resolver, words);
  for (size_t i = 0; i < json_array_size(files); i++) resolve_file(&resolver, i, json_array_get(files, i));
  return command;
}
