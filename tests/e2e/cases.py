#!/usr/bin/env python3
"""Runs `tessera check` in every folder of tests/cases and compares what it prints with expected.txt.

Guards invariant 12: all faults at once, each with its place.
SPDX-License-Identifier: Apache-2.0

The file checked is study.json where there is one, otherwise workflow.json. Without expected.txt the file has no fault, and
if expected.txt has none, warnings only.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PROGRAM = os.environ.get("TESSERA", str(ROOT / "build/tessera"))


def fault_of(folder):
    """What is wrong with the program's answer, or None."""
    name = "study.json" if (folder / "study.json").exists() else "workflow.json"
    expected = folder / "expected.txt"
    wanted = expected.read_text(encoding="utf-8") if expected.exists() else None
    run = subprocess.run([PROGRAM, "check", name, "--color=never", "--progress=none"], cwd=folder, capture_output=True,
                         text=True, timeout=60)
    if wanted is None:
        return None if run.returncode == 0 else f"exit {run.returncode}, not 0:\n{run.stdout}{run.stderr}"
    count = wanted.count("error[T")
    code = 3 if count > 0 else 0
    if run.returncode != code:
        return f"exit {run.returncode}, not {code}:\n{run.stdout}{run.stderr}"
    if count > 1:  # several faults are followed by how many there are
        wanted += f"\n{count} faults\n"
    if wanted != run.stderr:
        return f"expected\n{wanted}found on stderr\n{run.stderr}"
    return None


def main():
    if not os.access(PROGRAM, os.X_OK):
        print(f"SKIP: there is no program {PROGRAM}")
        sys.exit(77)
    folders = sorted(path for path in (ROOT / "tests/cases").iterdir() if path.is_dir())
    faults = {folder.name: fault for folder in folders if (fault := fault_of(folder))}
    for name, fault in faults.items():
        print(f"== {name}: {fault}")
    print(f"{len(folders) - len(faults)} of {len(folders)} cases as expected")
    sys.exit(1 if faults or len(folders) < 93 else 0)


main()
