#!/usr/bin/env python3
"""Opens the reports of both workflows in a browser: accessible, nothing cut or overlapping, no outside request.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import os
import shutil
import subprocess

import _support as support
from _support import ROOT, call, check, equal, say

TOOLS = ROOT / "tests/report"


def need_browser():
    if not shutil.which("node") or not shutil.which("npm"):
        support.skip("node and npm are not installed")
    if not os.path.exists(os.environ.get("CHROMIUM", "/usr/bin/chromium")):
        support.skip("Chromium is not installed")
    if not all((TOOLS / "node_modules" / name).is_dir() for name in ("axe-core", "playwright-core")):
        run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=TOOLS, capture_output=True, text=True)
        equal(run.returncode, 0, f"exit of npm ci:\n{run.stdout}{run.stderr}")


def check_report(report, pictures):
    run = subprocess.run(["node", TOOLS / "axe_test.mjs", report, pictures], capture_output=True, text=True,
                         timeout=240)
    say(run.stdout.strip())
    equal(run.returncode, 0, f"exit of the browser test on {report.name}:\n{run.stdout}{run.stderr}")
    made = sorted(path.name for path in pictures.iterdir()) if pictures.is_dir() else []
    check(len([name for name in made if name.endswith(".png")]) >= 2, f"no screenshots were taken: {made}")


def check_failing(work):
    """The test must be able to fail: a page with a picture without a text and a line that is too wide."""
    page = work / "bad.html"
    page.write_text("<!doctype html><html><body><img src='x.png'><div style='width:3000px'>wide</div></body></html>",
                    encoding="utf-8")
    run = subprocess.run(["node", TOOLS / "axe_test.mjs", page, work / "bad"], capture_output=True, text=True,
                         timeout=240)
    found = run.stdout + run.stderr
    check(run.returncode == 1 and "axe image-alt" in found and "px wide" in found,
          f"a bad page was not found out:\n{found}")


def main():
    support.need_program()
    need_browser()
    work = support.scratch()
    call("init", "--demo", "nuclei", work / "nuclei")
    call("study", "-C", work / "nuclei", "--progress=none", "-o", work / "out")
    check_report((work / "out/report.html").rename(work / "out/nuclei.html"), work / "pictures")
    call("init", "--demo", "decay", work / "decay")
    subprocess.run(["make", "-s", "-C", work / "decay/plugin", f"TESSERA_INCLUDE={ROOT / 'include'}"], check=True)
    call("study", "-C", work / "decay", "--progress=none", "-o", work / "out2")
    check_report((work / "out2/report.html").rename(work / "out2/decay.html"), work / "pictures2")
    check_failing(work)
    support.finish()


main()
