#!/usr/bin/env python3
"""Every way to go over tiles and files, on small images with blank tiles, blank slides and empty tables: results.csv and
results-by-file.csv against sums over the tables that `run` writes and over the masks; a column that no table has ends a study.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)
test-timeout: 240
"""
import json
import random
import statistics

import _faults as faults
import _support as support
from _masks import close, counts_of, named, read_masks, scores, write_png
from _support import call_json, check, equal, say

SIZES = {"large": (96, 70), "small": (40, 33), "blank": (64, 32)}
TILE = 32
SETS = (0, 12, 100000)  # smallest area that is kept: the last one empties every table
WAYS = ("sum", "mean", "median", "weighted")
WORKFLOW = {
    "tessera": 1, "name": "count",
    "inputs": {"image": {"type": "image/rgb8"}, "found": {"type": "mask"}, "reference": {"type": "mask"}},
    "parameters": {"minSizeSeg": {"type": "integer", "domain": [0, 200000], "grid": [0, 12, 100000], "default": 0}},
    "stages": [
        {"name": "segment", "per": "tile", "in": {"mask": "found"}, "out": {"mask": "size.mask"},
         "tasks": [{"name": "size", "op": "nuclei.final_size", "in": {"split": "mask"},
                    "params": {"minSizeSeg": "minSizeSeg", "maxSizeSeg": {"value": 200001}, "FH": {"value": 4}}}]},
        {"name": "compare", "per": "tile", "in": {"mask": "segment.mask", "reference": "reference"},
         "out": {"table": "scores.table"},
         "tasks": [{"name": "scores", "op": "nuclei.compare", "in": {"mask": "mask", "reference": "reference"}}]},
        {"name": "features", "per": "tile", "in": {"image": "image", "mask": "segment.mask"},
         "out": {"table": "measure.objects"},
         "tasks": [{"name": "measure", "op": "nuclei.features", "in": {"image": "image", "mask": "mask"}}]}]}


