/* What reading gives: the resolved nuclei workflow, orders, domains taken over, and lookups.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/file.h"
#include "workflow/workflow.h"

#include "operations.h"

#include <math.h>

struct fixture {
  struct ts_registry *registry;
  struct ts_faults faults;
};

static int set_up(void **state) {
  struct fixture *fixture = ts_calloc(1, sizeof *fixture);
  fixture->registry = create_test_registry();
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  ts_faults_release(&fixture->faults);
  ts_registry_destroy(fixture->registry);
  free(fixture);
  return 0;
}

static struct ts_workflow *read_file(struct fixture *fixture, const char *name) {
  const char *root = getenv("TESSERA_SOURCE_DIR");
  ts_auto_free char *path = ts_path_join(root ? root : ".", name);
  struct ts_workflow *workflow = ts_workflow_read(path, fixture->registry, &fixture->faults);
  struct ts_str text = {0};
  ts_faults_format(&fixture->faults, false, &text);
  if (!workflow) fail_msg("%s", ts_str_get(&text));
  assert_string_equal(workflow->file, path);
  return workflow;
}

static struct ts_workflow *parse(struct fixture *fixture, const char *text) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_parse(&doc, "inline.json", text, strlen(text), &err)) fail_msg("%s", err.text);
  struct ts_workflow *workflow = ts_workflow_parse(&doc, fixture->registry, &fixture->faults);
  ts_json_doc_close(&doc); /* the workflow must not need the document any more */
  return workflow;
}

static size_t parameter(const struct ts_workflow *workflow, const char *name) {
  size_t index = TS_NONE;
  assert_true(ts_workflow_find_parameter(workflow, name, &index));
  return index;
}

/* spec/nuclei.md section 0: number of levels, first, last, default. */
static const struct {
  const char *name;
  size_t count;
  double first, last, default_value;
} spec_parameters[] = {
    {"B", 4, 210, 240, 220},
    {"G", 4, 210, 240, 220},
    {"R", 4, 210, 240, 220},
    {"T1", 11, 2.5, 7.5, 5},
    {"T2", 11, 2.5, 7.5, 4},
    {"RC", 2, 4, 8, 8},
    {"FH", 2, 4, 8, 4},
    {"G1", 16, 5, 80, 80},
    {"minSize", 20, 2, 40, 11},
    {"maxSize", 13, 900, 1500, 1000},
    {"G2", 20, 2, 40, 45},
    {"minSizePl", 16, 5, 80, 30},
    {"WC", 2, 4, 8, 8},
    {"minSizeSeg", 20, 2, 40, 21},
    {"maxSizeSeg", 13, 900, 1500, 1000},
};

static double number_of(const struct ts_value *value) {
  double number = NAN;
  assert_true(ts_value_number(value, &number));
  return number;
}

static void test_nuclei_parameters(void **state) {
  struct ts_workflow *workflow = read_file(*state, "workflows/nuclei-tiles/workflow.json");
  assert_int_equal(workflow->parameter_count, COUNT_OF(spec_parameters));
  double points = 1;
  for (size_t i = 0; i < COUNT_OF(spec_parameters); i++) {
    const struct ts_parameter *found = &workflow->parameters[parameter(workflow, spec_parameters[i].name)];
    assert_int_equal(found->level_count, spec_parameters[i].count);
    assert_true(number_of(&found->levels[0]) == spec_parameters[i].first);
    assert_true(number_of(&found->levels[found->level_count - 1]) == spec_parameters[i].last);
    assert_true(number_of(&found->default_value) == spec_parameters[i].default_value);
    assert_true(found->help[0] != '\0');
    points *= (double)found->level_count;
  }
  assert_true(points == 21442330624000.0); /* spec/sensitivity.md 1a */
  ts_workflow_destroy(workflow);
}

