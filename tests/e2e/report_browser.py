#!/usr/bin/env python3
"""Opens the reports of both workflows, pages of analyses and the page of a comparison in a browser: accessible, nothing cut or
overlapping, no outside request.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import os
import shutil
import subprocess

import _support as support
from _sensitivity import ishigami, ishigami_space, read_dicts, write_column
from _support import ROOT, call, call_json, check, equal, say

TOOLS = ROOT / "tests/report"


def need_browser():
    if not shutil.which("node") or not shutil.which("npm"):
        support.skip("node and npm are not installed")
    if not os.path.exists(os.environ.get("CHROMIUM", "/usr/bin/chromium")):
        support.skip("Chromium is not installed")
    if not all((TOOLS / "node_modules" / name).is_dir() for name in ("axe-core", "playwright-core")):
        run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=TOOLS, capture_output=True, text=True)
        equal(run.returncode, 0, f"exit of npm ci:\n{run.stdout}{run.stderr}")


def open_reports(*reports, pictures=None):
    """The finished browser test of these pages."""
    words = ["--pictures", pictures] if pictures else []
    return subprocess.run(["node", TOOLS / "axe_test.mjs", *words, *reports], capture_output=True, text=True, timeout=240)


def check_reports(reports, pictures):
    run = open_reports(*reports, pictures=pictures)
    say(run.stdout.strip())
    equal(run.returncode, 0, f"exit of the browser test:\n{run.stdout}{run.stderr}")
    made = {path.name for path in pictures.iterdir()} if pictures.is_dir() else set()
    wanted = {f"{report.stem}{ending}" for report in reports for ending in ("-1280.png", "-375.png", ".pdf")}
    equal(wanted - made, set(), "pictures that were not made")


def write_analyses(folder):
    """Pages of `analyse` with each kind of plot: indices and pairs of variance, the plane of Morris, bars with a sign."""
    pages = []
    folder.mkdir()
    ishigami_space(folder / "space.json")
    for method, count, words in (("sobol", 256, ("--convergence",)), ("morris", 12, ()), ("lhs", 200, ())):
        call("sample", "--method", method, "--space", "space.json", "-N", count, "-o", "design.csv", cwd=folder)
        write_column(folder / "y.csv", [ishigami(row) for row in read_dicts(folder / "design.csv")])
        call("analyse", "--design", "design.csv", "--outputs", "y.csv", "-o", f"{method}.html", *words, cwd=folder)
        pages.append(folder / f"{method}.html")
    return pages


def check_failing(work):
    """The test must be able to fail: a picture without a text, a line that is too wide, cells that cannot be read.

    Cells that look alike are measured once: the pale one is the third, and pale through the row it stands in.
    """
    page = work / "bad.html"
    page.write_text("<!doctype html><html><body><img src='x.png'><div style='width:3000px'>wide</div>"
                    "<table><tr><td>1</td><td>2</td></tr><tr style='color:#ccc'><td>pale</td><td>pale</td></tr></table>"
                    "</body></html>", encoding="utf-8")
    run = open_reports(page)
    found = run.stdout + run.stderr
    for what in ("axe image-alt", "px wide", "axe color-contrast", "the page asks for"):
        check(run.returncode == 1 and what in found, f"'{what}' was not found out:\n{found}")


def main():
    support.need_program()
    need_browser()
    work = support.scratch()
    call("init", "--demo", "nuclei", work / "nuclei")
    call("study", "-C", work / "nuclei", "--progress=none", "-o", work / "out")
    call("init", "--demo", "decay", work / "decay")
    subprocess.run(["make", "-s", "-C", work / "decay/plugin", f"TESSERA_INCLUDE={ROOT / 'include'}"], check=True)
    call("study", "-C", work / "decay", "--progress=none", "-o", work / "out2")
    runs = [call_json("run", "-C", work / "nuclei", "-p", f"G1={value}")["run"] for value in (80, 60)]
    call("compare", "-C", work / "nuclei", *runs, "--report", work / "compare.html")
    check_reports([(work / "out/report.html").rename(work / "nuclei.html"),
                   (work / "out2/report.html").rename(work / "decay.html"), work / "compare.html",
                   *write_analyses(work / "analyses")], work / "pictures")
    check_failing(work)
    support.finish()


main()
