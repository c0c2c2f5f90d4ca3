/* The identity of a task, as bytes: the one encoder for plans, runs and frontiers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

void ts_identity_add(const struct ts_identity *identity, struct ts_str *bytes) {
  const uint64_t head[] = {(uint64_t)identity->input_count << 32 | (uint64_t)identity->parameter_count << 8 |
                               (uint64_t)identity->kind,
                           identity->operation};
  ts_str_add_bytes(bytes, head, sizeof head);
  ts_str_add_bytes(bytes, identity->inputs, identity->input_count * identity->input_bytes);
  for (size_t i = 0; i < identity->parameter_count; i++) ts_value_add_bytes(&identity->parameters[i], bytes);
}

void ts_node_add_identity(const struct ts_workflow *workflow, const struct ts_node *node, struct ts_str *bytes) {
  const bool is_task = node->kind == TS_NODE_TASK;
  ts_identity_add(
      &(struct ts_identity){.kind = node->kind,
                            .operation = (uint64_t)node->sampled_for << 34 | (uint64_t)node->scope << 32 | node->task,
                            .parameters = node->parameters,
                            .parameter_count =
                                is_task ? (uint32_t)workflow->tasks[node->task].op->descriptor->parameter_count : 0,
                            .inputs = node->inputs,
                            .input_count = node->input_count,
                            .input_bytes = sizeof *node->inputs},
      bytes);
}