static void assert_source(const struct ts_workflow *workflow, size_t task, const char *port, const char *from,
                          const char *from_port) {
  size_t input;
  assert_true(ts_op_find_input(workflow->tasks[task].op, port, &input));
  const struct ts_source *source = &workflow->tasks[task].inputs[input];
  if (!from_port) {
    assert_int_equal(source->kind, TS_SOURCE_INPUT);
    assert_string_equal(workflow->inputs[source->index].name, from);
    return;
  }
  assert_int_equal(source->kind, TS_SOURCE_TASK);
  const struct ts_task *producer = &workflow->tasks[source->index];
  assert_string_equal(producer->name, from);
  assert_string_equal(producer->op->descriptor->outputs[source->port]->name, from_port);
}

static void test_nuclei_graph(void **state) {
  static const char *const tasks[] = {"colours", "red_cells",  "background", "candidates", "candidate_size", "refine",
                                      "split",   "final_size", "scores",     "measure",    "outline"};
  static const char *const stages[] = {"normalise", "segment", "compare", "features"};
  struct ts_workflow *workflow = read_file(*state, "workflows/nuclei-tiles/workflow.json");
  assert_string_equal(workflow->name, "nuclei");
  assert_int_equal(workflow->stage_count, COUNT_OF(stages));
  for (size_t i = 0; i < COUNT_OF(stages); i++) assert_string_equal(workflow->stages[i].name, stages[i]);
  assert_int_equal(workflow->task_count, COUNT_OF(tasks));
  for (size_t i = 0; i < COUNT_OF(tasks); i++) assert_string_equal(workflow->tasks[i].name, tasks[i]);
  assert_int_equal(workflow->stages[1].first_task, 1);
  assert_int_equal(workflow->stages[1].task_count, 7);
  assert_int_equal(workflow->tasks[7].stage, 1);
  assert_int_equal(workflow->stages[1].scope, TS_PER_TILE);
  assert_source(workflow, 0, "image", "image", NULL);
  assert_source(workflow, 1, "image", "colours", "image");
  assert_source(workflow, 5, "diff", "candidates", "diff");
  assert_source(workflow, 5, "bw", "candidate_size", "bw");
  assert_source(workflow, 5, "rbc", "red_cells", "rbc");
  assert_source(workflow, 6, "image", "colours", "image");
  assert_source(workflow, 8, "mask", "final_size", "mask");
  assert_source(workflow, 8, "reference", "reference", NULL);
  ts_workflow_destroy(workflow);
}

static void test_nuclei_bindings_and_inputs(void **state) {
  struct ts_workflow *workflow = read_file(*state, "workflows/nuclei-tiles/workflow.json");
  const struct ts_task *last = &workflow->tasks[7];
  assert_int_equal(last->parameters[0].parameter, parameter(workflow, "minSizeSeg"));
  assert_int_equal(last->parameters[2].parameter, parameter(workflow, "FH"));
  size_t index;
  assert_true(ts_workflow_find_input(workflow, "reference", &index));
  const struct ts_workflow_input *reference = &workflow->inputs[index];
  assert_null(reference->type);
  assert_string_equal(reference->declaration, "mask|labels");
  assert_int_equal(reference->default_run.kind, TS_SOURCE_TASK);
  assert_int_equal(reference->default_run.index, 7);
  assert_true(ts_workflow_find_input(workflow, "image", &index));
  assert_ptr_equal(workflow->inputs[index].type, ts_type_find("image/rgb8"));
  assert_int_equal(workflow->inputs[index].default_run.kind, TS_SOURCE_NONE);
  assert_false(ts_workflow_find_input(workflow, "mask", &index));
  ts_workflow_destroy(workflow);
}

static size_t find_task(const struct ts_workflow *workflow, const char *name) {
  for (size_t t = 0; t < workflow->task_count; t++)
    if (strcmp(workflow->tasks[t].name, name) == 0) return t;
  fail_msg("no task '%s'", name);
  return 0;
}

