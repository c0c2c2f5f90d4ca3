/* Turns drafts without faults into the finished workflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

static void build_task(struct ts_builder *builder, const struct ts_stage_draft *stage,
                       const struct ts_task_draft *draft, struct ts_task *task) {
  struct ts_arena *arena = builder->reader.arena;
  const struct ts_op_descriptor *descriptor = draft->op->descriptor;
  struct ts_source *inputs = ts_arena_array(arena, descriptor->input_count, sizeof *inputs);
  bool *core = ts_arena_array(arena, descriptor->input_count, sizeof *core);
  for (size_t i = 0; i < descriptor->input_count; i++) {
    if (draft->link_of_port[i] == TS_NONE) continue; /* optional: zeroed memory means TS_SOURCE_NONE */
    const struct ts_link *link = &draft->in.items[draft->link_of_port[i]];
    inputs[i] = ts_link_source(builder, stage, link);
    core[i] = stage->core_only || (link->kind == TS_LINK_STAGE_INPUT && stage->in.items[link->index].core);
  }
  *task = (struct ts_task){
      .name = draft->name,
      .stage = stage->place,
      .op = draft->op,
      .inputs = inputs,
      .core = core,
      .parameters = ts_arena_memdup(arena, draft->bindings, descriptor->parameter_count * sizeof *draft->bindings),
  };
}

static void build_stage(struct ts_builder *builder, const struct ts_stage_draft *draft, struct ts_stage *stage,
                        struct ts_task *tasks) {
  struct ts_stage_output *outputs = ts_arena_array(builder->reader.arena, draft->out.count, sizeof *outputs);
  for (size_t i = 0; i < draft->out.count; i++) {
    outputs[i].name = draft->out.items[i].name;
    outputs[i].source = ts_link_source(builder, draft, &draft->out.items[i]);
  }
  *stage = (struct ts_stage){
      .name = draft->name,
      .scope = draft->scope,
      .sample_px = draft->sample_px,
      .first_task = TS_NONE,
      .task_count = draft->task_count,
      .outputs = outputs,
      .output_count = draft->out.count,
  };
  for (size_t i = 0; i < draft->task_count; i++) {
    size_t place = draft->tasks[i].place;
    if (place < stage->first_task) stage->first_task = place;
    build_task(builder, draft, &draft->tasks[i], &tasks[place]);
  }
}

static void build_inputs(struct ts_builder *builder) {
  struct ts_workflow_input *inputs = ts_arena_array(builder->reader.arena, builder->input_count, sizeof *inputs);
  for (size_t i = 0; i < builder->input_count; i++) {
    const struct ts_input_draft *draft = &builder->inputs[i];
    inputs[i] = draft->input;
    if (draft->default_run) inputs[i].default_run = ts_link_source(builder, NULL, &draft->default_link);
  }
  builder->workflow->inputs = inputs;
  builder->workflow->input_count = builder->input_count;
}

void ts_build(struct ts_builder *builder) {
  struct ts_workflow *workflow = builder->workflow;
  struct ts_arena *arena = builder->reader.arena;
  struct ts_parameter *parameters = ts_arena_array(arena, builder->parameter_count, sizeof *parameters);
  for (size_t i = 0; i < builder->parameter_count; i++) parameters[i] = builder->parameters[i].parameter;
  workflow->parameters = parameters;
  workflow->parameter_count = builder->parameter_count;
  build_inputs(builder);
  size_t task_count = 0;
  for (size_t i = 0; i < builder->stage_count; i++) task_count += builder->stages[i].task_count;
  struct ts_stage *stages = ts_arena_array(arena, builder->stage_count, sizeof *stages);
  struct ts_task *tasks = ts_arena_array(arena, task_count, sizeof *tasks);
  for (size_t i = 0; i < builder->stage_count; i++) {
    build_stage(builder, &builder->stages[i], &stages[builder->stages[i].place], tasks);
  }
  workflow->stages = stages;
  workflow->stage_count = builder->stage_count;
  workflow->tasks = tasks;
  workflow->task_count = task_count;
}
