/* The style sheet of the report: one column on a telephone, two on a wide screen, plain on paper.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every chart is there in two drawings; exactly one of them is displayed at any width, so text keeps its size. */
#include "report/page_int.h"

static const char base[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0;background:#fff;color:#111827;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,"
    "'DejaVu Sans',sans-serif;overflow-wrap:break-word}\n"
    "header,main,footer{max-width:948px;margin:0 auto;padding:0 24px}\n"
    "header{padding-top:36px}\n"
    "footer{padding-top:8px;padding-bottom:40px;color:#4b5563;font-size:14px}\n"
    "h1{font-size:30px;line-height:1.2;margin:0 0 12px;max-width:30em}\n"
    "h2{font-size:20px;line-height:1.3;margin:48px 0 18px;padding-bottom:8px;border-bottom:1px solid #d1d5db}\n"
    "h3{font-size:16px;margin:28px 0 8px}\n"
    "p{margin:0 0 14px;max-width:44em}\n"
    ".answer{font-size:20px;line-height:1.45;margin-bottom:22px;max-width:38em}\n"
    ".cards{list-style:none;display:flex;flex-wrap:wrap;gap:12px;margin:0 0 30px;padding:0}\n"
    ".cards li{background:#f3f4f6;border-radius:8px;padding:12px 18px;min-width:132px;max-width:100%}\n"
    ".cards b{display:block;font-size:24px;line-height:1.25}\n"
    ".cards span{color:#4b5563;font-size:14px}\n"
    ".pair{display:grid;grid-template-columns:minmax(0,1fr);gap:28px 24px;align-items:start}\n"
    ".pictures{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:12px;align-items:start}\n"
    "figure{margin:0 0 8px;min-width:0}\n"
    "figcaption{color:#4b5563;font-size:14px;line-height:1.45;margin:4px 0 8px;max-width:46em}\n"
    ".picture img{display:block;max-width:100%;height:auto;border:1px solid #d1d5db;border-radius:4px}\n"
    "figure svg[role=img]{display:none;height:auto;overflow:hidden}\n"
    "figure svg.half-narrow,figure svg.full-narrow{display:block;width:100%;max-width:440px}\n"
    "svg text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#111827}\n"
    "svg text[fill='#ffffff']{fill:#fff}\n"
    "svg text[fill='#000000']{fill:#000}\n"
    "svg text[fill='#4b5563']{fill:#4b5563}\n"
    ".rim{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n"
    ".grid{stroke:#e5e7eb}\n"
    ".axis{stroke:#6b7280}\n"
    ".dash{stroke:#6b7280;stroke-dasharray:4 4}\n"
    ".whisker{stroke:#111827;stroke-width:1.5}\n"
    ".halo{stroke:#fff;stroke-width:4}\n"
    ".legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 10px;padding:0;font-size:14px}\n"
    ".legend li{display:flex;align-items:center;gap:6px}\n"
    ".key{flex:none}\n"
    "details{margin:4px 0 14px}\n"
    "summary{cursor:pointer;color:#075985;font-size:14px;padding:4px 0;width:fit-content}\n"
    "summary:hover{text-decoration:underline}\n"
    ":focus-visible{outline:3px solid #0072b2;outline-offset:2px;border-radius:2px}\n"
    ".scroll{overflow-x:auto;max-width:100%;margin:4px 0 16px}\n"
    ".tall{max-height:520px;overflow-y:auto}\n";

static const char tables_and_widths[] =
    "table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:5px 14px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid #e5e7eb}\n"
    "thead th{border-bottom:1px solid #6b7280;white-space:nowrap;color:#374151}\n"
    "tbody th{font-weight:500}\n"
    ".r{text-align:right;white-space:nowrap}\n"
    "code,pre{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px}\n"
    "td code,dd code{overflow-wrap:anywhere}\n"
    "pre{background:#f3f4f6;border-radius:6px;padding:12px 14px;margin:0 0 16px;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    "dl{display:grid;grid-template-columns:minmax(0,1fr);gap:2px 24px;margin:0 0 18px}\n"
    "dt{color:#4b5563;font-size:14px;line-height:24px}\n"
    "dd{margin:0 0 8px;overflow-wrap:anywhere}\n"
    ".small{font-size:14px;color:#4b5563}\n"
    "ul.notes{margin:0 0 16px;padding-left:22px}\n"
    ".notes li{margin-bottom:6px;max-width:44em}\n"
    "@media (min-width:560px){dl{grid-template-columns:max-content minmax(0,1fr)}dd{margin:0}}\n"
    "@media (min-width:560px){figure svg[role=img].half{display:block;width:100%;max-width:438px}"
    "figure svg[role=img].half-narrow{display:none}}\n"
    "@media (min-width:840px){figure svg[role=img].full{display:block;width:100%;max-width:900px}"
    "figure svg[role=img].full-narrow{display:none}}\n"
    "@media (min-width:900px){.pair{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}\n"
    "@media (max-width:559px){header,main,footer{padding-left:16px;padding-right:16px}"
    "header{padding-top:22px}h1{font-size:24px}.answer{font-size:18px}"
    ".cards{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:8px}"
    ".cards li{min-width:0;padding:10px 12px}.cards b{font-size:20px}}\n"
    "@media print{body{font-size:11pt}header,main,footer{max-width:none;padding-left:0;padding-right:0}"
    "h2,h3,summary{break-after:avoid}figure,.cards,tr{break-inside:avoid}"
    ".scroll{overflow:visible}table{font-size:8.5pt}th,td{padding-right:8px}.r,thead th{white-space:normal}"
    ".cards li{border:1px solid #9ca3af;background:#fff}"
    "figure svg[role=img].full{display:block;width:100%}figure svg[role=img].full-narrow{display:none}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

/* Pages without a list of analyses have no headings of this level, and stay as they were. */
static const char more_headings[] = "h4{font-size:15px;margin:16px 0 8px}\n";

void ts_page_add_style(const struct ts_page *page, struct ts_str *out) {
  ts_str_add(out, base);
  ts_str_add(out, tables_and_widths);
  if (page->view_count > 0) ts_str_add(out, more_headings);
}
