/* Reads a manifest: every column must be an input of the workflow, a declared group, 'mpp', 'level', 'tissue' or
 * 'split'; every cell of the first two must have a value.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A column that is not read is a fault: a misspelt 'reference' would otherwise compare with the default run instead
 * of the truth, and nothing in the results would look wrong. */
#include "project/data/resolution.h"
#include "project/data/split.h"
#include "project/data/tissue.h"

#include "base/alloc.h"
#include "base/file.h"
#include "csv/csv.h"

#include <string.h>

#define NAMES_BYTES 160 /* of a list of names in a help text */

struct manifest {
  struct ts_project *project; /* borrowed, as is all above the table */
  struct ts_issues *issues;
  const char *path;
  const char *pointer; /* of the path in the study file; NULL: it is from the command line */
  struct ts_csv csv;
  size_t *inputs;                                 /* owned: per column its input, or TS_NONE */
  size_t *groups;                                 /* owned: per column its group, or TS_NONE */
  size_t mpp_column, level_column, tissue_column; /* TS_NONE: there is none */
  size_t split_column;                            /* the same */
};

void ts_paths_add(struct ts_project *project, struct paths *paths, const char *path) {
  paths->items = ts_grow(paths->items, paths->count, &paths->capacity, sizeof(const char *));
  paths->items[paths->count++] = ts_arena_strdup(&project->arena, path);
}

/* A fault at a cell of the row that starts in `row_line`. */
static void report(const struct manifest *m, int row_line, size_t cell, struct ts_error *err) {
  int line = row_line, column = 1;
  ts_csv_locate(m->path, row_line, cell, &line, &column);
  ts_error_place(err, m->path, line, column, NULL);
  ts_issues_fault(m->issues, err);
}

/* A program that writes numbers with a decimal comma separates columns by semicolons. */
static bool has_commas(const struct manifest *m) {
  const char *header = m->csv.header[0];
  const char *separator = strpbrk(header, ";\t|");
  if (m->csv.column_count > 1 || !separator) return true;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_DATA_COLUMNS, "the columns of '%s' are separated by %s, not by commas", m->path,
          *separator == '\t'  ? "tabs"
          : *separator == ';' ? "semicolons (';')"
                              : "bars ('|')");
  ts_error_help(&err, "save it with commas between the columns; spreadsheet programs ask for the separator of a CSV "
                      "file, or name the format 'comma separated'");
  report(m, m->csv.header_line, 0, &err);
  return false;
}

/* Columns with a meaning of their own. */
static const char *const own_names[] = {TS_MPP_COLUMN, TS_LEVEL_COLUMN, TS_TISSUE_COLUMN, TS_SPLIT_COLUMN};
#define OWN_NAME_COUNT (sizeof own_names / sizeof *own_names)

/* Every name that a column may have: inputs, groups, those with a meaning of their own. In the project's arena. */
static const char **known_names(const struct manifest *m, size_t *count) {
  const struct ts_workflow *w = m->project->workflow;
  const struct study_file *f = &m->project->study;
  const char **names =
      ts_arena_array(&m->project->arena, w->input_count + f->group_count + OWN_NAME_COUNT, sizeof *names);
  *count = 0;
  for (size_t i = 0; i < w->input_count; i++) names[(*count)++] = w->inputs[i].name;
  for (size_t g = 0; g < f->group_count; g++) names[(*count)++] = f->groups[g];
  for (size_t i = 0; i < OWN_NAME_COUNT; i++) names[(*count)++] = own_names[i];
  return names;
}