/* A region of a word holds for everything that the tasks of a stage take, an object for the inputs that it names. */
static void test_regions(void **state) {
  struct ts_workflow *word = read_file(*state, "tests/cases/fine-region/workflow.json");
  assert_true(word->tasks[find_task(word, "background")].core[0]);
  assert_true(word->tasks[find_task(word, "candidates")].core[0]);
  assert_false(word->tasks[find_task(word, "colours")].core[0]);
  ts_workflow_destroy(word);
  struct ts_workflow *object = read_file(*state, "tests/cases/fine-region-input/workflow.json");
  assert_true(object->tasks[find_task(object, "background")].core[0]);
  assert_false(object->tasks[find_task(object, "candidates")].core[0]);
  assert_false(object->tasks[find_task(object, "colours")].core[0]);
  ts_workflow_destroy(object);
}

static void test_lookups(void **state) {
  struct ts_workflow *workflow = read_file(*state, "workflows/nuclei-tiles/workflow.json");
  struct ts_source source;
  struct ts_error err = {0};
  assert_true(ts_workflow_find_output(workflow, "features.summary", &source, &err));
  assert_int_equal(source.index, 9);
  assert_int_equal(source.port, 1);
  assert_false(ts_workflow_find_output(workflow, "segment.msk", &source, &err));
  assert_int_equal(err.code, TS_ERR_NO_PRODUCER);
  assert_string_equal(err.help, "did you mean 'segment.mask'?");
  ts_error_clear(&err);
  assert_false(ts_workflow_find_output(workflow, "final_size.mask", &source, &err));
  assert_non_null(strstr(err.help, "'segment.mask'"));
  size_t index;
  assert_true(ts_workflow_find_stage(workflow, "compare", &index));
  assert_int_equal(index, 2);
  assert_false(ts_workflow_find_stage(workflow, "compar", &index));
  ts_workflow_destroy(workflow);
}

