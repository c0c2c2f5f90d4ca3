#!/usr/bin/env python3
"""Measures every way to share work between worker processes on the same images and parameter sets, in one run.

SPDX-License-Identifier: Apache-2.0

usage: bench/reuse_variants.py [-o FOLDER] [--workers N] [--case NAME]... [--variant NAME]... [--samples N] [--rounds N]

Cases: moat (458 recorded sets, 16 tiles), vbd (a Saltelli design of 8 parameters, 16 tiles), single (458 sets, one tile
that must be split). Variants: none (the normalised image is given, nothing else is reused), stage, naive, sca, rtma and
trtma (buckets of chain keys, nothing shared between buckets), lineage, cutoff (lineage with early cutoff) and parts (and
objects that come back in a tile). Each starts with an empty store. Results must be the same bytes for all. The bound is
what no plan can beat: each distinct content once, at the cost that its task had in that run, shared evenly by the workers.
FOLDER gets table.md, table.csv and plot.svg. Wall time means something on a quiet machine only.
"""
import argparse
import csv
import html
import pathlib
import shutil

import _nuclei as nuclei
from _nuclei import SHARED, support
from _support import call, call_json, say

BUCKETS = ("--keys", "chain", "--max-bucket-size", "10")
VARIANTS = {  # name -> words for the command line, what it is
    "none": (("--no-reuse", "--store", "memory"), "normalised once, nothing else reused"),
    "stage": (("--merge", "stage", "--no-cutoff"), "equal stages shared"),
    "naive": (("--merge", "naive", *BUCKETS), "consecutive runs, 10 per bucket"),
    "sca": (("--merge", "sca", *BUCKETS), "least cuts, 10 per bucket"),
    "rtma": (("--merge", "rtma", *BUCKETS), "reuse tree, 10 per bucket"),
    "trtma": (("--merge", "trtma", "--keys", "chain"), "reuse tree, 3 buckets per worker"),
    "lineage": (("--merge", "lineage", "--no-cutoff"), "every equal task shared"),
    "cutoff": (("--merge", "lineage", "--no-parts"), "and every equal content"),
    "parts": (("--merge", "lineage"), "and every equal object"),
}
SCA_MOST = 2000  # it refuses more: its planning grows with the fourth power
SPACE = SHARED / "vectors/reuse/space_vbd8.json"


class Case:
    """Images and parameter sets, with a project for the baseline and one for all others."""

    def __init__(self, name, work, images, design):
        self.name, self.folder, self.design = name, work / name, design
        self.folder.mkdir()
        self.reuse = nuclei.make_project(self.folder / "reuse", images)
        self.baseline = nuclei.make_project(self.folder / "baseline", nuclei.normalise_once(images, self.folder), False)
        self.tiles = len(images)
        self.sets = sum(1 for _ in design.open(encoding="utf-8")) - 1

    def measure(self, variant, workers):
        words = VARIANTS[variant][0]
        project = self.baseline if variant == "none" else self.reuse
        if "--store" not in words:
            words = (*words, "--store", "store")
        shutil.rmtree(project / "store", ignore_errors=True)
        reply = call_json("study", "-C", project, "--design", self.design, "--workers", workers, "-j", 1, "-o", "out",
                          *words, timeout=3600)
        return reply, (project / "out/results.csv").read_bytes()


def make_case(name, work, samples):
    if name == "single":
        return Case(name, work, [nuclei.crop(nuclei.SLIDE, work / "single.png", 86, 460, 2048, 2048)], nuclei.MOAT)
    design = nuclei.MOAT
    if name == "vbd":
        design = work / "vbd.csv"
        call("sample", "--method", "saltelli", "--base", "lhs", "--space", SPACE, "--count", samples, "--seed", 1,
             "-o", design)
    return Case(name, work, cut_tiles_once(work), design)


def cut_tiles_once(work):
    folder = work / "tiles"
    if folder.exists():
        return sorted(folder.glob("*.png"))
    folder.mkdir()
    return sorted(nuclei.cut_tiles(folder))


def bound_of(reply, distinct, workers):
    """Seconds: distinct tasks at the cost measured in this run, and reading, over the workers."""
    cost = sum(distinct[row["stage"], row["task"]] * row["cpu_s"] / row["calls"]
               for row in reply["by_task"] if row["calls"])
    return (cost + reply["profile"]["read"]["cpu_s"]) / workers


