/* A plugin whose operations have something to open: some of them well, some of them not.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each open and close adds a line to the file that the environment variable OPENS_LOG names. */
#include "tessera_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void tell(const char *what, const char *name) {
  const char *path = getenv("OPENS_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s %s\n", what, name);
  fclose(file);
}

static int open_well(const struct ts_op_open *open, void **state) {
  tell("open", open->user);
  *state = strdup(open->user);
  return *state ? 0 : open->fail(open, "no memory");
}

static void close_well(void *state) {
  tell("close", state);
  free(state);
}

/* How long the name is that open has copied. */
static int run(struct ts_op_call *call) {
  static const char *const names[] = {"length"};
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out) return -1;
  if (!call->state) return call->host->fail(call, "there is no state");
  out[0] = (double)strlen(call->state);
  return 0;
}

static int open_badly(const struct ts_op_open *open, void **state) {
  (void)state;
  tell("open", open->user);
  return open->fail(open, "no model in '%s'", "nowhere");
}

static int open_silently(const struct ts_op_open *open, void **state) {
  (void)open;
  (void)state;
  return 3;
}

/* Says that it failed, and that it did not. */
static int open_both_ways(const struct ts_op_open *open, void **state) {
  open_well(open, state);
  open->fail(open, "told but not returned");
  return 0;
}

static int open_elsewhere(const struct ts_op_open *open, void **state) {
  int status = open_well(open, state);
  return chdir("/") == 0 ? status : open->fail(open, "no root");
}

static int open_and_crash(const struct ts_op_open *open, void **state) {
  (void)open;
  (void)state;
  abort();
}

static int open_and_exit(const struct ts_op_open *open, void **state) {
  (void)open;
  (void)state;
  exit(3);
}

static int open_for_ever(const struct ts_op_open *open, void **state) {
  (void)state;
  while (open) pause();
  return 0;
}

static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};

#define OPERATION(label, opener)                                                                                       \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = "opens." label, .version = 1, .outputs = table, .output_count = 1, .run = run,      \
                           .user = (char[]){label}, .open = (opener), .close = close_well                              \
  }

static const struct ts_op_descriptor descriptors[] = {
    OPERATION("well", open_well),           OPERATION("badly", open_badly),
    OPERATION("silently", open_silently),   OPERATION("both_ways", open_both_ways),
    OPERATION("elsewhere", open_elsewhere), OPERATION("crash", open_and_crash),
    OPERATION("exit", open_and_exit),       OPERATION("hang", open_for_ever),
};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *operations[COUNT(descriptors)];
  for (size_t i = 0; i < COUNT(descriptors); i++) operations[i] = &descriptors[i];
  *count = COUNT(descriptors);
  return host_api == TESSERA_OP_API ? operations : NULL;
}