static void test_sets_of_values(void **state) {
  struct ts_workflow *workflow = read_file(*state, "workflows/nuclei-tiles/workflow.json");
  struct ts_value values[COUNT_OF(spec_parameters)];
  struct ts_error err = {0};
  for (size_t i = 0; i < workflow->parameter_count; i++) values[i] = workflow->parameters[i].default_value;
  assert_true(ts_workflow_check_set(workflow, values, &err));
  values[parameter(workflow, "minSizeSeg")] = ts_value_integer(1000);
  assert_false(ts_workflow_check_set(workflow, values, &err));
  assert_int_equal(err.code, TS_ERR_CONSTRAINT);
  assert_string_equal(err.text, "'minSizeSeg < maxSizeSeg' is violated: minSizeSeg = 1000, maxSizeSeg = 1000");
  ts_error_clear(&err);
  const struct ts_parameter *g1 = &workflow->parameters[parameter(workflow, "G1")];
  struct ts_value value = ts_value_integer(255);
  assert_true(ts_parameter_check(g1, &value, &err));
  value = ts_value_integer(256);
  assert_false(ts_parameter_check(g1, &value, &err));
  assert_int_equal(err.code, TS_ERR_OUTSIDE_DOMAIN);
  assert_string_equal(err.text, "parameter 'G1' = 256 is outside 0..255");
  ts_error_clear(&err);
  value = ts_value_real(40);
  assert_false(ts_parameter_check(g1, &value, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  ts_workflow_destroy(workflow);
}

/* Written backwards: what needs nothing comes first, otherwise the written order stays. */
static void test_order_is_found(void **state) {
  struct ts_workflow *workflow = read_file(*state, "tests/cases/fine-any-order/workflow.json");
  assert_string_equal(workflow->stages[0].name, "segment");
  assert_string_equal(workflow->stages[1].name, "measure");
  assert_int_equal(workflow->stages[1].scope, TS_PER_FILE);
  static const char *const tasks[] = {"background", "candidates", "size", "outline"};
  for (size_t i = 0; i < COUNT_OF(tasks); i++) assert_string_equal(workflow->tasks[i].name, tasks[i]);
  assert_int_equal(workflow->stages[1].first_task, 3);
  assert_source(workflow, 3, "mask", "size", "bw");
  const struct ts_binding *fixed = workflow->tasks[2].parameters;
  assert_int_equal(fixed[1].parameter, TS_NONE);
  assert_int_equal(fixed[1].fixed.as.integer, 1000);
  /* no domain declared: that of the operation */
  assert_true(workflow->parameters[0].has_domain);
  assert_true(workflow->parameters[0].domain_low == 4 && workflow->parameters[0].domain_high == 8);
  assert_int_equal(workflow->parameters[0].levels[0].as.integer, 8);
  ts_workflow_destroy(workflow);
}

static const char options_text[] =
    "{\"tessera\":1,\"name\":\"o\",\"parameters\":{"
    "\"kind\":{\"type\":\"string\",\"default\":\"exact\",\"grid\":[\"exact\"]},"
    "\"loud\":{\"type\":\"boolean\",\"grid\":[false,true],\"default\":true},"
    "\"gain\":{\"type\":\"real\",\"default\":1},\"shift\":{\"type\":\"real\",\"range\":[-1e9,1e9],\"default\":0}},"
    "\"stages\":[{\"name\":\"s\",\"per\":\"dataset\",\"out\":{\"t\":\"b.table\"},\"tasks\":["
    "{\"name\":\"b\",\"op\":\"test.options\",\"in\":{\"first\":\"a.table\"},\"params\":{\"mode\":\"kind\","
    "\"level\":\"kind\",\"verbose\":\"loud\",\"gain\":\"gain\",\"offset\":\"shift\"}},"
    "{\"name\":\"a\",\"op\":\"test.source\"}]}]}";

static void test_domains_are_taken_over(void **state) {
  struct ts_workflow *workflow = parse(*state, options_text);
  assert_non_null(workflow);
  /* of "mode" (fast, exact) and "level" (exact, rough) only "exact" suits both */
  const struct ts_parameter *kind = &workflow->parameters[0];
  assert_int_equal(kind->choice_count, 1);
  assert_string_equal(kind->choices[0].as.string, "exact");
  assert_int_equal(workflow->parameters[1].level_count, 2);
  assert_true(workflow->parameters[2].domain_low == 0.5 && workflow->parameters[2].domain_high == 2);
  assert_int_equal(workflow->parameters[2].default_value.type, TS_VALUE_REAL);
  assert_false(workflow->parameters[3].has_domain); /* the operation takes any number */
  assert_true(workflow->parameters[3].has_range);
  assert_int_equal(workflow->tasks[1].inputs[1].kind, TS_SOURCE_NONE); /* optional, not connected */
  assert_int_equal(workflow->tasks[1].inputs[0].index, 0);
  struct ts_error err = {0};
  struct ts_value value = ts_value_string("fast");
  assert_false(ts_parameter_check(kind, &value, &err));
  assert_int_equal(err.code, TS_ERR_OUTSIDE_DOMAIN);
  ts_workflow_destroy(workflow);
}

/* Replaces the first occurrence of `old`. */
static char *changed(const char *text, const char *old, const char *new) {
  const char *at = strstr(text, old);
  assert_non_null(at);
  struct ts_str out = {0};
  ts_str_add_bytes(&out, text, (size_t)(at - text));
  ts_str_add(&out, new);
  ts_str_add(&out, at + strlen(old));
  return ts_str_detach(&out);
}

static void assert_single_fault(void **state, const char *old, const char *new, enum ts_error_code code,
                                const char *text) {
  struct fixture *fixture = *state;
  ts_auto_free char *document = changed(options_text, old, new);
  ts_faults_release(&fixture->faults);
  assert_null(parse(fixture, document));
  assert_int_equal(fixture->faults.count, 1);
  assert_int_equal(fixture->faults.items[0].code, code);
  assert_string_equal(fixture->faults.items[0].text, text);
  assert_true(fixture->faults.items[0].help[0] != '\0');
  assert_string_equal(fixture->faults.items[0].where.file, "inline.json");
}

static void test_faults_of_taken_over_domains(void **state) {
  assert_single_fault(state, "\"default\":\"exact\"", "\"default\":\"fast\"", TS_ERR_OUTSIDE_DOMAIN,
                      "default fast of parameter 'kind' is none of its choices");
  assert_single_fault(state, "\"default\":1}", "\"default\":3}", TS_ERR_OUTSIDE_DOMAIN,
                      "default 3 of parameter 'gain' is outside 0.5..2");
  assert_single_fault(state, "\"default\":1}", "\"default\":1,\"grid\":[1,2,3]}", TS_ERR_GRID_OUTSIDE_DOMAIN,
                      "grid value 3 of parameter 'gain' is outside 0.5..2");
  assert_single_fault(state, "\"default\":1}", "\"default\":1,\"range\":[0,1]}", TS_ERR_GRID_OUTSIDE_DOMAIN,
                      "range end 0 of parameter 'gain' is outside 0.5..2");
  assert_single_fault(state, "\"default\":\"exact\"", "\"default\":\"exact\",\"choices\":[\"exact\",\"fast\"]",
                      TS_ERR_OUTSIDE_DOMAIN,
                      "the choice 'fast' of parameter 'kind' is not accepted by operation 'test.options'");
  assert_single_fault(state, "\"level\":\"kind\"", "\"level\":{\"value\":\"fast\"}", TS_ERR_OUTSIDE_DOMAIN,
                      "'level' is 'fast', not one of 'exact', 'rough'");
}

/* One mistake, one complaint. */
static void test_no_follow_ups(void **state) {
  assert_single_fault(state, "\"test.source\"", "\"other.source\"", TS_ERR_UNKNOWN_OPERATION,
                      "there is no operation 'other.source'");
  assert_single_fault(state, "\"first\":", "\"frist\":", TS_ERR_UNKNOWN_KEY,
                      "operation 'test.options' has no input 'frist'");
  assert_single_fault(state, "\"gain\":\"gain\"", "\"gian\":\"gain\"", TS_ERR_UNKNOWN_PARAMETER,
                      "operation 'test.options' has no parameter 'gian'");
  assert_single_fault(state, "\"gain\":\"gain\"", "\"gain\":\"gian\"", TS_ERR_UNKNOWN_PARAMETER,
                      "the workflow has no parameter 'gian'");
  assert_single_fault(state, "\"parameters\":", "\"parametres\":", TS_ERR_UNKNOWN_KEY,
                      "a workflow has no key 'parametres'");
  assert_single_fault(state, "\"tasks\":", "\"task\":", TS_ERR_UNKNOWN_KEY, "a stage has no key 'task'");
  assert_single_fault(state, "\"stages\":", "\"stage\":", TS_ERR_UNKNOWN_KEY, "a workflow has no key 'stage'");
  assert_single_fault(state, "{\"name\":\"a\",", "{", TS_ERR_MISSING_KEY, "a task needs the key 'name'");
  assert_single_fault(state, "{\"type\":\"boolean\",\"grid\":[false,true],\"default\":true}", "7", TS_ERR_WRONG_TYPE,
                      "parameter 'loud' must be an object, but it is an integer");
  assert_single_fault(state, "\"tessera\":1", "\"tessera\":1.5", TS_ERR_FORMAT_VERSION,
                      "this workflow has the format number 1.5, but this program reads 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_nuclei_parameters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nuclei_graph, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_nuclei_bindings_and_inputs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_regions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_lookups, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sets_of_values, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_order_is_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_domains_are_taken_over, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_faults_of_taken_over_domains, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_no_follow_ups, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