def run_case(case, variants, workers, rounds):
    """A row per variant: the fastest of the rounds."""
    rows, results = {}, {}
    for _ in range(rounds):
        for variant in variants:
            if variant == "sca" and case.sets > SCA_MOST:
                continue
            reply, raw = case.measure(variant, workers)
            results.setdefault(raw, []).append(variant)
            row = {"case": case.name, "variant": variant, "executed": reply["reuse"]["executed"],
                   "buckets": reply.get("buckets"), "run_s": reply["run_s"], "reply": reply}
            say(f"  {case.name} {variant}: {row['executed']} tasks, {row['run_s']:.2f} s")
            if variant not in rows or row["run_s"] < rows[variant]["run_s"]:
                rows[variant] = row
    support.equal(len(results), 1, f"{case.name}: different results.csv {list(results.values())}")
    # What is distinct does not depend on how the work was split: threads that share memory execute each content once.
    shared = call_json("study", "-C", case.reuse, "--design", case.design, "-j", workers, "--store", "memory", "-o",
                       "out", timeout=3600)
    distinct = {(row["stage"], row["task"]): row["executed"] for row in shared["by_task"]}
    for row in rows.values():
        row["bound_s"] = bound_of(row.pop("reply"), distinct, workers)
        row["over_bound"] = row["run_s"] / row["bound_s"]
        for other in ("none", "stage", "rtma"):
            row[f"times_{other}"] = rows[other]["run_s"] / row["run_s"] if other in rows else float("nan")
    return list(rows.values())


def write_table(rows, cases, workers, folder):
    lines = [f"Wall seconds with {workers} worker processes of one thread; bound: distinct contents at their measured "
             "cost, over the workers.", ""]
    for case in cases:
        lines += [f"**{case.name}**: {case.sets} parameter sets, {case.tiles} tile{'s' if case.tiles > 1 else ''}", "",
                  "| variant | what is shared | buckets | tasks | wall s | × none | × stage | × rtma | wall / bound |",
                  "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
        for row in rows:
            if row["case"] == case.name:
                lines.append(f"| {row['variant']} | {VARIANTS[row['variant']][1]} | {row['buckets'] or ''} | "
                             f"{row['executed']} | {row['run_s']:.2f} | {row['times_none']:.2f} | "
                             f"{row['times_stage']:.2f} | {row['times_rtma']:.2f} | {row['over_bound']:.2f} |")
        lines.append("")
    (folder / "table.md").write_text("\n".join(lines), encoding="utf-8")
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    say("\n".join(lines))


def write_plot(rows, cases, folder):
    """Bars of wall time per variant, with the bound as a line; a panel per case."""
    bar, left, width, panel = 24, 90, 640, 24 * len(VARIANTS) + 70
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 120}" height="{panel * len(cases)}" '
             'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>']
    for number, case in enumerate(cases):
        own = [row for row in rows if row["case"] == case.name]
        scale, top = width / max(row["run_s"] for row in own), number * panel + 40
        title = f"{case.name}: {case.sets} parameter sets, {case.tiles} tile{'s' if case.tiles > 1 else ''}"
        parts.append(f'<text x="8" y="{top - 18}" font-weight="bold">{html.escape(title)}</text>')
        for i, row in enumerate(own):
            y, long, bound = top + i * bar, row["run_s"] * scale, left + row["bound_s"] * scale
            parts.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{row["variant"]}</text>'
                         f'<rect x="{left}" y="{y + 2}" width="{long:.1f}" height="{bar - 6}" fill="#4477aa"/>'
                         f'<path d="M{bound:.1f} {y}v{bar - 2}" stroke="#cc3311" stroke-width="2"/>'
                         f'<text x="{left + long + 6:.1f}" y="{y + 15}">{row["run_s"]:.1f} s, '
                         f'{row["times_none"]:.2f}×</text>')
        parts.append(f'<text x="{left}" y="{top + len(own) * bar + 14}" fill="#555">wall time; × against none; '
                     'red: the bound of that run</text>')
    (folder / "plot.svg").write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=support.ROOT / "build/bench-reuse")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--case", action="append", choices=("moat", "vbd", "single"))
    parser.add_argument("--variant", action="append", choices=VARIANTS)
    parser.add_argument("--samples", type=int, default=200, help="base samples of vbd; 10 runs each")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    nuclei.need_images()
    support.need_shared(str(SPACE.relative_to(SHARED)))
    work = support.scratch()
    cases = [make_case(name, work, options.samples) for name in options.case or ("moat", "vbd", "single")]
    rows = [row for case in cases for row in run_case(case, options.variant or VARIANTS, options.workers,
                                                                 options.rounds)]
    options.output.mkdir(parents=True, exist_ok=True)
    write_table(rows, cases, options.workers, options.output)
    write_plot(rows, cases, options.output)
    say(f"written to {options.output}")
    support.finish()


main()
