#!/usr/bin/env python3
"""Samples and analyses two million rows (with "all" ten): the answers are right, and memory stays within its limits.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import _support as support
from _sensitivity import close, ishigami_space, named
from _support import check, equal, say

FOLDER = support.scratch()
ALL = "all" in sys.argv[1:]
ROWS = 10_000_000 if ALL else 2_000_000
MOST_MB = {"morris": 600, "saltelli": 300, "vbd": 400, "mc": 400, "correlation": 1200} if ALL else {
    "morris": 150, "saltelli": 80, "vbd": 110, "mc": 110, "correlation": 300}


def measured(*words):
    """What the program prints, and the most memory it had, in megabytes."""
    with tempfile.TemporaryFile("w+") as out:
        run = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=FOLDER, env=support.environment(), stdout=out)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    peak = usage.ru_maxrss / 1000
    say(f"{' '.join(map(str, words[:4]))}: {usage.ru_utime + usage.ru_stime:.1f} s of CPU time, {peak:.0f} MB")
    equal(run.returncode, 0, f"exit of {words}")
    if not support.SANITIZED:
        check(peak < MOST_MB[words[2]], f"{words[0]} {words[2]} took {peak:.0f} MB")
    return text


def walk(sampler, words, method, more=()):
    """The output is x1 itself, so that no other file has to be written."""
    measured("sample", "--method", sampler, *words, "--space", "space.json", "-o", "design.csv", "--progress=none")
    text = measured("analyse", "--method", method, "--space", "space.json", "--design", "design.csv", "--outputs",
                    "design.csv", "--output-column", "x1", *more, "--json", "--progress=none")
    (FOLDER / "design.csv").unlink()
    reply = json.loads(text) if text else {}
    equal(reply.get("runs"), ROWS, f"{method}: runs")
    return reply


def main():
    support.need_program()
    free = os.statvfs(FOLDER)
    if free.f_bavail * free.f_frsize < 2_000_000_000:
        support.skip(f"less than 2 GB are free in {FOLDER}")
    ishigami_space(FOLDER / "space.json")
    reply = walk("morris", ("-N", ROWS // 4), "morris")
    for name, value in (("x1", 2 * math.pi), ("x2", 0), ("x3", 0)):
        check(close(named(reply, "mu_star").get(name), value, 1e-9), f"morris: {named(reply, 'mu_star')}")
    check(any("resamples" in text for text in reply["warnings"]), "morris: no word on the resamples")
    reply = walk("saltelli", ("-N", ROWS // 5, "--base", "mc"), "vbd")
    for name, value in (("x1", 1), ("x2", 0), ("x3", 0)):
        check(abs(named(reply, "S1")[name] - value) < 0.01, f"vbd: {named(reply, 'S1')}")
        check(abs(named(reply, "ST")[name] - value) < 0.01, f"vbd: {named(reply, 'ST')}")
    reply = walk("mc", ("-N", ROWS), "correlation")
    for name, value in (("x1", 1), ("x2", 0), ("x3", 0)):
        check(abs(named(reply, "pearson")[name] - value) < 0.01, f"correlation: {named(reply, 'pearson')}")
    support.finish()


main()
