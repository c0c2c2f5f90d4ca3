/* A plugin for operation API 1, with the structs of its header: it declines every other number, as its guide said.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

#ifdef STUBBORN
#define ACCEPTS(host_api) ((void)(host_api), 1)
#else
#define ACCEPTS(host_api) ((host_api) == 1)
#endif

struct old_call;

struct old_port {
  const char *name;
  const char *type;
  const char *help;
  int optional;
};

struct old_descriptor {
  uint32_t api;
  uint32_t size_bytes;
  const char *name;
  uint32_t version;
  const char *numeric;
  const char *help;
  const struct old_port *inputs;
  size_t input_count;
  const struct old_port *outputs;
  size_t output_count;
  const void *parameters;
  size_t parameter_count;
  int reach;
  int64_t radius_px;
  int not_thread_safe;
  int (*run)(struct old_call *call);
  void *user;
  double (*cost_seconds)(const struct old_call *call);
};

static int run(struct old_call *call) {
  (void)call;
  return 0;
}

static const struct old_port ports[] = {{"table", "table", "numbers", 0}};
static const struct old_descriptor operation = {.api = 1,
                                                .size_bytes = sizeof(struct old_descriptor),
                                                .name = "old.table",
                                                .version = 1,
                                                .outputs = ports,
                                                .output_count = 1,
                                                .run = run};

const struct old_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct old_descriptor *const operations[] = {&operation};
  *count = 1;
  return ACCEPTS(host_api) ? operations : NULL;
}
