/* Text of what comes before any run: check, list.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments_int.h"
#include "cli/help.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <string.h>

/* ", 15 parameters", if the summary says. */
static void add_part(struct ts_str *out, const json_t *summary, const char *name, const char *noun,
                     const char **before) {
  if (!ts_cli_reply_has(summary, name)) return;
  ts_str_add(out, *before);
  ts_cli_text_add_count(out, ts_cli_reply_count(summary, name), noun);
  *before = ", ";
}

void ts_show_nothing(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)reply;
  (void)view;
  (void)out;
}

void ts_show_check(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  const json_t *summary = ts_cli_reply_member(reply, "summary");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "file"));
  ts_str_add(out, " is fine");
  const char *before = ": ";
  add_part(out, summary, "stages", "stage", &before);
  add_part(out, summary, "tasks", "task", &before);
  add_part(out, summary, "parameters", "parameter", &before);
  if (ts_cli_reply_has(summary, "varied")) {
    char number[32];
    ts_str_addf(out, " (%s varied)", ts_format_count(ts_cli_reply_count(summary, "varied"), number));
  }
  add_part(out, summary, "files", "file", &before);
  add_part(out, summary, "tiles", "tile", &before);
  add_part(out, summary, "runs", "run", &before);
  ts_str_add_char(out, '\n');
  ts_show_halo(reply, out);
}

/* "image: image/rgb8, mask: mask". */
void ts_show_ports(struct ts_str *out, const json_t *ports) {
  for (size_t i = 0; i < json_array_size(ports); i++) {
    const json_t *port = json_array_get(ports, i);
    if (i > 0) ts_str_add(out, ", ");
    ts_str_addf(out, "%s: %s", ts_cli_reply_text(port, "name"), ts_cli_reply_text(port, "type"));
  }
}

/* A domain is [low, high], a list of words, or a text. */
static void add_domain(struct ts_str *out, const json_t *domain) {
  if (json_is_string(domain)) ts_str_addf(out, " %s", json_string_value(domain));
  size_t count = json_array_size(domain);
  bool range = count == 2 && json_is_number(json_array_get(domain, 0));
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(domain, i);
    ts_str_add(out, i == 0 ? " " : range ? ".." : "|");
    if (json_is_number(item)) {
      ts_str_add_double(out, json_number_value(item));
    } else if (json_is_string(item)) {
      ts_str_add(out, json_string_value(item));
    }
  }
}

void ts_show_parameters(struct ts_str *out, const json_t *parameters) {
  for (size_t i = 0; i < json_array_size(parameters); i++) {
    const json_t *parameter = json_array_get(parameters, i);
    if (i > 0) ts_str_add(out, ", ");
    ts_str_addf(out, "%s %s", ts_cli_reply_text(parameter, "name"), ts_cli_reply_text(parameter, "type"));
    add_domain(out, ts_cli_reply_member(parameter, "domain"));
  }
}

static void add_needs(struct ts_str *out, const json_t *needs) {
  static const struct {
    const char *name, *before, *one, *more;
  } numbers[] = {{"cores", "", " core", " cores"}, {"gpu", "", " GPU", " GPUs"}, {"gang", "a gang of ", "", ""}};
  char size[32];
  const json_t *memory = ts_cli_reply_member(needs, "memory_bytes");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const json_t *number = ts_cli_reply_member(needs, numbers[i].name);
    const long long value = (long long)json_integer_value(number);
    if (json_is_integer(number))
      ts_str_addf(out, "%s%s%lld%s", out->length ? ", " : "", numbers[i].before, value,
                  value == 1 ? numbers[i].one : numbers[i].more);
  }
  if (json_is_integer(memory))
    ts_str_addf(out, "%s%s of memory", out->length ? ", " : "",
                ts_format_bytes((uint64_t)json_integer_value(memory), size));
  if (json_is_true(ts_cli_reply_member(needs, "exclusive")))
    ts_str_addf(out, "%sa machine for itself", out->length ? ", " : "");
  const char *site = ts_cli_reply_text(needs, "site");
  if (*site) ts_str_addf(out, "%ssite %s", out->length ? ", " : "", site);
}

static void add_detail(struct ts_str *out, const struct ts_view *view, const char *name, struct ts_str *text) {
  if (text->length > 0) {
    struct ts_str safe = {0};
    ts_cli_text_add_safe(&safe, ts_str_get(text));
    ts_str_addf(out, "    %-11s ", name);
    ts_cli_text_add_wrapped(out, ts_str_get(&safe), (size_t)view->width, 16, "                ");
    ts_str_add_char(out, '\n');
    ts_str_release(&safe);
  }
  ts_str_release(text);
}

