#!/usr/bin/env python3
"""Builds the kernels with -O0 and -O3 -march=native: every mask and image must be the same bytes as with -O2.

Guards invariant 1.
SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 600
"""
import os
import pathlib
import re
import subprocess

import _support as support
from _support import ROOT, check, equal, say

BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build"))  # what make test builds, with -O2
FLAGS = ("-O0", "-O3 -march=native")
TARGETS = ("test_kernels_vectors", "test_base_exact_math")


def build(folder, flags):
    """Only the tests that print or check exact numbers; nothing else is needed."""
    setup = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DTESSERA_OPT_FLAGS={flags}"]
    for command in (setup, ["cmake", "--build", folder, "--target", *TARGETS]):
        run = subprocess.run(command, capture_output=True, text=True)
        if not equal(run.returncode, 0, f"{flags}: exit of {' '.join(map(str, command[:2]))}"):
            say((run.stdout + run.stderr)[-3000:])
            support.finish()


def hashes(folder, flags):
    """The lines in which a test says what it computed; it also compares with the vectors."""
    lines = []
    for target in TARGETS:
        run = subprocess.run([folder / "tests" / target], capture_output=True, text=True,
                             env={**os.environ, "TESSERA_SHARED": str(support.SHARED)})
        equal(run.returncode, 0, f"{flags}: exit of {target}\n{run.stderr[-2000:]}")
        lines += [line for line in run.stdout.splitlines() if re.search(r"\b[0-9a-f]{16,}\b", line)]
    return lines


def main():
    support.need_shared("vectors/nuclei/expected.json")
    work = support.scratch()
    found = {"the build under test": hashes(BUILD, "the build under test")}
    for number, flags in enumerate(FLAGS):
        build(work / str(number), flags)
        found[flags] = hashes(work / str(number), flags)
    for flags, lines in found.items():
        say(f"{flags}: {len(lines)} results")
    reference = found[FLAGS[0]]
    check(len(reference) >= 18 + 2, f"only {len(reference)} results were printed: {reference[:3]}")
    for flags, lines in found.items():
        equal([line for line in lines if line not in reference], [], f"results with {flags} that -O0 does not have")
        equal(len(lines), len(reference), f"results with {flags}")
    support.finish()


main()
