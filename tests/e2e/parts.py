#!/usr/bin/env python3
"""Parts of tasks: objects that come back are recalled, and nobody can tell from the results.

Guards invariant 3.
SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 200
"""
import re

import _support as support
from _support import call, call_json, check, equal, say

SETS = ("--trajectories", "2", "--tile", "256")
# What to run, and whether parts are recalled.
CASES = {
    "threads": (("-j", 1), True),
    "two threads": (("-j", 2), True),
    "workers": (("--workers", 2, "-j", 1), True),
    "no parts": (("-j", 1, "--no-parts"), False),
    "workers, no parts": (("--workers", 2, "-j", 1, "--no-parts"), False),
    "no cutoff": (("-j", 2, "--no-cutoff"), False),
    "rtma": (("--workers", 2, "-j", 1, "--merge", "rtma"), False),
}


def check_cases(project):
    results, executed = {}, {}
    for name, (words, recalls) in CASES.items():
        out = name.replace(",", "").replace(" ", "-")
        reply = call_json("study", "-C", project, "--store", "memory", "-o", out, *SETS, *words)
        parts = reply.get("profile", {}).get("parts", {})
        say(f"{name}: {parts}, CPU {reply.get('cpu_s', 0):.2f} s")
        results.setdefault((project / out / "results.csv").read_bytes(), []).append(name)
        executed[name] = reply["reuse"]["executed"]
        if recalls:
            check(0 < parts.get("recalled", 0) < parts.get("asked", 0), f"{name}: {parts}")
        else:
            equal(parts, {"asked": 0, "recalled": 0}, f"{name}: parts")
    equal(len(results), 1, f"different results.csv: {list(results.values())}")
    equal(executed["threads"], executed["no parts"], "tasks executed with and without parts")


def check_verified(project):
    """Each call that recalls something is done again without: all agree, and the counts stay."""
    words = ("study", "-C", project, "--store", "memory", "-o", "verified", *SETS, "-j", 2)
    reply = call_json(*words, env=support.environment(TESSERA_VERIFY="1"))
    equal(reply.get("state"), "done", "the verified study")
    check(reply["profile"]["parts"]["recalled"] > 0, f"verified: {reply['profile']['parts']}")
    check((project / "verified/results.csv").read_bytes() == (project / "threads/results.csv").read_bytes(),
          "results.csv of the verified study differ")


def check_told(project):
    said = call("study", "-C", project, "--store", "memory", "-o", "told", *SETS, "-v", "--progress=none").stderr
    check(re.search(r"Parts of tasks: [\d ]+ of [\d ]+ recalled \([\d.]+ %\)\.", said), f"-v says: {said[-600:]}")


def main():
    support.need_program()
    project = support.scratch() / "demo"
    support.init_nuclei(project)
    check_cases(project)
    check_verified(project)
    check_told(project)
    support.finish()


main()
