#!/usr/bin/env python3
"""tools/setup: --missing names the packages and the command, and installs nothing; without it apt-get is called.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
faults = []


def check(condition, what):
    if not condition:
        faults.append(what)
        print(f"FAULT: {what}")


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def setup(folder, *words):
    """Runs tools/setup where dpkg-query, apt-get and sudo are the folder's."""
    run = subprocess.run(["bash", str(ROOT / "tools/setup"), *words], capture_output=True, text=True, timeout=60,
                         env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    asked = folder / "asked"
    calls = asked.read_text(encoding="utf-8") if asked.exists() else ""
    asked.unlink(missing_ok=True)
    return run, calls


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-setup-"))
    program(folder, "apt-get", f'echo "$@" >>{folder}/asked')
    program(folder, "sudo", '"$@"')
    # Knows one package only; another one, which a command replaces, is never asked for.
    program(folder, "dpkg-query", '[ "${!#}" = libvips-dev ] && echo -n installed')
    run, calls = setup(folder, "--missing", "build")
    check(run.returncode == 1 and not calls, f"--missing: exit {run.returncode}, apt-get called with '{calls}'")
    check("libjansson-dev" in run.stderr and "make setup" in run.stderr, f"--missing says: {run.stderr}")
    check("libvips-dev" not in run.stderr and "gcc" not in run.stderr, f"--missing names what is there: {run.stderr}")
    run, calls = setup(folder, "build")
    check(run.returncode == 0 and "install" in calls and "libjansson-dev" in calls, f"without it: '{calls}' {run.stderr}")
    program(folder, "dpkg-query", "echo -n installed")
    for words in (["--missing", "build", "test"], ["build", "test"]):
        run, calls = setup(folder, *words)
        check((run.returncode, run.stderr, calls) == (0, "", ""), f"{words} with nothing missing: {run} {calls}")
    shutil.rmtree(folder)
    sys.exit(1 if faults else 0)


main()