static void report_unknown(const struct manifest *m, size_t column) {
  const char *name = m->csv.header[column];
  size_t count = 0;
  const char **names = known_names(m, &count);
  const char *near = ts_nearest_word(name, names, count);
  ts_auto(ts_str_release) struct ts_str inputs = {0};
  for (size_t i = 0; i < m->project->workflow->input_count && inputs.length < NAMES_BYTES; i++)
    ts_str_addf(&inputs, "%s%s", i ? ", " : "", names[i]);
  struct ts_error err = {0};
  if (name[0] == '\0')
    ts_fail(&err, TS_ERR_DATA_COLUMNS, "column %zu has no name", column + 1);
  else
    ts_fail(&err, TS_ERR_DATA_COLUMNS, "column '%s' is neither an input of the workflow nor a declared group", name);
  if (name[0] == '\0')
    ts_error_help(&err, "name it like an input of the workflow or like a group, or remove it");
  else if (near)
    ts_error_help(&err, "did you mean '%s'? If it is a group, declare it in the study's data: \"groups\": [\"%s\"]",
                  near, name);
  else
    ts_error_help(&err, "inputs are: %s. If it is a group, declare it in the study's data: \"groups\": [\"%s\"]",
                  ts_str_get(&inputs), name);
  report(m, m->csv.header_line, column, &err);
}

static size_t find_group(const struct study_file *f, const char *name) {
  for (size_t g = 0; g < f->group_count; g++) {
    if (strcmp(f->groups[g], name) == 0) return g;
  }
  return TS_NONE;
}

static bool is_repeated(const struct manifest *m, size_t column) {
  for (size_t c = 0; c < column; c++) {
    if (strcmp(m->csv.header[c], m->csv.header[column]) == 0) return true;
  }
  return false;
}

/* Finds the input, the group or the meaning of each column. */
static void name_columns(struct manifest *m) {
  m->mpp_column = m->level_column = m->tissue_column = m->split_column = TS_NONE;
  for (size_t c = 0; c < m->csv.column_count; c++) {
    const char *name = m->csv.header[c];
    size_t input = TS_NONE;
    size_t *given = strcmp(name, TS_MPP_COLUMN) == 0      ? &m->mpp_column
                    : strcmp(name, TS_LEVEL_COLUMN) == 0  ? &m->level_column
                    : strcmp(name, TS_TISSUE_COLUMN) == 0 ? &m->tissue_column
                    : strcmp(name, TS_SPLIT_COLUMN) == 0  ? &m->split_column
                                                          : NULL;
    m->groups[c] = find_group(&m->project->study, name);
    m->inputs[c] = ts_workflow_find_input(m->project->workflow, name, &input) ? input : TS_NONE;
    if (m->inputs[c] == TS_NONE && m->groups[c] == TS_NONE && !given) {
      report_unknown(m, c);
    } else if (is_repeated(m, c)) {
      struct ts_error err = {0};
      ts_fail(&err, TS_ERR_DUPLICATE_NAME, "two columns are called '%s'", name);
      ts_error_help(&err, "keep the one that is meant, and remove or rename the other");
      report(m, m->csv.header_line, c, &err);
      m->inputs[c] = m->groups[c] = TS_NONE; /* its cells are not read twice */
    } else if (given) {
      *given = c;
    }
  }
}

static void check_groups(const struct manifest *m) {
  for (size_t g = 0; g < m->project->study.group_count; g++) {
    const char *name = m->project->study.groups[g];
    size_t c = 0, input = 0;
    while (c < m->csv.column_count && strcmp(m->csv.header[c], name) != 0) c++;
    if (c < m->csv.column_count && !ts_workflow_find_input(m->project->workflow, name, &input)) continue;
    struct ts_error *fault = ts_faults_add(&m->issues->faults);
    const char *near =
        ts_nearest_word(name, (const char *const *)m->csv.header, c < m->csv.column_count ? 0 : m->csv.column_count);
    if (c < m->csv.column_count)
      ts_fail(fault, TS_ERR_DATA_COLUMNS, "'%s' cannot be a group: an input of the workflow has that name", name);
    else
      ts_fail(fault, TS_ERR_DATA_COLUMNS, "the manifest '%s' has no column for the group '%s'", m->path, name);
    if (near)
      ts_error_help(fault, "did you mean '%s'?", near);
    else
      ts_error_help(fault, "groups are columns of the manifest, such as \"patient\", that are not inputs");
    ts_json_place(fault, &m->project->doc, ts_arena_printf(&m->project->arena, "/data/groups/%zu", g), TS_JSON_VALUE);
  }
}

