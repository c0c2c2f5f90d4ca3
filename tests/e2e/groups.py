#!/usr/bin/env python3
"""Scores by slide, by group and over a cohort, and their intervals over slides, against sums over the masks that a run wrote;
on made images, and on real ones with the truth of others where they are there.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)

Nothing of the program's arithmetic is used: masks are compared pixel by pixel and object by object here. The interval of a
group of one slide is not known; that of two slides of which each resample draws two ends at the lower and at the higher score,
as a quarter of all resamples each draws one of them twice.
"""
import json
import pathlib
import statistics

import _support as support
from _masks import close, counts_of, join, read_masks, scores, write_png
from _support import call, call_json, check, equal, say

COHORT = support.SHARED / "data/histology/dsb2018"
SLIDES = {"a": ("p1", "north"), "b": ("p1", "south"), "c": ("p2", "north"), "d": ("p3", "south"), "e": ("p3", "south")}
WORKFLOW = {
    "tessera": 1, "name": "count", "inputs": {"found": {"type": "mask"}, "reference": {"type": "mask"}},
    "parameters": {"minSizeSeg": {"type": "integer", "domain": [0, 200000], "grid": [0, 12], "default": 0}},
    "stages": [
        {"name": "segment", "per": "tile", "in": {"mask": "found"}, "out": {"mask": "size.mask"},
         "tasks": [{"name": "size", "op": "nuclei.final_size", "in": {"split": "mask"},
                    "params": {"minSizeSeg": "minSizeSeg", "maxSizeSeg": {"value": 200001}, "FH": {"value": 4}}}]},
        {"name": "compare", "per": "tile", "in": {"mask": "segment.mask", "reference": "reference"},
         "out": {"table": "scores.table"},
         "tasks": [{"name": "scores", "op": "nuclei.compare", "in": {"mask": "mask", "reference": "reference"}}]}]}
COUNTS = ("diff",)


def draw(width, height, boxes):
    rows = [bytearray(width) for _ in range(height)]
    for x, y, wide, high in boxes:
        for row in rows[y:y + high]:
            row[x:x + wide] = b"\xff" * wide
    return b"".join(map(bytes, rows))