static void show_operation(const json_t *operation, const struct ts_view *view, struct ts_str *out) {
  struct ts_str line = {0}, inputs = {0}, outputs = {0}, parameters = {0}, needs = {0};
  const json_t *version = ts_cli_reply_member(operation, "version");
  ts_str_add(&line, ts_cli_reply_text(operation, "name"));
  if (json_is_integer(version)) ts_str_addf(&line, " %lld", (long long)json_integer_value(version));
  if (json_is_string(version)) ts_str_addf(&line, " %s", json_string_value(version));
  ts_str_addf(&line, " (%s", ts_cli_reply_text(operation, "origin"));
  const char *numeric = ts_cli_reply_text(operation, "numeric");
  ts_str_addf(&line, "%s%s)", *numeric ? ", " : "", numeric);
  ts_str_add(out, "  ");
  ts_cli_text_add_safe(out, ts_str_get(&line));
  ts_str_add_char(out, '\n');
  ts_str_release(&line);
  struct ts_str help = {0};
  ts_str_add(&help, ts_cli_reply_text(operation, "help"));
  add_detail(out, view, "does", &help);
  ts_show_ports(&inputs, ts_cli_reply_member(operation, "inputs"));
  add_detail(out, view, "takes", &inputs);
  ts_show_ports(&outputs, ts_cli_reply_member(operation, "outputs"));
  add_detail(out, view, "gives", &outputs);
  ts_show_parameters(&parameters, ts_cli_reply_member(operation, "parameters"));
  add_detail(out, view, "parameters", &parameters);
  add_needs(&needs, ts_cli_reply_member(operation, "needs"));
  add_detail(out, view, "needs", &needs);
}

/* Demos are objects with name and help, methods may be names alone. */
static void show_names(const char *title, const json_t *items, struct ts_str *out) {
  if (json_array_size(items) == 0) return;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "ll");
  ts_cli_table_add(&table, title);
  ts_cli_table_add(&table, "");
  for (size_t i = 0; i < json_array_size(items); i++) {
    const json_t *item = json_array_get(items, i);
    ts_cli_table_addf(&table, "  %s", json_is_string(item) ? json_string_value(item) : ts_cli_reply_text(item, "name"));
    ts_cli_table_add(&table, json_is_string(item) ? "" : ts_cli_reply_text(item, "help"));
  }
  if (out->length > 0) ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
}

/* Objects with name, title and help. */
static void show_methods(const char *title, const json_t *items, const struct ts_view *view, struct ts_str *out) {
  if (json_array_size(items) == 0) return;
  if (out->length > 0) ts_str_add_char(out, '\n');
  ts_str_addf(out, "%s\n", title);
  for (size_t i = 0; i < json_array_size(items); i++) {
    struct ts_str text = {0}, safe = {0};
    ts_cli_method_text(json_array_get(items, i), &text);
    ts_cli_text_add_safe(&safe, ts_str_get(&text));
    ts_str_addf(out, "  %-14s ", ts_cli_method_name(json_array_get(items, i)));
    ts_cli_text_add_wrapped(out, ts_str_get(&safe), (size_t)view->width, 17, "                 ");
    ts_str_add_char(out, '\n');
    ts_str_release(&text);
    ts_str_release(&safe);
  }
}

void ts_show_list(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *operations = ts_cli_reply_member(reply, "operations");
  if (json_array_size(operations) > 0) ts_str_add(out, "Operations\n");
  for (size_t i = 0; i < json_array_size(operations); i++) show_operation(json_array_get(operations, i), view, out);
  show_names("Demos", ts_cli_reply_member(reply, "demos"), out);
  show_names("Methods of studies", ts_cli_reply_member(reply, "methods"), out);
  show_methods("Samplers (tessera sample --method)", ts_cli_reply_member(reply, "samplers"), view, out);
  show_methods("Analyses (tessera analyse --method)", ts_cli_reply_member(reply, "analyses"), view, out);
  show_methods("Algorithms for streams (tessera schedule --algorithm)", ts_cli_reply_member(reply, "schedulers"), view,
               out);
  show_methods("Tuners (tessera tune --algorithm)", ts_cli_reply_member(reply, "tuners"), view, out);
}
