#!/usr/bin/env python3
"""Parameters in micrometres on a real slide and on the same slide at half the resolution: object counts within 3 %; each file
gets the pixels that its resolution gives; parameters in pixels bring a warning, and other counts.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.units)

The workflow is one of components, whose steps see areas and lengths that have a unit: grey values, means over squares, a
threshold, areas. Two means after each other, because one is over an odd number of pixels: at 0.5 and at 1 micrometre they cannot
be equally wide. Squares of 9 and 7 pixels here, of 5 and 3 pixels there smooth alike to 2 %, in variance: 4 * 5 + 3 * 4 = 32 thirds
of a squared pixel, and four times 2 * 3 + 1 * 2 = 8 of them, with 3/4 for the reduction of the slide.
The nuclei workflow cannot do this: its morphology has discs of a fixed number of pixels.
"""
import json
import subprocess

import _support as support
from _support import call_json, check, equal, say

SLIDE = support.SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"
UM = {"fine": 0.499, "coarse": 0.998}  # the slide's own, and what halving makes of it
SIZES = [10, 15, 20, 30, 50]  # smallest areas, square micrometres
VALUES = {"first": ("um", 2), "second": ("um", 1.3), "minArea": ("um2", 20), "maxArea": ("um2", 400), "extent": ("um", 50)}
WITHIN = 0.03


def task(name, op, inputs, **params):
    return {"name": name, "op": op, "in": inputs,
            "params": {port: value if isinstance(value, str) else {"value": value[0]} for port, value in params.items()}}


def workflow(parameters):
    smooth = [task("first", "pixels.smooth", {"gray": "gray.gray"}, radius="first"),
              task("second", "pixels.smooth", {"gray": "first.gray"}, radius="second")]
    return {
        "tessera": 1, "name": "dark", "inputs": {"image": {"type": "image/rgb8"}},
        "parameters": {**parameters, "below": {"type": "integer", "default": 120}},
        "stages": [
            {"name": "segment", "per": "tile", "in": {"image": "image"}, "out": {"mask": "select.mask"},
             "tasks": [{"name": "gray", "op": "pixels.gray", "in": {"image": "image"}}, *smooth,
                       task("dark", "pixels.threshold", {"gray": "second.gray"}, below="below"),
                       task("select", "pixels.select", {"mask": "dark.mask"}, minArea="minArea", maxArea="maxArea",
                            extent="extent")]},
            {"name": "measure", "per": "tile", "in": {"image": "image", "mask": "segment.mask"}, "out": {"pieces": "all.pieces"},
             "tasks": [task("all", "objects.measure_tile", {"image": "image", "mask": "mask"}, stitch=("components",))]},
            {"name": "objects", "per": "file", "in": {"pieces": "measure.pieces"}, "out": {"summary": "all.summary"},
             "tasks": [{"name": "all", "op": "objects.measure", "in": {"pieces": "pieces"}}]}]}


def in_um():
    declared = {name: {"type": "real", "unit": unit, "default": value} for name, (unit, value) in VALUES.items()}
    declared["minArea"]["grid"] = SIZES
    return declared


def pixels(um, size):
    """What a file of this resolution should get: lengths over the pixel's, areas over its area, to the nearest."""
    numbers = {name: int(value / (um if unit == "um" else um * um) + 0.5) for name, (unit, value) in VALUES.items()}
    return {**numbers, "minArea": int(size / (um * um) + 0.5)}


def in_px(numbers):
    declared = {name: {"type": "integer", "default": value} for name, value in numbers.items()}
    declared["minArea"]["grid"] = [numbers["minArea"], numbers["minArea"] + 1]
    return declared


def write(folder, name, parameters, manifest):
    (folder / f"{name}-workflow.json").write_text(json.dumps(workflow(parameters)), encoding="utf-8")
    (folder / f"{name}.csv").write_text(manifest, encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(
        {"tessera": 1, "workflow": f"{name}-workflow.json", "data": {"manifest": f"{name}.csv", "tile": 0},
         "method": {"name": "grid"}, "outputs": ["objects.summary:count"]}), encoding="utf-8")


def about_resolution(reply):
    return [warning for warning in reply["warnings"] if "micrometres per pixel" in warning or "resolution" in warning]


def study(folder, name):
    """The reply, and by file the counts in the order of the sets."""
    reply = call_json("study", "-C", folder, f"{name}.json", "-o", name)
    counts = {}
    for row in support.read_csv(folder / name / "results-by-file.csv"):
        if row["set"] != "default":
            counts.setdefault(row["file"], []).append(float(row["objects.summary:count"]))
    return reply, counts


def main():
    support.need_program()
    support.need_shared(str(SLIDE.relative_to(support.SHARED)))
    folder = support.scratch()
    (folder / "fine.svs").symlink_to(SLIDE)
    subprocess.run(["vips", "shrink", str(SLIDE), str(folder / "reduced.v"), "2", "2"], check=True)
    subprocess.run(["vips", "extract_band", str(folder / "reduced.v"), str(folder / "coarse.png"), "0", "--n", "3"], check=True)
    both = f"image,mpp\nfine.svs,\ncoarse.png,{UM['coarse']}\n"

    write(folder, "um", in_um(), both)
    reply, counts = study(folder, "um")
    equal(about_resolution(reply), [], "warnings about the resolution with units")
    equal({row["path"].split("/")[-1].split(".")[0] for row in reply["inputs"]}, set(UM), "files")
    for size, fine, coarse in zip(SIZES, counts["fine"], counts["coarse"], strict=True):
        check(fine > 200 and abs(coarse - fine) <= WITHIN * fine, f"{size} square micrometres: {fine} and {coarse} objects")
        say(f"at least {size} µm²: {fine:.0f} objects at 0.499, {coarse:.0f} at 0.998 µm/px ({coarse / fine - 1:+.1%})")

    for name, um in UM.items():
        for number in (0, len(SIZES) - 1):
            write(folder, "px", in_px(pixels(um, SIZES[number])), f"image\n{name}.{'svs' if name == 'fine' else 'png'}\n")
            equal(study(folder, "px")[1][name][0], counts[name][number], f"{name}, {SIZES[number]} square micrometres in pixels")

    write(folder, "same-px", in_px(pixels(UM["fine"], 20)), both)
    reply, same = study(folder, "same-px")
    equal(len(about_resolution(reply)), 1, f"warnings about the resolution with pixels: {reply['warnings']}")
    fine, coarse = same["fine"][0], same["coarse"][0]
    check(abs(coarse - fine) > 10 * WITHIN * fine, f"the same pixels give {fine} and {coarse} objects: units make no difference")
    say(f"the same pixels: {fine:.0f} and {coarse:.0f} objects")
    support.finish()


main()
