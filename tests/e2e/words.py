#!/usr/bin/env python3
"""What a study says in words agrees with its own table: findings, counts, numbers in brackets, the warning about ranks.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300

The findings are computed here from the indices of the reply, by the definitions of docs/report.md.
"""
import re

import _support as support
from _support import call, call_json, check, equal, say

HAS_SIGN = {"correlation", "regression"}
ZERO_IS_EXACT = {"morris", "vbd", "dgsm"}
INERT = {"pawn": "mean of an inert input", "delta": "delta of an inert input"}
STUDIES = (("--trajectories", 10), ("--trajectories", 3), ("--method", "lhs", "--count", 128),
           ("--method", "fast", "--count", 65), ("--method", "two-phase", "--count", 16))


def size(analysis, value):
    return abs(value) if analysis["method"] in HAS_SIGN else value


def finding(analysis, row, largest, inert):
    """By the lower and the upper end of the interval of the index that ranks."""
    column = analysis["rank_by"]
    value, low, high = (row[column + end] for end in ("", "_lo", "_hi"))
    if value is None:
        return "unknown"
    unit, above = largest - inert, size(analysis, value) - inert
    has_interval = low is not None and high is not None
    if has_interval:
        measurable = low > 0 or high < 0 if analysis["method"] in HAS_SIGN else low > inert
        end = max(abs(low), abs(high)) if analysis["method"] in HAS_SIGN else high
    else:
        measurable, end = above > 0, size(analysis, value)
    if measurable:
        if has_interval and end - inert < 0.05 * unit:
            return "below_share"
        return "deciding" if above >= 0.2 * unit else "smaller"
    if value == 0 and end <= inert:
        return "none" if has_interval or row["n"] > 1 else "unclear"
    small = end - inert < 0.05 * unit if analysis["method"] in ZERO_IS_EXACT else above < 0.2 * unit
    return "none" if small else "unclear"


def expected_findings(analysis):
    column = analysis["rank_by"]
    inert = analysis.get("facts", {}).get(INERT.get(analysis["method"], ""), 0)
    known = [size(analysis, row[column]) for row in analysis["indices"] if row[column] is not None]
    return {row["name"]: finding(analysis, row, max([0, *known]), inert) for row in analysis["indices"]}


def number(text):
    return float(text.replace("\xa0", "").replace("\u2212", "-"))


def check_counts(what, answer, findings):
    """The counts and numbers of clauses about others."""
    for words, wanted in ((r"(\d+) (?:other )?parameters? ha(?:s|ve) no measurable effect", "none"),
                          (r"(\d+) (?:other )?parameters? (?:is|are each) below 5.% of the largest", "below_share")):
        found = re.search(words, answer)
        count = sum(value == wanted for value in findings.values())
        equal(int(found.group(1)) if found else 0, count, f"{what}: {wanted} in '{answer}'")


def check_bracket(what, answer, analysis, findings):
    """'at most' of upper ends is the largest upper end of exactly those parameters."""
    for words, wanted in ((r"no measurable effect[^;(]*\([^)]*upper ends of \S+ at most ([^)]+)\)", "none"),
                          (r"below 5.% of the largest[^;(]*\([^)]*upper ends of \S+ at most ([^)]+)\)", "below_share")):
        found = re.search(words, answer)
        if not found:
            continue
        column = analysis["rank_by"]
        ends = [max(size(analysis, row[column + "_lo"]), size(analysis, row[column + "_hi"]))
                for row in analysis["indices"] if findings[row["name"]] == wanted]
        check(max(ends) <= number(found.group(1)) <= 1.1 * max(ends) + 1e-12,
              f"{what}: {found.group(1)} in '{answer}', while the largest is {max(ends)}")


def check_warning(what, reply, findings):
    texts = [text for text in reply.get("warnings", []) if "neighbouring ranks" in text]
    for text in texts:
        say(f"  {text}")
        check("first two" not in text, f"{what}: '{text}' does not name its pair")
        pairs = re.findall(r"(\w+) and (\w+)", text.split("(")[1].split(")")[0])
        for pair in pairs:
            if pair[1].isdigit():
                continue
            check(any(findings.get(name) in ("deciding", "smaller", "unclear") for name in pair),
                  f"{what}: the order of {pair} matters to nobody")
        last = re.search(r"separate (\w+) and (\w+)$", text)
        check(not last or last.groups() == pairs[0], f"{what}: '{text}' names another pair")


def check_study(project, words):
    what = " ".join(str(word) for word in words)
    reply = call_json("study", "-C", project, "--store", "store", "-o", "out", "-j", 2, *words)
    answer = reply["answer"]
    say(f"{what}: {answer}")
    for analysis in reply["analyses"]:
        expected = expected_findings(analysis)
        equal({row["name"]: row.get("finding") for row in analysis["indices"]}, expected,
              f"{what}: findings of {analysis['output']} by {analysis['method']}")
    phase = max(item["phase"] for item in reply["analyses"])
    first = next(item for item in reply["analyses"] if item["phase"] == phase)
    findings = expected_findings(first)
    check_counts(what, answer, findings)
    check_bracket(what, answer, first, findings)
    check_warning(what, reply, findings)
    page = (project / "out/report.html").read_text(encoding="utf-8").split("<script")[0]
    measurable = sum(value in ("deciding", "smaller", "below_share") for value in findings.values())
    if first["rank_by"] == "mu_star":
        check(f"<b>{measurable} of {len(findings)}</b>" in page, f"{what}: the card does not count {measurable}")
    check("mu_star" not in page and "\u03bc" not in page, f"{what}: mu* has several spellings")


def main():
    support.need_program()
    project = support.scratch() / "project"
    call("init", "--demo", "nuclei", project)
    for words in STUDIES:
        check_study(project, words)
    support.finish()


main()