def make_project():
    """Five slides of two tiles; the found boxes are shifted by another distance on each."""
    folder = support.scratch() / "made"
    folder.mkdir()
    manifest = ["patient,found,reference,site"]
    for number, (name, (patient, site)) in enumerate(SLIDES.items()):
        truth = [(4, 4, 9, 9), (20, 10, 8, 8), (40, 6, 10, 6)]
        found = [(x + number, y + number // 2, wide, high) for x, y, wide, high in truth[:3 - number % 2]]
        write_png(folder / f"{name}.png", 64, 32, 1, draw(64, 32, found))
        write_png(folder / f"{name}-truth.png", 64, 32, 1, draw(64, 32, truth))
        manifest.append(f"{patient},{name}.png,{name}-truth.png,{site}")
    (folder / "data.csv").write_text("\n".join(manifest) + "\n", encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    write_study(folder, {"manifest": "data.csv", "tile": 32, "groups": ["patient", "site"]})
    return folder


def write_study(folder, data, workflow="workflow.json"):
    study = {"tessera": 1, "name": "cohort", "workflow": workflow, "data": data, "outputs": ["compare.table:dice"]}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")


def cut(image, width, height, tile):
    return {(x, y): (min(tile, width - x), min(tile, height - y),
                     [image[row * width + x:row * width + min(x + tile, width)] for row in range(y, min(y + tile, height))])
            for y in range(0, height, tile) for x in range(0, width, tile)}


def slide_scores(folder, truth, tile):
    """All scores of one slide from its masks."""
    found = read_masks(folder)
    width, height, _ = join(found)
    counts = counts_of(found, cut(truth, width, height, tile))
    own = {name: above / below if below else 1.0 for name, (above, below) in scores(counts).items()}
    return {**own, **{name: counts[name] for name in COUNTS}}


def mean_of(slides):
    return {name: sum(s[name] for s in slides) if name in COUNTS else statistics.fmean(s[name] for s in slides)
            for name in slides[0]}


def same(found, wanted, what):
    for name, value in wanted.items():
        close(found["values"].get(name), value, f"{what}: {name}")


def check_reply(reply, slides, groups, what):
    """`slides`: scores by name of a file; `groups`: by (group, value), in the order of the reply, names of files."""
    equal([row["file"] for row in reply["quality"]], list(slides), f"{what}: files")
    for row in reply["quality"]:
        same(row, slides[row["file"]], f"{what}: {row['file']}")
    whole = reply["quality_over_files"][0]
    same(whole, mean_of(list(slides.values())), f"{what}: cohort")
    equal([(row["group"], row["value"]) for row in reply["by_group"]], list(groups), f"{what}: groups")
    for row, names in zip(reply["by_group"], groups.values()):
        own = [slides[name] for name in names]
        place = f"{what}: {row['group']} {row['value']}"
        equal((row["files"], row["against"], row["n"]["dice"]), (len(own), "truth", len(own)), place)
        same(row, mean_of(own), place)
        check_interval(row, own, place)
    check_interval(whole, list(slides.values()), f"{what}: cohort")


def check_interval(row, own, what):
    for name in own[0]:
        ends, values = (row["lo"][name], row["hi"][name]), sorted(s[name] for s in own)
        if len(own) == 1 or name in COUNTS:
            equal(ends, (None, None), f"{what}: interval of {name}")
        elif len(own) == 2:
            close(ends[0], values[0], f"{what}: lower end of {name}")
            close(ends[1], values[1], f"{what}: higher end of {name}")
        else:
            slack = 1e-12  # the mean of three equal numbers may differ from them by a rounding
            check(values[0] - slack <= ends[0] <= row["values"][name] <= ends[1] <= values[-1] + slack,
                  f"{what}: {name} {ends} of {values}")


def by_value(rows):
    groups = {}
    for column in ("patient", "site"):
        for name, cells in rows.items():
            groups.setdefault((column, cells[column == "site"]), []).append(name)
    return groups


def check_made():
    folder = make_project()
    reply = call_json("run", "-C", folder, "study.json", "--per-tile", "-o", "out")
    slides = {name: slide_scores(folder / "out" / name, support.read_png(folder / f"{name}-truth.png")[4], 32) for name in SLIDES}
    check(len({round(s["dice"], 6) for s in slides.values()}) == 5, f"slides do not differ: {slides}")
    check_reply(reply, slides, by_value(SLIDES), "made")
    for words in (("-j", 1), ("--workers", 2), ("--no-reuse",)):
        again = call_json("run", "-C", folder, "study.json", "--per-tile", "-o", "out", *words)
        for key in ("quality", "quality_over_files", "by_group"):
            equal(again[key], reply[key], f"{key} with {words}")
    said = call("run", "-C", folder, "study.json", "--per-tile", "-o", "out").stdout
    lines = [line.split() for line in said.splitlines()]
    for row in reply["by_group"]:
        cells = [line for line in lines if line[:2] == [row["group"], row["value"]]]
        equal(cells and cells[0][2:4], [str(row["files"]), f"{row['values']['dice']:.3f}"], f"line of {row['value']} in\n{said}")
    bare = call_json("run", "-C", folder, "workflow.json", "--data", "a.png", "-o", "bare")
    equal(bare["by_group"], [], "groups of files of the command line")


def check_cohort():
    """Real images in three groups made up from their names: truth as labels."""
    images = sorted(path for path in COHORT.glob("*.png") if "_labels" not in path.name)
    folder = support.scratch() / "cohort"
    folder.mkdir()
    group = {path.stem: path.stem.rstrip("0123456789") for path in images}
    rows = [f"{path},{path.with_name(path.stem + '_labels.png')},{group[path.stem]}" for path in images]
    (folder / "data.csv").write_text("\n".join(["image,reference,stain", *rows]) + "\n", encoding="utf-8")
    workflow = pathlib.Path(__file__).resolve().parents[2] / "workflows/nuclei/workflow.json"
    write_study(folder, {"manifest": "data.csv", "tile": 0, "groups": ["stain"]}, str(workflow))
    reply = call_json("run", "-C", folder, "study.json", "--per-tile", "-o", "out", "-p", "G1=20", "-p", "G2=10")
    slides = {}
    for path in images:
        truth = support.read_png(path.with_name(path.stem + "_labels.png"))
        wide = truth[3] // 8
        raw = truth[4] if wide == 1 else bytes(a | b for a, b in zip(truth[4][0::2], truth[4][1::2]))
        found = join(read_masks(folder / "out" / path.stem))[2]
        reference = bytes(255 if cell else 0 for cell in raw)
        both, sides = sum(map(bool, map(int.__and__, found, reference))), sum(map(bool, found)) + sum(map(bool, reference))
        slides[path.stem] = {"dice": 2 * both / sides, "jaccard": both / (sides - both)}
    groups = {}
    for name in slides:
        groups.setdefault(("stain", group[name]), []).append(name)
    equal(len(groups), 3, "groups of the cohort")
    check_reply(reply, slides, groups, "cohort")
    say(", ".join(f"{row['value']} {row['values']['dice']:.4f}" for row in reply["by_group"]))


support.need_program()
check_made()
if COHORT.is_dir():
    check_cohort()
else:
    say("without the real images: ../shared is not there")
support.finish()
