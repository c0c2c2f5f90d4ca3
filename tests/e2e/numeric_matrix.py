#!/usr/bin/env python3
"""Runs the kernels built with -O0 and -O3 -march=native: every mask and image must be the same bytes as with -O2.

Guards invariant 1.
SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import os
import pathlib
import re
import subprocess

import _support as support
from _support import ROOT, check, equal, say

TESTS = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build")) / "tests"
# What tests/CMakeLists.txt builds: flags -> the programs and the test file in each that prints what it computed.
BUILDS = {
    "-O2": (("test_kernels", "vectors"), ("test_base", "exact_math")),
    "-O0": (("test_numbers_O0", "vectors"), ("test_numbers_O0", "exact_math")),
    "-O3 -march=native": (("test_numbers_O3", "vectors"), ("test_numbers_O3", "exact_math")),
}


def hashes(flags, programs):
    """The lines in which a test says what it computed; it also compares with the vectors.

    The kernels' tests take the fewer combinations of variants and threads that they have for slow builds."""
    lines = []
    for program, file in programs:
        run = subprocess.run([TESTS / program, file], capture_output=True, text=True,
                             env={**os.environ, "TESSERA_SHARED": str(support.SHARED), "TESSERA_SANITIZE": "address"})
        equal(run.returncode, 0, f"{flags}: exit of {program} {file}\n{run.stderr[-2000:]}")
        lines += [line for line in run.stdout.splitlines() if re.search(r"\b[0-9a-f]{16,}\b", line)]
    return lines


def main():
    support.need_shared("vectors/nuclei/expected.json")
    if not (TESTS / "test_numbers_O0").exists():
        support.skip("this build has no kernels with other optimisations (those with sanitizers and line counts have none)")
    found = {flags: hashes(flags, programs) for flags, programs in BUILDS.items()}
    for flags, lines in found.items():
        say(f"{flags}: {len(lines)} results")
    reference = found["-O0"]
    check(len(reference) >= 18 + 2, f"only {len(reference)} results were printed: {reference[:3]}")
    for flags, lines in found.items():
        equal([line for line in lines if line not in reference], [], f"results with {flags} that -O0 does not have")
        equal(len(lines), len(reference), f"results with {flags}")
    support.finish()


main()
