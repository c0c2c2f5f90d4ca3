/* The pieces of HTML that all sections share: sections, tables, charts in two drawings, legends, pictures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "base/json.h"
#include "report/chart/svg.h"
#include "report/result.h"
#include "report/text.h"

#include <string.h>

void ts_page_begin(struct ts_page *page, const char *title, const char *answer) {
  /* The policy makes the promise binding: nothing is fetched and no script runs, whatever a file name contains. */
  ts_str_add(page->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                        "style-src 'unsafe-inline'; img-src data:\">\n<title>");
  ts_html_addf(page->out, "%s</title>\n<style>\n", title);
  ts_page_add_style(page->out);
  ts_html_addf(page->out, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", title);
  if (*answer) {
    ts_html_addf(page->out, "<p class=\"answer\">%s</p>\n", answer);
  }
}

void ts_page_end(struct ts_page *page, const char *about) {
  const json_t *tool = json_object_get(page->result, "tool");
  ts_html_addf(page->out, "</main>\n<footer><p>%s", ts_result_text(tool, "name"));
  ts_str_add_char(page->out, ' ');
  ts_html_addf(page->out, "%s%s%s.</p></footer>\n<script type=\"application/json\" id=\"tessera-result\">",
               ts_result_text(tool, "version"), *about ? ", " : "", about);
  ts_auto_free char *json = ts_json_dump_html(page->embedded);
  ts_str_add(page->out, json);
  ts_str_add(page->out, "</script>\n</body>\n</html>\n");
}

void ts_page_section_open(struct ts_page *page, const char *title) {
  page->section_count++;
  ts_str_addf(page->out, "<section aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">%zu ", page->section_count,
              page->section_count, page->section_count);
  ts_html_addf(page->out, "%s</h2>\n", title);
}

void ts_page_section_close(struct ts_page *page) { ts_str_add(page->out, "</section>\n"); }

void ts_page_paragraph(struct ts_page *page, const char *text) { ts_html_addf(page->out, "<p>%s</p>\n", text); }

void ts_page_chart(struct ts_page *page, const struct ts_chart *chart, double wide_px) {
  chart->draw(page->out, chart, wide_px > TS_CHART_HALF_PX ? "full" : "half", wide_px);
  chart->draw(page->out, chart, wide_px > TS_CHART_HALF_PX ? "full-narrow" : "half-narrow", TS_CHART_NARROW_PX);
}

void ts_page_legend(struct ts_page *page, const struct ts_look *looks, size_t count) {
  ts_str_add(page->out, "<ul class=\"legend\">\n");
  for (size_t i = 0; i < count; i++) {
    ts_str_add(page->out, "<li><svg class=\"key\" width=\"14\" height=\"14\" aria-hidden=\"true\">");
    ts_svg_marker(page->out, &looks[i], 7, 7, 5);
    ts_html_addf(page->out, "</svg> %s</li>\n", looks[i].name);
  }
  ts_str_add(page->out, "</ul>\n");
}

void ts_table_open(struct ts_table *table, struct ts_page *page, const char *name, const char *collapsed,
                   const char *const *headers, const char *align) {
  *table = (struct ts_table){.page = page, .align = align};
  struct ts_str *out = page->out;
  if (collapsed) {
    ts_html_addf(out, "<details><summary>%s</summary>\n", collapsed);
  }
  ts_html_addf(out, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"%s\"><table>\n<thead><tr>", name);
  for (size_t i = 0; i < strlen(align); i++) {
    ts_str_addf(out, "<th scope=\"col\"%s>", align[i] == 'r' ? " class=\"r\"" : "");
    ts_html_addf(out, "%s</th>", headers[i]);
  }
  ts_str_add(out, "</tr></thead>\n<tbody>\n");
}

static void cell_open(struct ts_table *table) {
  struct ts_str *out = table->page->out;
  if (table->column == 0) {
    ts_str_add(out, "<tr><th scope=\"row\">");
  } else {
    ts_str_add(out, table->align[table->column] == 'r' ? "<td class=\"r\">" : "<td>");
  }
}

