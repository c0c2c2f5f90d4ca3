/* Workflows that the program carries for data without a project: which one fits, and how it is studied.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/built_in.h"
#include "project/data/check_data.h"
#include "project/data/data_list.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The first that takes the data is used. */
static const struct ts_built_in built_ins[] = {
    {"nuclei", "nuclei/workflow.json", "start/nuclei.json", "for tissue stained with haematoxylin and eosin"},
};

const struct ts_built_in *ts_built_in_at(size_t number) {
  return number < sizeof built_ins / sizeof *built_ins ? &built_ins[number] : NULL;
}

const struct ts_embedded_file *ts_built_in_file(const char *path) {
  const struct ts_embedded_file *file = ts_embedded_find(path);
  if (!file) TS_BUG("the program does not carry '%s'", path);
  return file;
}

/* The document gets a name that cannot be mistaken for a file of the user. */
static bool open_file(struct ts_json_doc *doc, const char *path, const char *name, struct ts_issues *issues) {
  const struct ts_embedded_file *file = ts_built_in_file(path);
  struct ts_error err = {0};
  return ts_json_doc_parse(doc, name, (const char *)file->data, file->size, &err) || ts_issues_fault(issues, &err);
}

struct ts_workflow *ts_built_in_workflow(const struct ts_built_in *built_in, struct ts_registry *registry,
                                         struct ts_json_doc *doc, struct ts_issues *issues) {
  if (!open_file(doc, built_in->workflow, built_in->workflow, issues)) return NULL;
  return ts_workflow_parse(doc, registry, &issues->faults);
}

bool ts_built_in_takes(const struct ts_workflow_input *input, const struct ts_image_info *info) {
  return input->type && ts_image_fits_type(info, input->type) && info->channels == input->type->channels;
}

const char *ts_built_in_needs(const struct ts_workflow_input *input) {
  const struct ts_image_info info = {.channels = input->type ? input->type->channels : 1,
                                     .bits = input->type && input->type->element == TS_U8 ? 8 : 16};
  return ts_image_description(&info);
}

/* ---- which one ---- */

/* What the data of the request is, before a workflow is known. */
struct asked {
  const char *manifest;      /* NULL: images */
  const char *image;         /* the first of them */
  struct ts_image_info info; /* of it */
};

static bool look(struct ts_project *project, struct asked *asked, struct ts_issues *issues) {
  struct ts_error err = {0};
  struct paths paths = {0};
  *asked = (struct asked){.manifest = ts_data_manifest(project)};
  if (asked->manifest) return true;
  if (!ts_image_startup(&err)) return ts_issues_fault(issues, &err);
  ts_data_add_request(project, &paths, issues);
  asked->image = paths.count > 0 ? paths.items[0] : NULL; /* the string is in the arena */
  free(paths.items);
  if (!ts_issues_ok(issues)) return false;
  return ts_image_inspect(asked->image, 0, &asked->info, &err) || ts_issues_fault(issues, &err);
}

static bool fits(const struct ts_workflow *workflow, const struct asked *asked) {
  const size_t primary = ts_data_primary_input(workflow);
  if (primary == TS_NONE) return false;
  const struct ts_workflow_input *input = &workflow->inputs[primary];
  return asked->manifest ? ts_manifest_names_input(asked->manifest, input->name)
                         : ts_built_in_takes(input, &asked->info);
}

/* `needs`: of the last one that was looked at. */
static bool fail_fit(const struct asked *asked, const char *needs, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  if (asked->manifest) {
    ts_fail(fault, TS_ERR_DATA_COLUMNS, "no column of the manifest '%s' is an input of a built-in workflow",
            asked->manifest);
    ts_error_help(fault, "call the column that names the images 'image', and one that names truths 'reference'; or "
                         "write a workflow: tessera help workflow");
    return ts_error_place(fault, asked->manifest, 0, 0, NULL);
  }
  ts_fail(fault, TS_ERR_BAD_IMAGE, "'%s' is %s, but the built-in workflow needs %s", asked->image,
          ts_image_description(&asked->info), needs);
  ts_error_help(fault, "convert it with: vips colourspace IN OUT.png srgb; or write a workflow.json with an input of "
                       "another type: tessera help workflow");
  return ts_error_place(fault, asked->image, 0, 0, NULL);
}

/* Sets the workflow of the project to the first that fits. */
static const struct ts_built_in *choose(struct ts_project *project, struct ts_issues *issues) {
  struct asked asked;
  const char *needs = "";
  if (!look(project, &asked, issues)) return NULL;
  for (size_t i = 0; ts_built_in_at(i); i++) {
    struct ts_workflow *workflow =
        ts_built_in_workflow(ts_built_in_at(i), project->registry, &project->workflow_doc, issues);
    if (!workflow) return NULL;
    if (fits(workflow, &asked)) {
      project->workflow = workflow;
      return ts_built_in_at(i);
    }
    needs = ts_built_in_needs(&workflow->inputs[ts_data_primary_input(workflow)]);
    ts_workflow_destroy(workflow);
    ts_json_doc_close(&project->workflow_doc);
  }
  fail_fit(&asked, needs, issues);
  return NULL;
}

bool ts_built_in_read(struct ts_project *project, struct ts_issues *issues) {
  project->registry = ts_project_registry();
  const struct ts_built_in *chosen = choose(project, issues);
  if (!chosen) return false;
  const char *name = ts_arena_printf(&project->arena, "%s (built-in)", chosen->name);
  ts_issues_note(issues, "using the built-in workflow '%s', %s; 'tessera init --data' writes it as files to change",
                 chosen->name, chosen->use);
  if (!open_file(&project->doc, chosen->study, ts_request_path(project->request, &project->arena, name), issues))
    return false;
  if (!ts_study_file_parse(project, issues)) return false;
  ts_study_outputs_resolve(project, issues);
  return ts_issues_ok(issues);
}
