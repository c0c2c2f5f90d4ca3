/* Runs a fuzz target once over every seed of a folder, without libFuzzer: fuzz_targets TARGET FOLDER.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All targets are in one program; tests/CMakeLists.txt gives their entry points names of their own and lists them. */
#include "fuzz_targets.h"

#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECLARE(name)                                                                                                  \
  int fuzz_initialize_##name(int *argc, char ***argv);                                                                 \
  int fuzz_one_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(DECLARE)

struct target {
  const char *name;
  int (*initialize)(int *argc, char ***argv);
  int (*one)(const uint8_t *data, size_t size);
};

#define ENTRY(name) {#name, fuzz_initialize_##name, fuzz_one_##name},
static const struct target targets[] = {FUZZ_TARGETS(ENTRY)};

_Noreturn static void give_up(const char *what, const char *detail) {
  fprintf(stderr, "fuzz_targets: %s: %s\n", what, detail);
  exit(1);
}

/* The seed in memory of exactly its size, so that reading beyond it is found. */
static void run_seed(const struct target *target, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) give_up("cannot read", path);
  long size = ftell(file);
  uint8_t *bytes = size < 0 ? NULL : malloc(size > 0 ? (size_t)size : 1);
  rewind(file);
  if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) give_up("cannot read", path);
  fclose(file);
  fprintf(stderr, "%s\n", path); /* the last one is the one that broke it */
  target->one(bytes, (size_t)size);
  free(bytes);
}

static size_t run_seeds(const struct target *target, const char *folder) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  size_t done = 0;
  for (int i = 0; i < count; i++) {
    char path[4096];
    if (names[i]->d_name[0] != '.') {
      snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
      run_seed(target, path);
      done++;
    }
    free(names[i]);
  }
  free(names);
  return done;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  return remove(path);
}

int main(int argc, char **argv) {
  char scratch[] = "/tmp/tessera-seeds-XXXXXX";
  const struct target *target = NULL;
  for (size_t i = 0; argc == 3 && i < sizeof targets / sizeof *targets; i++)
    if (strcmp(targets[i].name, argv[1]) == 0) target = &targets[i];
  if (!target || argv[2][0] != '/') give_up("usage", "fuzz_targets TARGET ABSOLUTE-FOLDER");
  if (!mkdtemp(scratch) || setenv("TMPDIR", scratch, 1) != 0) give_up("no scratch folder", scratch);
  target->initialize(&argc, &argv);
  size_t done = run_seeds(target, argv[2]);
  nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  printf("%s: %zu seeds\n", target->name, done);
  if (done == 0) give_up("no seeds", argv[2]);
  return 0;
}
