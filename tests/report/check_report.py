#!/usr/bin/env python3
"""Checks the structure of reports without a browser: check_report.py REPORT.html...

SPDX-License-Identifier: Apache-2.0

Every element is closed where it must be, ids are unique, headings do not skip a level, charts are well-formed XML with a
sentence as their name, pictures have a text, nothing refers to anything outside, no script runs, and the embedded object is
JSON with a schema.
"""
import html.parser
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

VOID = {"meta", "img", "br", "hr", "link", "input"}
SVG_EMPTY = {"rect", "line", "circle", "path"}
LIMIT_BYTES = 1_000_000


class Page(html.parser.HTMLParser):
    """Follows the tags and gathers faults."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.faults, self.open, self.ids, self.headings = [], [], set(), []
        self.charts = self.tables = 0
        self.data = ""

    def fault(self, text):
        self.faults.append(f"line {self.getpos()[0]}: {text}")

    def handle_startendtag(self, tag, attrs):
        if tag not in SVG_EMPTY and tag not in VOID:
            self.fault(f"<{tag}/> closes itself")
        self.check(tag, dict(attrs))

    def handle_starttag(self, tag, attrs):
        self.check(tag, dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> where {self.open[-1:]} is open")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.data += data

    def check(self, tag, attrs):
        identifier = attrs.get("id")
        if identifier in self.ids:
            self.fault(f"the id '{identifier}' is there twice")
        if identifier:
            self.ids.add(identifier)
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            if attrs.get(name) and not attrs[name].startswith(("data:", "#")):
                self.fault(f"<{tag}> refers to '{attrs[name][:60]}'")
        if any(name.startswith("on") for name in attrs):
            self.fault(f"<{tag}> has a handler")
        if tag == "script" and attrs.get("type") != "application/json":
            self.fault("a script runs")
        if tag == "img" and not attrs.get("alt"):
            self.fault("a picture without a text")
        if tag == "table":
            self.tables += 1
        if tag == "svg" and attrs.get("role") == "img":
            self.charts += 1
            if not re.fullmatch(r"[A-Z].{20,}\.", attrs.get("aria-label", ""), re.DOTALL):
                self.fault(f"the label of a chart is no sentence: '{attrs.get('aria-label')}'")
        if re.fullmatch(r"h[1-6]", tag):
            level = int(tag[1])
            if level > (self.headings[-1] if self.headings else 0) + 1:
                self.fault(f"<{tag}> skips a level")
            self.headings.append(level)


def check_result(text):
    """The faults of the embedded object."""
    if "<" in text:
        return ["the embedded object contains '<'"]
    try:
        schema = json.loads(text).get("schema", "")
    except ValueError as error:
        return [f"the embedded object is no JSON: {error}"]
    return [] if re.fullmatch(r"tessera\.(study|run|analyse)/\d+", schema) else [f"the schema is '{schema}'"]


def check(path):
    text = path.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults
    if page.open:
        faults.append(f"not closed at the end: {page.open}")
    if page.headings.count(1) != 1:
        faults.append(f"{page.headings.count(1)} main headings")
    if page.charts and page.tables * 2 < page.charts:
        faults.append(f"{page.charts} drawings but only {page.tables} tables")
    for match in re.finditer(r"<svg\b.*?</svg>", text, re.DOTALL):
        try:
            xml.etree.ElementTree.fromstring(match.group())
        except xml.etree.ElementTree.ParseError as error:
            faults.append(f"a chart is no XML ({error}): {match.group()[:80]}")
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    faults += [f"the style sheet contains '{word}'" for word in ("@import", "url(", "http") if word in style]
    faults += check_result(page.data)
    size = len(re.sub(r'src="data:[^"]*"', "", text).encode()) - len(page.data.encode())
    if size > LIMIT_BYTES:
        faults.append(f"{size} bytes without pictures and data")
    return faults


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    if not paths:
        sys.exit("usage: check_report.py REPORT.html...")
    count = 0
    for path in paths:
        faults = check(path)
        count += len(faults)
        print("\n".join(f"{path.name}: {fault}" for fault in faults), end="\n" if faults else "")
    print(f"{len(paths)} reports, {count} faults")
    sys.exit(1 if count else 0)


main()
