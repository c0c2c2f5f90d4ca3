#!/usr/bin/env python3
"""Runs stages on the images of the vectors: 18 masks bit for bit, background, normalisation; 1, 2 and 8 threads.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import json
import shutil
import subprocess

import _support as support
from _support import SHARED, call, check, equal, say

WORKFLOW = support.ROOT / "workflows/nuclei-tiles/workflow.json"
SLIDE = SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
THREADS = (1, 2, 8)


def crop(target, x, y, width, height):
    """A rectangle of the slide as RGB, made by another program."""
    part = target.with_suffix(".v")
    subprocess.run(["vips", "crop", SLIDE, part, *map(str, (x, y, width, height))], check=True)
    subprocess.run(["vips", "extract_band", part, target, "0", "--n", "3"], check=True)
    part.unlink()
    return target


def run_stage(stage, port, image, folder, threads, params):
    """The file that the stage wrote for the image; nothing of an earlier call is reused."""
    settings = [word for name, value in params.items() for word in ("-p", f"{name}={value}")]
    call("run", WORKFLOW, "--only", stage, "--data", image, "-j", threads, "--store", "memory", "--progress=none",
         "-o", folder, *settings)
    files = support.files_below(folder)
    wanted = f"{image.stem}/{stage}.{port}.png"
    others = {"run.json", f"{image.stem}/overlay.png"}
    equal(sorted(set(files) - others), [wanted], f"files of {stage} on {image.name}")
    return folder / wanted


def same_with_all_threads(name, stage, port, image, work, params):
    """Runs with 1, 2 and 8 threads; the files must be equal. The path of one of them."""
    paths = [run_stage(stage, port, image, work / f"{name}-j{threads}", threads, params) for threads in THREADS]
    contents = {path.read_bytes() for path in paths}
    equal(len(contents), 1, f"{name}: different files with {THREADS} threads")
    return paths[0]


def check_masks(expected, images, work):
    right = 0
    for case in expected["cases"]:
        name = f"{case['image']}-{case['case']}"
        path = same_with_all_threads(name, "segment", "mask", images[case["image"]], work, case["params"])
        width, height, channels, bits, raw = support.read_png(path)
        equal((channels, bits), (1, 8), f"{name}: channels and bits")
        equal(raw.count(255), case["foreground"], f"{name}: pixels of nuclei")
        right += equal(support.sha256(raw), case["sha256_of_raw_mask_bytes"], f"{name}: SHA-256 of the mask")
    say(f"masks: {right} of {len(expected['cases'])} bit for bit, each with {THREADS} threads")
    equal(len(expected["cases"]), 18, "cases")


def check_background(expected, work):
    """A tile of background has no nuclei; with limits that no pixel exceeds it is segmented as tissue is."""
    never = {"B": 255, "G": 255, "R": 255}
    for number, case in enumerate(expected["background"]["cases"]):
        image = crop(work / f"background{number}.png", *case["rect"])
        as_is = support.read_png(same_with_all_threads(f"bg{number}", "segment", "mask", image, work, {}))[4]
        tissue = support.read_png(run_stage("segment", "mask", image, work / f"bg{number}-never", 2, never))[4]
        say(f"background {case['rect']} ({case['status']}): {as_is.count(255)} pixels of nuclei, "
            f"{tissue.count(255)} if it were tissue")
        if case["mask"] == "all zero":
            equal(as_is.count(0), len(as_is), f"background {case['rect']}: zero pixels")
            check(tissue.count(255) > 0, f"background {case['rect']}: nothing to suppress, the check is empty")
        else:
            check(as_is == tissue and tissue.count(255) > 0, f"background {case['rect']} is not computed as usual")


def check_normalised(expected, images, work):
    for name, image in images.items():
        path = same_with_all_threads(f"{name}-normalised", "normalise", "image", image, work, {})
        found = support.read_png(path)
        wanted = support.read_png(SHARED / "vectors/nuclei" / expected["normalised"][name])
        equal(found[:4], wanted[:4], f"{name} normalised: size")
        distances = [abs(a - b) for a, b in zip(found[4], wanted[4]) if a != b]
        worst = max(distances, default=0)
        say(f"normalised {name}: {len(distances)} of {len(wanted[4])} bytes differ, by at most {worst}")
        check(len(distances) <= len(wanted[4]) / 1000, f"{name} normalised: {len(distances)} bytes differ")
        check(worst <= 1, f"{name} normalised: a byte differs by {worst}")


def main():
    support.need_program()
    support.need_shared("vectors/nuclei/expected.json", "data/histology")
    if not shutil.which("vips"):
        support.skip("the vips command (package libvips-tools) is not installed")
    expected = json.loads((SHARED / "vectors/nuclei/expected.json").read_text(encoding="utf-8"))
    work = support.scratch()
    images = {"tia": SHARED / expected["sources"]["tia"], "svs": crop(work / "svs.png", 600, 900, 1024, 1024)}
    check_masks(expected, images, work)
    check_background(expected, work)
    check_normalised(expected, images, work)
    support.finish()


main()