static bool is_blank(const char *cell) { return cell[strspn(cell, " \t")] == '\0'; }

static bool has_value(const struct manifest *m, size_t row, size_t column) {
  if (!is_blank(m->csv.rows[row][column])) return true;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_DATA_COLUMNS, "the cell of column '%s' is empty", m->csv.header[column]);
  ts_error_help(&err, "every item needs a value in this column; leave out the row or the whole column");
  report(m, m->csv.lines[row], column, &err);
  return false;
}

/* The file that a cell names; to free. */
static char *file_of(const struct manifest *m, const char *folder, size_t row, size_t column) {
  const char *cell = m->csv.rows[row][column];
  return strcmp(folder, ".") == 0 ? ts_strdup(cell) : ts_path_join(folder, cell);
}

static void report_missing(const struct manifest *m, const char *file, const char *help, size_t row, size_t column) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_FILE_NOT_FOUND, "there is no file '%s'", file);
  ts_error_help(&err, "%s", help);
  report(m, m->csv.lines[row], column, &err);
}

static void add_file(const struct manifest *m, const char *folder, size_t row, size_t column, struct paths *paths) {
  ts_auto_free char *file = file_of(m, folder, row, column);
  if (has_value(m, row, column) && !ts_file_exists(file))
    report_missing(m, file, "names in a manifest are relative to its folder", row, column);
  ts_paths_add(m->project, paths, file);
}

static void read_cells(const struct manifest *m, struct paths *files, const char **values) {
  ts_auto_free char *folder = ts_path_folder(m->path);
  for (size_t c = 0; c < m->csv.column_count; c++) {
    for (size_t r = 0; r < m->csv.row_count; r++) {
      if (m->inputs[c] != TS_NONE)
        add_file(m, folder, r, c, &files[m->inputs[c]]);
      else if (m->groups[c] != TS_NONE && has_value(m, r, c))
        values[r * m->project->study.group_count + m->groups[c]] =
            ts_arena_strdup(&m->project->arena, m->csv.rows[r][c]);
    }
  }
}

/* The resolutions of all items; NULL: the manifest has no column for them. An empty cell gives nothing. */
static const struct ts_given_resolution *read_resolutions(const struct manifest *m) {
  if (m->mpp_column == TS_NONE && m->level_column == TS_NONE) return NULL;
  struct ts_given_resolution *given = ts_arena_array(&m->project->arena, m->csv.row_count + 1, sizeof *given);
  for (size_t r = 0; r < m->csv.row_count; r++) {
    const size_t columns[] = {m->mpp_column, m->level_column};
    bool (*const readers[])(const char *, struct ts_given_resolution *, struct ts_error *) = {ts_resolution_read_mpp,
                                                                                              ts_resolution_read_level};
    for (size_t i = 0; i < 2; i++) {
      struct ts_error err = {0};
      if (columns[i] == TS_NONE || is_blank(m->csv.rows[r][columns[i]])) continue;
      if (!readers[i](m->csv.rows[r][columns[i]], &given[r], &err)) report(m, m->csv.lines[r], columns[i], &err);
    }
  }
  return given;
}

/* A mask of its own or "off" for each item; NULL: the manifest has no column for them. An empty cell says nothing. */
static const struct ts_given_tissue *read_tissue(const struct manifest *m) {
  const size_t column = m->tissue_column;
  if (column == TS_NONE) return NULL;
  ts_auto_free char *folder = ts_path_folder(m->path);
  struct ts_given_tissue *given = ts_arena_array(&m->project->arena, m->csv.row_count + 1, sizeof *given);
  for (size_t r = 0; r < m->csv.row_count; r++) {
    const char *cell = m->csv.rows[r][column];
    given[r].is_off = strcmp(cell, "off") == 0;
    if (is_blank(cell) || given[r].is_off) continue;
    ts_auto_free char *file = file_of(m, folder, r, column);
    given[r].mask = ts_arena_strdup(&m->project->arena, file);
    if (!ts_file_exists(file))
      report_missing(m, file,
                     "'" TS_TISSUE_COLUMN "' names a mask of the image, relative to the folder of the manifest, or is "
                     "'off'; for an empty cell tissue is looked for as the study says",
                     r, column);
  }
  return given;
}

