#!/usr/bin/env python3
"""Measures what reuse saves on 458 recorded parameter sets and three images: time against a run that normalises once only.

SPDX-License-Identifier: Apache-2.0

usage: bench/reuse_speed.py [ROUNDS]; the program is build/tessera, or what TESSERA names.

Both sides start with an empty store on 2 threads. The baseline gets the normalised image and computes everything else
for every set, without a store (--no-reuse), so that the store costs only the side that profits from it. Rounds
alternate; the fastest of each side counts. Wall time means something on a quiet machine only. The bound is what the
executed tasks and the reading took, divided by the threads: nobody can be faster without faster tasks.
"""
import shutil
import sys

import _nuclei as nuclei
from _nuclei import support
from _support import call_json

THREADS = 2


def measure(project, number, *words):
    """Wall and CPU seconds, the bound, and the bytes of results.csv."""
    reply = call_json("study", "-C", project, "--design", nuclei.MOAT, "-j", THREADS, "-o", f"out{number}", *words)
    raw = (project / f"out{number}/results.csv").read_bytes()
    profile = reply["profile"]
    bound = (profile["tasks_cpu_s"] + profile["read"]["cpu_s"]) / THREADS
    print(f"  {project.name}: {reply['reuse']['executed']} tasks, run {reply['run_s']:.2f} s, CPU {reply['cpu_s']:.2f} s, "
          f"bound {bound:.2f} s, run / bound {reply['run_s'] / bound:.3f}", flush=True)
    return reply["run_s"], reply["cpu_s"], reply["run_s"] / bound, raw


def main():
    nuclei.need_images()
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    work = support.scratch()
    images = nuclei.three_images(work)
    reuse = nuclei.make_project(work / "reuse", images)
    baseline = nuclei.make_project(work / "baseline", nuclei.normalise_once(images, work), normalise=False)
    times = {reuse: [], baseline: []}
    results = set()
    for number in range(rounds):
        for project, words in ((baseline, ("--no-reuse", "--store", "memory")), (reuse, ("--store", f"store{number}"))):
            *seconds, raw = measure(project, number, *words)
            times[project].append(seconds)
            results.add(raw)
        shutil.rmtree(reuse / f"store{number}")
    support.equal(len(results), 1, "different results.csv")
    (wall, cpu, _), (wall_reuse, cpu_reuse, share) = (map(min, zip(*times[side])) for side in (baseline, reuse))
    print(f"wall: {wall:.2f} s without reuse, {wall_reuse:.2f} s with: {wall / wall_reuse:.2f} times less")
    print(f"CPU: {cpu:.2f} s without reuse, {cpu_reuse:.2f} s with: {cpu / cpu_reuse:.2f} times less")
    print(f"with reuse the run took {share:.3f} times the bound")
    support.finish()


main()