static void cell_close(struct ts_table *table) {
  ts_str_add(table->page->out, table->column == 0 ? "</th>" : "</td>");
  if (!table->align[++table->column]) {
    ts_str_add(table->page->out, "</tr>\n");
    table->column = 0;
  }
}

void ts_table_text(struct ts_table *table, const char *text) {
  cell_open(table);
  ts_html_add(table->page->out, text);
  cell_close(table);
}

void ts_table_code(struct ts_table *table, const char *text) {
  cell_open(table);
  ts_html_addf(table->page->out, "<code>%s</code>", text);
  cell_close(table);
}

void ts_table_number(struct ts_table *table, double number) {
  char text[TS_NUMBER_SIZE];
  ts_table_text(table, ts_format_number(number, 3, text));
}

void ts_table_finding(struct ts_table *table, enum ts_finding finding) {
  ts_auto(ts_str_release) struct ts_str words = {0};
  ts_finding_add_words(finding, &words);
  ts_table_text(table, ts_str_get(&words));
}

void ts_table_close(struct ts_table *table, bool collapsed) {
  ts_str_add(table->page->out, "</tbody></table></div>\n");
  if (collapsed) ts_str_add(table->page->out, "</details>\n");
}

const struct ts_report_picture *ts_page_find_picture(const struct ts_page *page, const char *role) {
  for (size_t i = 0; i < page->picture_count; i++) {
    if (strcmp(page->pictures[i].role, role) == 0) return &page->pictures[i];
  }
  return NULL;
}

bool ts_page_is_first_picture(const struct ts_page *page, const struct ts_report_picture *picture) {
  static const char *const roles[] = {"default", "best", "different", "truth"};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (picture == ts_page_find_picture(page, roles[i])) return true;
  return false;
}

static unsigned long big_endian(const uint8_t *bytes) {
  return (unsigned long)bytes[0] << 24 | (unsigned long)bytes[1] << 16 | (unsigned long)bytes[2] << 8 | bytes[3];
}

struct size {
  unsigned long width, height; /* 0: not known */
};

/* In the first chunk of every PNG. */
static struct size size_of_png(const uint8_t *bytes, size_t length) {
  if (length < 24 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) return (struct size){0};
  return (struct size){big_endian(bytes + 16), big_endian(bytes + 20)};
}

/* In the segment of a JPEG that begins its frame (FF C0 to C2), behind some others. */
static struct size size_of_jpeg(const uint8_t *bytes, size_t length) {
  for (size_t at = 2; at + 9 < length && bytes[at] == 0xff;) {
    const uint8_t *segment = bytes + at;
    if (segment[1] >= 0xc0 && segment[1] <= 0xc2)
      return (struct size){(unsigned long)segment[7] << 8 | segment[8], (unsigned long)segment[5] << 8 | segment[6]};
    at += 2 + ((size_t)segment[2] << 8 | segment[3]);
  }
  return (struct size){0};
}

void ts_page_picture(struct ts_page *page, const struct ts_report_picture *picture) {
  struct ts_str *out = page->out;
  const bool is_jpeg = picture->png_bytes > 2 && picture->png[0] == 0xff && picture->png[1] == 0xd8;
  const struct size size = (is_jpeg ? size_of_jpeg : size_of_png)(picture->png, picture->png_bytes);
  ts_html_addf(out, "<figure class=\"picture\"><img alt=\"%s", picture->caption);
  ts_str_add_char(out, '"');
  /* With its size the page does not jump while it loads. */
  if (size.width > 0) ts_str_addf(out, " width=\"%lu\" height=\"%lu\"", size.width, size.height);
  ts_str_addf(out, " src=\"data:image/%s;base64,", is_jpeg ? "jpeg" : "png");
  ts_base64_add(out, picture->png, picture->png_bytes);
  ts_html_addf(out, "\"><figcaption>%s</figcaption></figure>\n", picture->caption);
}