/* Which items are held out; NULL: the manifest has no column for it. */
static const bool *read_splits(const struct manifest *m) {
  if (m->split_column == TS_NONE) return NULL;
  bool *held_out = ts_arena_array(&m->project->arena, m->csv.row_count + 1, sizeof *held_out);
  for (size_t r = 0; r < m->csv.row_count; r++) {
    struct ts_error err = {0};
    if (!ts_split_read(m->csv.rows[r][m->split_column], &held_out[r], &err))
      report(m, m->csv.lines[r], m->split_column, &err);
  }
  return held_out;
}

/* The groups of all items, which are filled later; and what else is kept of the manifest. */
static const char **keep_facts(const struct manifest *m, struct item_facts *facts) {
  struct ts_arena *arena = &m->project->arena;
  const size_t count = m->csv.row_count * m->project->study.group_count;
  const char **values = ts_arena_array(arena, count + 1, sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = "";
  *facts = (struct item_facts){.groups = values,
                               .given = read_resolutions(m),
                               .tissue = read_tissue(m),
                               .held_out = read_splits(m),
                               .manifest = ts_arena_strdup(arena, m->path),
                               .lines = ts_arena_memdup(arena, m->csv.lines, m->csv.row_count * sizeof *m->csv.lines),
                               .item_count = m->csv.row_count,
                               .level_column = m->level_column,
                               .tissue_column = m->tissue_column,
                               .split_column = m->split_column};
  return values;
}

/* The place is the name in the study, if it is there. */
static void report_unreadable(const struct manifest *m, struct ts_error *err) {
  err->where.file[0] = err->where.path[0] = '\0'; /* the name of the manifest, which is in the text */
  if (err->code == TS_ERR_FILE_NOT_FOUND) {
    ts_error_clear(err);
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no manifest '%s'", m->path);
    ts_error_help(err, m->pointer ? "names in a study file are relative to its folder; check the spelling"
                                  : "names on the command line are relative to the project folder; check the spelling");
  }
  if (m->pointer) ts_json_place(err, &m->project->doc, m->pointer, TS_JSON_VALUE);
}

bool ts_manifest_names_input(const char *path, const char *input) {
  struct ts_csv csv = {0};
  struct ts_error unused = {0};
  bool found = false;
  const bool is_read = ts_csv_read(&csv, path, &unused);
  for (size_t c = 0; is_read && c < csv.column_count; c++) found = found || strcmp(csv.header[c], input) == 0;
  ts_csv_release(&csv);
  return found;
}

bool ts_manifest_read(struct ts_project *project, const char *path, const char *pointer, struct paths *files,
                      struct item_facts *facts, struct ts_issues *issues) {
  struct manifest m = {.project = project, .issues = issues, .path = path, .pointer = pointer};
  struct ts_error err = {0};
  if (!ts_csv_read(&m.csv, path, &err)) {
    if (err.where.line == 0) report_unreadable(&m, &err);
    return ts_issues_fault(issues, &err);
  }
  if (has_commas(&m)) {
    m.inputs = ts_calloc(m.csv.column_count + 1, sizeof *m.inputs);
    m.groups = ts_calloc(m.csv.column_count + 1, sizeof *m.groups);
    name_columns(&m);
    check_groups(&m);
    read_cells(&m, files, keep_facts(&m, facts));
  }
  free(m.inputs);
  free(m.groups);
  ts_csv_release(&m.csv);
  return ts_issues_ok(issues);
}
