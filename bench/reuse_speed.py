#!/usr/bin/env python3
"""Measures what reuse saves on 458 recorded parameter sets and three images: time against a run that normalises once only.

SPDX-License-Identifier: Apache-2.0

usage: bench/reuse_speed.py [ROUNDS]; the program is build/tessera, or what TESSERA names.

Both sides start with an empty store on 2 threads. The baseline gets the normalised image and computes everything else
for every set, without a store (--no-reuse), so that the store costs only the side that profits from it. Rounds
alternate; the fastest of each side counts. Wall time means something on a quiet machine only. The bound is what the
executed tasks and the reading took, divided by the threads: nobody can be faster without faster tasks.
"""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))
import _support as support  # noqa: E402 (the path comes first)
from _support import SHARED, call, call_json  # noqa: E402

THREADS = 2
DESIGN = SHARED / "data/moat458.csv"
IMAGES = (SHARED / "data/histology/tiatoolbox/target_image.png",
          SHARED / "data/histology/openslide-os/OS-1-detail.rgb.png")
SLIDE = SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
WORKFLOW = support.ROOT / "workflows/nuclei/workflow.json"


def crop_slide(work):
    """A square of tissue; the alpha channel is left out."""
    part, image = work / "crop.v", work / "svs.png"
    subprocess.run(["vips", "crop", SLIDE, part, "600", "900", "1024", "1024"], check=True)
    subprocess.run(["vips", "extract_band", part, image, "0", "--n", "3"], check=True)
    return image


def make_project(folder, images, workflow):
    folder.mkdir()
    study = {"tessera": 1, "name": "speed", "workflow": "workflow.json", "data": {"files": [str(i) for i in images]},
             "outputs": [{"output": "compare.table:diff", "over_tiles": "sum"}, "compare.table:dice"],
             "reference": "default"}
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def without_normalisation(workflow):
    """The same workflow on an image that is normalised already."""
    workflow["stages"] = [stage for stage in workflow["stages"] if stage["name"] != "normalise"]
    for stage in workflow["stages"]:
        stage["in"] = {port: "image" if source == "normalise.image" else source for port, source in stage["in"].items()}
    return workflow


def measure(project, number, *words):
    """Wall and CPU seconds, the bound, and the bytes of results.csv."""
    reply = call_json("study", "-C", project, "--design", DESIGN, "-j", THREADS, "-o", f"out{number}", *words)
    raw = (project / f"out{number}/results.csv").read_bytes()
    profile = reply["profile"]
    bound = (profile["tasks_cpu_s"] + profile["read"]["cpu_s"]) / THREADS
    print(f"  {project.name}: {reply['reuse']['executed']} tasks, run {reply['run_s']:.2f} s, CPU {reply['cpu_s']:.2f} s, "
          f"bound {bound:.2f} s, run / bound {reply['run_s'] / bound:.3f}", flush=True)
    return reply["run_s"], reply["cpu_s"], reply["run_s"] / bound, raw


def main():
    support.need_program()
    support.need_shared("data/moat458.csv", *(str(i.relative_to(SHARED)) for i in (*IMAGES, SLIDE)))
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    work = support.scratch()
    images = [*IMAGES, crop_slide(work)]
    for image in images:
        call("run", WORKFLOW, "--only", "normalise", "--data", image, "--store", "memory", "--progress=none", "-o",
             work / "once")
    normalised = [work / "once" / image.stem / "normalise.image.png" for image in images]
    for number, image in enumerate(normalised):
        normalised[number] = image.rename(work / f"normalised{number}.png")
    workflow = WORKFLOW.read_text(encoding="utf-8")
    reuse = make_project(work / "reuse", images, json.loads(workflow))
    baseline = make_project(work / "baseline", normalised, without_normalisation(json.loads(workflow)))
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
