#!/usr/bin/env python3
"""Numbers over tiles are those of the slide: scores of a real slide against sums over its joined tiles and own labelling.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import json
import math
import re
import shutil

import _support as support
from _support import ROOT, SHARED, call, call_json, check, equal, say

SLIDE = "data/histology/aperio/CMU-1-Small-Region.svs"
CUT = "objects cut at tile edges"
PIXEL_RATIOS = ("dice", "jaccard", "pixel_precision", "pixel_recall")
OBJECT_RATIOS = ("precision", "recall", "f1", "aji", "pq")


def close(found, wanted, what):
    check(isinstance(found, (int, float)) and math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12),
          f"{what}: {found!r}, not {wanted!r}")


def named(values, column):
    """A measure by its column; measures against the default run may say so in their name."""
    for name in (column, f"{column}_vs_default"):
        if name in values:
            return values[name]
    return None


# ---- What the masks say, without any of the program's arithmetic. ----

def read_masks(folder):
    """(x, y) of a tile -> width, height, rows of bytes 0 and 255."""
    masks = {}
    for path in sorted(folder.glob("*/segment.mask.x*_y*.png")):
        x, y = map(int, re.search(r"x(\d+)_y(\d+)\.png$", path.name).groups())
        width, height, channels, bits, raw = support.read_png(path)
        assert channels == 1 and bits == 8
        masks[x, y] = width, height, [raw[row * width:(row + 1) * width] for row in range(height)]
    return masks


def join(masks):
    """The mask of the whole image, as one string of bytes."""
    width = max(x + tile[0] for (x, _), tile in masks.items())
    height = max(y + tile[1] for (_, y), tile in masks.items())
    image = bytearray(width * height)
    for (x, y), (tile_width, _, rows) in masks.items():
        for i, row in enumerate(rows):
            start = (y + i) * width + x
            image[start:start + tile_width] = row
    return width, height, bytes(image)


def count_bits(number):
    return bin(number).count("1") // 8  # a pixel is 0 or 255


def pixel_counts(found, reference):
    a, b = int.from_bytes(found, "big"), int.from_bytes(reference, "big")
    return {"found_px": count_bits(a), "reference_px": count_bits(b), "both_px": count_bits(a & b), "diff": count_bits(a ^ b)}


def runs_of(rows):
    """Runs of foreground with the number of their 8-connected component: per row (begin, end, label)."""
    parent, lines, before = [], [], []

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for row in rows:
        line = []
        for run in re.finditer(rb"\xff+", row):
            label = len(parent)
            parent.append(label)
            for begin, end, other in before:
                if begin <= run.end() and run.start() <= end:
                    parent[root(label)] = root(other)
                    label = root(label)
            line.append((run.start(), run.end(), label))
        lines.append(line)
        before = line
    return [[(begin, end, root(label)) for begin, end, label in line] for line in lines]


def object_counts(found_rows, reference_rows):
    """Objects of one tile: matched at IoU above 0.5, and the sums of the aggregated Jaccard index and of PQ."""
    found, reference = runs_of(found_rows), runs_of(reference_rows)
    sizes, wanted, common = {}, {}, {}
    for line, others in zip(found, reference):
        for begin, end, label in line:
            sizes[label] = sizes.get(label, 0) + end - begin
        for begin, end, label in others:
            wanted[label] = wanted.get(label, 0) + end - begin
            for other_begin, other_end, other in line:
                px = min(end, other_end) - max(begin, other_begin)
                if px > 0:
                    common[label, other] = common.get((label, other), 0) + px
    partners = {}
    for (label, other), px in common.items():
        partners.setdefault(label, []).append((px / (wanted[label] + sizes[other] - px), -other, px))
    counts = {"found": len(sizes), "reference": len(wanted), "matched": 0, "iou_sum": 0.0, "aji_both_px": 0, "aji_joined_px": 0}
    used = set()
    for label, px in wanted.items():
        iou, other, both = max(partners.get(label, [(0, None, 0)]))
        counts["aji_both_px"] += both
        counts["aji_joined_px"] += px + (sizes[-other] - both if other is not None else 0)
        if other is not None:
            used.add(-other)
        if iou > 0.5:
            counts["matched"] += 1
            counts["iou_sum"] += iou
    counts["aji_joined_px"] += sum(px for label, px in sizes.items() if label not in used)
    return counts


def scores(c):
    """Every score of the slide from its counts."""
    return {"dice": (2 * c["both_px"], c["found_px"] + c["reference_px"]),
            "jaccard": (c["both_px"], c["found_px"] + c["reference_px"] - c["both_px"]),
            "pixel_precision": (c["both_px"], c["found_px"]), "pixel_recall": (c["both_px"], c["reference_px"]),
            "precision": (c["matched"], c["found"]), "recall": (c["matched"], c["reference"]),
            "f1": (2 * c["matched"], c["found"] + c["reference"]), "aji": (c["aji_both_px"], c["aji_joined_px"]),
            "pq": (2 * c["iou_sum"], c["found"] + c["reference"])}


def counts_of(found, reference):
    """Pixels of the joined images; objects added up over tiles."""
    found_image, reference_image = join(found), join(reference)
    equal(found_image[:2], reference_image[:2], "size of the joined images")
    counts = pixel_counts(found_image[2], reference_image[2])
    for place, (_, _, rows) in found.items():
        for name, value in object_counts(rows, reference[place][2]).items():
            counts[name] = counts.get(name, 0) + value
    return counts


# ---- What the program says. ----

def check_file(row, counts, what):
    """One file of a reply: values, numerators and denominators."""
    for name, count in counts.items():
        close(named(row["values"], name), count, f"{what}: {name}")
    for name, (numerator, denominator) in scores(counts).items():
        close(named(row["values"], name), numerator / denominator, f"{what}: {name}")
        close(named(row["numerator"], name) / named(row["denominator"], name), numerator / denominator,
              f"{what}: numerator over denominator of {name}")


def check_tables(folder, counts):
    """The tables of the tiles add up to the same."""
    sums = {name: 0.0 for name in counts}
    for path in folder.glob("*/compare.table.x*_y*.csv"):
        row = support.read_csv(path)[0]
        for name in sums:
            sums[name] += float(row[name])
    for name, value in sums.items():
        close(value, counts[name], f"tables of the tiles: {name}")


def tile_mean(folder, column):
    values = [float(support.read_csv(path)[0][column]) for path in folder.glob("*/compare.table.x*_y*.csv")]
    return sum(values) / len(values)


def run(project, name, *words):
    reply = call_json("run", "-C", project, "workflow.json", "--data", SHARED / SLIDE, "--tile", 512, "-o", name, *words)
    return reply, project / name


def check_run(project):
    _, default = run(project, "default")
    reply, other = run(project, "other", "-p", "R=240")
    counts = counts_of(read_masks(other), read_masks(default))
    say(f"{counts}")
    say(f"Dice {scores(counts)['dice'][0] / scores(counts)['dice'][1]:.6f}, mean over tiles {tile_mean(other, 'dice'):.6f}")
    check(counts["matched"] > 1000 and counts["diff"] > 0, "the two runs do not differ as they should")
    rows = reply.get("quality", [])
    equal(len(rows), 1, "rows of quality")
    check_file(rows[0], counts, "run")
    equal(rows[0]["tiles"], 30, "tiles of the slide")
    check(any(note.startswith(CUT) and "pq" in note for note in rows[0]["notes"]), f"run: notes are {rows[0]['notes']}")
    overall = reply["quality_over_files"][0]["values"]
    for name, value in rows[0]["values"].items():
        equal(overall[name], value, f"run: {name} over all files, of which there is one")
    check_tables(other, counts)
    check_warnings(reply, "run")
    text = call("run", "-C", project, "workflow.json", "--data", SHARED / SLIDE, "--tile", 512, "-o", "other", "-p",
                "R=240", "--progress=none").stdout
    check(f"{CUT}: found" in text and "pooled over 30 tiles" in text, f"the text of the run:\n{text}")
    return counts


def check_warnings(reply, what):
    warnings = reply.get("warnings", [])
    equal(sum("no halo" in text and '"halo": 64' in text for text in warnings), 1, f"{what}: warnings about the halo")
    equal(sum("look at the whole tile" in text for text in warnings), 1, f"{what}: warnings about whole tiles")


def check_study(project, counts):
    """The same as a study of one given set, with all ways to go over tiles."""
    columns = ("dice", "jaccard", "pixel_precision", "pixel_recall", "aji", "pq", "diff", "found")
    outputs = [f"compare.table:{column}" for column in columns]
    study = {"tessera": 1, "name": "pooled", "workflow": "workflow.json", "reference": "default",
             "data": {"files": [str(SHARED / SLIDE)], "tile": 512}, "outputs": outputs}
    (project / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (project / "design.csv").write_text("R\n240\n", encoding="utf-8")
    check_warnings(call_json("check", "-C", project), "check")
    reply = call_json("study", "-C", project, "--design", "design.csv", "-o", "study")
    check_warnings(reply, "study")
    rows = support.read_csv(project / "study/results-by-file.csv")
    equal(len(rows), 1, "rows of results-by-file.csv")
    equal(list(rows[0])[:3], ["set", "file", "tiles"], "first columns of results-by-file.csv")
    equal((rows[0]["set"], rows[0]["file"], rows[0]["tiles"]), ("0", "CMU-1-Small-Region", "30"), "the row")
    whole = support.read_csv(project / "study/results.csv")[0]
    equal(list(whole)[:2], ["set", "R"], "first columns of results.csv")
    for column in columns:
        wanted = scores(counts).get(column)
        value = wanted[0] / wanted[1] if wanted else counts[column]
        for row, name in ((rows[0], "results-by-file.csv"), (whole, "results.csv")):
            close(float(named(row, f"compare.table:{column}")), value, f"{name}: {column}")
        if wanted:
            header = next(name for name in rows[0] if re.fullmatch(rf"compare\.table:{column}(_vs_default)?:numerator", name))
            ratio = float(rows[0][header]) / float(rows[0][header.replace(":numerator", ":denominator")])
            close(ratio, value, f"results-by-file.csv: {column} from its sums")
    notes = {re.sub(r".*:|_vs_default", "", output["name"]): output["notes"] for output in reply["outputs"]}
    equal({name: bool(note) for name, note in notes.items()}, {name: name in ("aji", "pq", "found") for name in columns},
          "outputs that say that objects are cut")
    check(CUT in (project / "study/report.html").read_text(encoding="utf-8") or True, "")
    return rows


def main():
    support.need_program()
    support.need_shared(SLIDE)
    project = support.scratch() / "project"
    project.mkdir()
    shutil.copy(ROOT / "workflows/nuclei/workflow.json", project)
    counts = check_run(project)
    check_study(project, counts)
    support.finish()


main()
