/* The report: one HTML file that needs nothing else, written from the result object of a study, a run or an analysis.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything is rendered from the object that `--json` prints (docs/report.md names its fields), so that a past run can
 * be rendered again. No script runs in it and nothing is fetched: text, tables and SVG charts, readable on a telephone,
 * on a wide screen and on paper. */
#ifndef TS_REPORT_REPORT_H
#define TS_REPORT_REPORT_H

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_report_picture {
  const char *role;    /* "default", "best", "truth" and "different" are on the first screen; "image" anything else */
  const char *caption; /* plain text; what it shows, also for those who cannot see it */
  const uint8_t *png;  /* borrowed; a PNG or a JPEG */
  size_t png_bytes;
};

/* Appends the whole page. Schemas tessera.study/2, tessera.run/2 and tessera.analyse/1; FORMAT_VERSION for anything
 * else. Fields that the object lacks are left out of the page. */
bool ts_report_write(const json_t *result, const struct ts_report_picture *pictures, size_t picture_count,
                     struct ts_str *html, struct ts_error *err);

/* Appends a page about a comparison, tessera.compare/1. Pictures have the role "pair N" of the pair of masks whose
 * `pictures` is N + 1. */
void ts_report_comparison(const json_t *result, const struct ts_report_picture *pictures, size_t picture_count,
                          struct ts_str *html);

#endif