def draw_mask(chance, width, height, count):
    """Small boxes in the left half, so that tiles on the right are blank."""
    rows = [bytearray(width) for _ in range(height)]
    for _ in range(count):
        x, y = chance.randrange(width // 2), chance.randrange(height - 6)
        for row in rows[y:y + chance.randrange(2, 6)]:
            end = min(x + chance.randrange(2, 7), width)
            row[x:end] = b"\xff" * (end - x)
    return b"".join(map(bytes, rows))


def make_project():
    folder = support.scratch() / "project"
    folder.mkdir()
    chance = random.Random(7)
    manifest = ["image,found,reference"]
    for name, (width, height) in SIZES.items():
        count = 0 if name == "blank" else width // 3
        write_png(folder / f"{name}.png", width, height, 3, bytes(chance.randrange(256) for _ in range(3 * width * height)))
        for kind in ("found", "reference"):
            write_png(folder / f"{name}-{kind}.png", width, height, 1, draw_mask(chance, width, height, count))
        manifest.append(f"{name}.png,{name}-found.png,{name}-reference.png")
    (folder / "data.csv").write_text("\n".join(manifest) + "\n", encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    (folder / "design.csv").write_text("minSizeSeg\n" + "".join(f"{value}\n" for value in SETS), encoding="utf-8")
    return folder


def cut(mask, width, height):
    """The tiles of a mask, as read_masks gives them."""
    return {(x, y): (min(TILE, width - x), min(TILE, height - y),
                     [mask[row * width + x:row * width + min(x + TILE, width)]
                      for row in range(y, min(y + TILE, height))])
            for y in range(0, height, TILE) for x in range(0, width, TILE)}


class Run:
    """What one parameter set makes of one slide: the areas of its objects tile by tile, and counts against the reference."""

    def __init__(self, project, folder, name):
        width, height = SIZES[name]
        found = read_masks(folder)
        self.px = {place: tile[0] * tile[1] for place, tile in found.items()}
        self.areas = {place: [float(row["area"]) for row in
                              support.read_csv(folder / f"features.table.x{place[0]}_y{place[1]}.csv")] for place in found}
        reference = support.read_png(project / f"{name}-reference.png")[4]
        self.counts = counts_of(found, cut(reference, width, height))
        self.dice = {place: float(support.read_csv(folder / f"compare.table.x{place[0]}_y{place[1]}.csv")[0]["dice"])
                     for place in found}

    def over_tiles(self, way, tables):
        cells = [cell for place in sorted(tables) for cell in tables[place]]
        if way == "sum":
            return sum(cells)
        if way == "weighted":
            known = {place: statistics.fmean(own) for place, own in tables.items() if own}
            weight = sum(self.px[place] for place in known)
            return sum(self.px[place] * value for place, value in known.items()) / weight if known else None
        return {"mean": statistics.fmean, "median": statistics.median}[way](cells) if cells else None

    def area(self, way):
        return self.over_tiles(way, self.areas)

    def dice_over(self, way):
        if way != "pool":
            return self.over_tiles(way, {place: [value] for place, value in self.dice.items()})
        above, below = scores(self.counts)["dice"]
        return above / below if below else 1.0  # two empty slides: what the operation says of them


def over_files(way, values, slides):
    known = [(value, sum(slide.px.values())) for value, slide in zip(values, slides) if value is not None]
    if not known:
        return None
    numbers = [value for value, _ in known]
    if way == "weighted":
        return sum(value * px for value, px in known) / sum(px for _, px in known)
    return {"sum": sum, "mean": statistics.fmean, "median": statistics.median}[way](numbers)


def same(text, wanted, what):
    if wanted is None:
        equal(text, "", what)
    else:
        close(float(text or "nan"), wanted, what)


def write_study(project, output):
    study = {"tessera": 1, "name": "ways", "workflow": "workflow.json", "data": {"manifest": "data.csv", "tile": TILE},
             "outputs": [output]}
    (project / "study.json").write_text(json.dumps(study), encoding="utf-8")


def check_way(project, slides, column, tiles, files):
    """One study: `tiles` and `files` are what it says, None if it says nothing."""
    output = {"output": column, **({"over_tiles": tiles} if tiles else {}), **({"over_files": files} if files else {})}
    write_study(project, output)
    reply = call_json("study", "-C", project, "--design", "design.csv", "-o", "out", "-j", 2)
    results = support.read_csv(project / "out/results.csv")
    by_file = support.read_csv(project / "out/results-by-file.csv")
    what = f"{column}, {tiles} over tiles, {files} over files"
    # Dice against the truth is a goal: the defaults follow (e2e.best).
    sets = [*map(str, range(3)), *(["default"] if column.endswith("dice") else [])]
    equal([(row["set"], row["file"]) for row in by_file], [(name, slide) for name in sets for slide in SIZES],
          f"{what}: rows of results-by-file.csv")
    tiles = tiles or {"dice": "pool", "diff": "sum"}.get(column.split(":")[1], "mean")
    files = files or {"diff": "sum"}.get(column.split(":")[1], "mean")
    for i, runs in enumerate(slides):
        values = []
        for name, run in zip(SIZES, runs):
            value = (run.area(tiles) if column.endswith("area") else run.counts["diff"] if column.endswith("diff")
                     else run.dice_over(tiles))
            row = by_file[i * len(SIZES) + len(values)]
            same(named(row, column), value, f"{what}: set {i} of {name}")
            equal(row["tiles"], str(len(run.px)), f"{what}: tiles of {name}")
            values.append(value)
        if files == "pool":
            above, below = (sum(scores(run.counts)["dice"][side] for run in runs) for side in (0, 1))
            wanted = above / below
        else:
            wanted = over_files(files, values, runs)
        same(named(results[i], column), wanted, f"{what}: set {i}")
        equal(results[i]["set"], str(i), f"{what}: number of the set")
        known = sum(value is not None for value in values)
        equal(reply["runs"][i].get("n", {}).get(column, len(SIZES)), known, f"{what}: n of set {i}")
    return reply


def check_ways(project, slides):
    for tiles in WAYS:
        for files in WAYS:
            check_way(project, slides, "features.table:area", tiles, files)
    reply = check_way(project, slides, "features.table:area", None, None)
    warnings = " ".join(reply["warnings"])
    check("in 2 of 3 runs some files have no value" in warnings, f"no warning about files without a value: {warnings}")
    equal(reply["outputs"][0]["notes"], ["objects cut at tile edges"], "notes of an output about objects")
    for tiles, files in ((None, None), ("pool", "pool"), ("pool", "median"), ("mean", None), ("weighted", "weighted"), ("median", "sum")):
        reply = check_way(project, slides, "compare.table:dice", tiles, files)
        asked = tiles not in (None, "pool")
        equal(sum("is a ratio, but" in text for text in reply["warnings"]), int(asked), f"warnings about {tiles} of a ratio")
        equal(reply["outputs"][0]["notes"], [], "notes of an output about pixels")
    check_way(project, slides, "compare.table:diff", None, None)


def check_missing_column():
    """Nobody declares the columns of this operation: the first table that lacks one ends the study, not the last."""
    folder = faults.project(outputs=["sum.table:nothing"])
    for words in ((), ("--workers", "2")):
        reply = call_json("study", "-C", folder, "--store", f"store{len(words)}", "-o", "out", *words, expect=3)
        texts = [fault.get("text", "") for fault in reply.get("faults", [])]
        check(any("'sum.table' has no column 'nothing'" in text for text in texts), f"{words}: {texts}")
        done = support.executed(reply).get("sum.sum", 0)
        say(f"missing column {words}: {done} sums")
        check(1 <= done <= 12, f"{words}: {done} of 22 sums were made before the study ended")
        equal(reply.get("state"), "failed", f"{words}: state")


def main():
    support.need_program()
    project = make_project()
    slides = []
    write_study(project, "compare.table:dice")
    for i, value in enumerate(SETS):
        call_json("run", "-C", project, "study.json", "-p", f"minSizeSeg={value}", "-o", f"run{i}",
                  "--per-tile")
        slides.append([Run(project, project / f"run{i}/{name}", name) for name in SIZES])
    check(any(not own for own in slides[0][0].areas.values()), "no tile of the large slide is blank")
    check(all(slide.counts["found"] == 0 for slide in slides[2]), "the last set leaves objects")
    check_ways(project, slides)
    check_missing_column()
    support.finish()


main()
