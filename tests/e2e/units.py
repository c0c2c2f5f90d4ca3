#!/usr/bin/env python3
"""Parameters in micrometres: the same slide at two resolutions, sharing of results, faults and warnings.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-timeout: 240

The slide has discs at places and of sizes that are drawn here; the number that a size filter keeps is counted here, from
the pixels of each disc and the rule: an area in pixels is the one in square micrometres over the area of a pixel, rounded
half away from zero.
"""
import json
import random
import sqlite3
import struct

import _support as support
from _masks import write_png
from _support import call, call_json, check, equal, say

FINE_UM = 0.25
SIDE_UM = 320
SIZES = [10, 20, 20.1, 45.5]  # smallest area, square micrometres
LARGEST = 100
HELP = "give mpp in the manifest"


# ---- the slide ----

def draw():
    """The mask at full resolution, row by row; no two discs touch."""
    side, cell = round(SIDE_UM / FINE_UM), 64
    rows = [bytearray(side) for _ in range(side)]
    rng = random.Random(20)
    for top in range(0, side, cell):
        for left in range(0, side, cell):
            radius = rng.uniform(5, 27)
            x, y = left + 32 + rng.uniform(-3, 3), top + 32 + rng.uniform(-3, 3)
            for v in range(top, top + cell):
                for u in range(left, left + cell):
                    if (u - x) ** 2 + (v - y) ** 2 <= radius ** 2:
                        rows[v][u] = 255
    return rows


def halve(rows):
    """Half the resolution: every other pixel of every other row."""
    return [row[::2] for row in rows[::2]]


def areas(rows, cell):
    """Of each disc: its pixels lie in a cell of their own."""
    return [sum(sum(v > 0 for v in rows[y][left:left + cell]) for y in range(top, top + cell))
            for top in range(0, len(rows), cell) for left in range(0, len(rows), cell)]


def write_ome(path, rows, um):
    """An uncompressed grey TIFF whose header gives the pixel size."""
    side = len(rows)
    text = (f'<?xml version="1.0"?><OME><Image><Pixels ID="P" PhysicalSizeX="{um}" PhysicalSizeY="{um}"/>'
            "</Image></OME>").encode() + b"\0"
    data = bytearray(b"II*\0\0\0\0\0") + b"".join(rows)
    note = len(data)
    data += text + b"\0" * (len(text) % 2)
    tags = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
            (270, 2, len(text), note), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, side), (279, 4, 1, side * side)]
    struct.pack_into("<I", data, 4, len(data))
    data += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + b"\0\0\0\0"
    path.write_bytes(data)


# ---- the project ----

def workflow(unit, low=None, **parameter):
    declared = {"type": "real", "unit": "um2"} if unit else {"type": "integer"}
    grid = SIZES if unit else [160, 320]
    return {
        "tessera": 1, "name": "spots", "inputs": {"spots": {"type": "mask"}},
        "parameters": {"smallest": {**declared, "grid": low or grid, "default": (low or grid)[0], **parameter},
                       "largest": {**declared, "default": LARGEST if unit else 1600}},
        "constraints": ["smallest < largest"],
        "stages": [{"name": "keep", "per": "tile", "in": {"spots": "spots"},
                    "out": {"mask": "size.bw", "table": "count.table"},
                    "tasks": [{"name": "size", "op": "nuclei.candidate_size", "in": {"bw": "spots"},
                               "params": {"minSize": "smallest", "maxSize": "largest"}},
                              {"name": "count", "op": "nuclei.compare",
                               "in": {"mask": "size.bw", "reference": "spots"}}]}]}


def project(slides, manifest, flow, **data):
    folder = support.scratch()
    for name, rows in slides.items():
        write_png(folder / name, len(rows), len(rows), 1, b"".join(rows))
    (folder / "workflow.json").write_text(json.dumps(flow), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps(
        {"tessera": 1, "workflow": "workflow.json", "data": {"manifest": "data.csv", **data},
         "method": {"name": "grid"}, "outputs": ["keep.table:found"]}), encoding="utf-8")
    (folder / "data.csv").write_text(manifest, encoding="utf-8")
    return folder


def results(folder, out):
    return {name: (folder / out / name).read_bytes() for name in ("results.csv", "results-by-file.csv")}


def counts(folder, out):
    return {(row["file"], float(row["smallest"]) if "smallest" in row else int(row["set"])):
            float(row["keep.table:found"]) for row in support.read_csv(folder / out / "results-by-file.csv")
            if row["set"] != "default"}


def rounded(value):
    return int(value + 0.5)


# ---- tests ----

def same_slide_twice(fine, coarse):
    """Acceptance: counts within 3 %; and exactly what the rule gives, however the study is executed."""
    folder = project({"fine.png": fine, "coarse.png": coarse}, "spots,mpp\nfine.png,0.25\ncoarse.png,0.5\n",
                     workflow(True))
    reply = call_json("study", "-C", folder, "--store", "first", "-o", "first")
    equal([w for w in reply["warnings"] if "resolution" in w], [], "no warning with a unit")
    found = counts(folder, "first")
    cells = {"fine": (areas(fine, 64), FINE_UM), "coarse": (areas(coarse, 32), 2 * FINE_UM)}
    pixels = {name: [rounded(size / (um * um)) for size in SIZES] for name, (_, um) in cells.items()}
    for name, (sizes, um) in cells.items():
        for number, low in enumerate(pixels[name]):
            wanted = sum(low <= area < rounded(LARGEST / (um * um)) for area in sizes)
            equal(found[name, number], wanted, f"{name}, at least {SIZES[number]} square micrometres")
    for number, size in enumerate(SIZES):
        a, b = found["fine", number], found["coarse", number]
        check(abs(a - b) <= 0.03 * a, f"{size} square micrometres: {a} and {b} differ by more than 3 %")
        say(f"at least {size} µm²: {a:.0f} discs at 0.25, {b:.0f} at 0.5 µm/px")
    rows = support.read_csv(folder / "first/results.csv")
    equal([float(row["smallest"]) for row in rows], [float(size) for size in SIZES], "results.csv is in micrometres")
    call_json("run", "-C", folder, "--store", "first", "-o", "one")
    record = json.loads((folder / "one/run.json").read_text(encoding="utf-8"))
    equal((record["params"]["smallest"], {item["name"]: item["params_px"] for item in record["inputs"]}),
          (SIZES[0], {name: {"smallest": pixels[name][0], "largest": rounded(LARGEST / (um * um))}
                      for name, (_, um) in cells.items()}), "run.json has both units")
    # 20 and 20.1 square micrometres are 80 pixels each at 0.5, but 320 and 322 at 0.25
    distinct = len(set(pixels["fine"])) + len(set(pixels["coarse"]))
    equal(distinct, 2 * len(SIZES) - 1, "the sizes are chosen so that two are equal in pixels")
    executed_once(folder, reply, distinct)


def executed_once(folder, reply, distinct):
    """Threads, workers, reuse and no reuse: equal results, and equal pixels are computed once."""
    first = results(folder, "first")
    equal(support.executed(reply)["keep.size"], distinct, "executed with threads")
    plan = call_json("plan", "-C", folder, "--store", "none")
    planned = {f"{row['stage']}.{row['task']}": row["executed"] for row in plan["by_task"]}
    equal(planned["keep.size"], 2 * len(SIZES), "the plan knows values, not pixels")
    equal(reply["reuse"]["cutoff"] > 0, True, "what is equal in pixels is cut off")
    for name, words, wanted in (("again", ("--store", "first"), 0), ("one", ("-j", "1"), distinct),
                                ("four", ("-j", "4"), distinct), ("workers", ("--workers", "2"), distinct),
                                ("stage", ("--merge", "stage"), distinct),
                                ("none", ("--no-reuse",), 2 * len(SIZES))):
        store = () if name in ("again", "none") else ("--store", name)
        other = call_json("study", "-C", folder, *words, *store, "-o", name)
        equal(results(folder, name), first, f"results of {name}")
        equal(support.executed(other)["keep.size"], wanted, f"executed: {name}")
    plan = call_json("plan", "-C", folder, "--store", "first")
    planned = {f"{row['stage']}.{row['task']}": row["executed"] for row in plan["by_task"]}
    equal(planned["keep.size"], 0, "what the store has is not planned")


def records(fine):
    """Records show the pixels that the operation got."""
    folder = project({"fine.png": fine}, "spots,mpp\nfine.png,0.25\n", workflow(True))
    call_json("run", "-C", folder, "-p", "smallest=20.03", "-o", "run")
    with sqlite3.connect(folder / ".tessera/store.db") as store:
        rows = store.execute("SELECT parameters FROM record WHERE operation = 'nuclei.candidate_size'").fetchall()
    equal([json.loads(row[0]) for row in rows], [{"maxSize": 1600, "minSize": 320}], "20.03 square micrometres: 320.48")


def in_the_file(coarse):
    """The pixel size of the header and that of the manifest give the same."""
    folder = project({}, "spots,mpp\nslide.tif,\n", workflow(True))
    write_ome(folder / "slide.tif", coarse, 0.5)
    call_json("study", "-C", folder, "--store", "s", "-o", "file")
    (folder / "data.csv").write_text("spots,mpp\nslide.tif,0.5\n", encoding="utf-8")
    reply = call_json("study", "-C", folder, "--store", "s", "-o", "manifest")
    equal(results(folder, "file"), results(folder, "manifest"), "file and manifest")
    equal(support.executed(reply)["keep.size"], 0, "the manifest's equal number needs no computing")


def unknown_sizes(coarse):
    slides = {f"{name}.png": coarse for name in "abcde"}
    folder = project(slides, "spots,mpp\na.png,0.5\nb.png,\nc.png,\nd.png,\ne.png,\n", workflow(True))
    for command in ("check", "plan", "run", "study"):
        said = call(command, "-C", folder, expect=3).stderr
        check("error[T408]: parameter 'smallest' is in µm², but 4 of 5 files have no known pixel size: "
              "'b', 'c', 'd' and 1 more" in said, f"{command}: {said}")
        check(HELP in said, f"{command} helps: {said}")
    equal((folder / "out").exists(), False, "nothing was run")


def impossible_values(coarse):
    """The operation's own domain is compared in pixels, per file, before the run."""
    folder = project({"a.png": coarse, "b.png": coarse}, "spots,mpp\na.png,0.5\nb.png,0.00001\n",
                     workflow(True, [30, 40]))
    for command in ("check", "plan", "run", "study"):
        said = call(command, "-C", folder, expect=3).stderr
        check("error[T310]: parameter 'largest' = 100 µm² is 1000000000000 px² in 'b' (1e-05 µm per pixel), outside "
              in said and "which 'maxSize' of operation 'nuclei.candidate_size' accepts" in said, f"{command}: {said}")


def pixel_parameters(fine, coarse):
    """Without a unit the same cohort gets one warning, from check, run and study."""
    slides = {"fine.png": fine, "coarse.png": coarse}
    manifest = "spots,mpp\nfine.png,0.25\ncoarse.png,0.5\n"
    folder = project(slides, manifest, workflow(False))
    for words in (("check",), ("run", "-o", "r"), ("study", "-o", "s")):
        found = [w for w in call_json(*words, "-C", folder)["warnings"] if "resolution" in w]
        equal(len(found), 1, f"warnings of {words[0]}")
        check(found and "0.25 µm per pixel ('fine')" in found[0] and "0.5 µm per pixel ('coarse')" in found[0]
              and '"unit": "um"' in found[0], f"{words[0]}: {found}")
    (folder / "data.csv").write_text("spots,mpp\nfine.png,0.25\ncoarse.png,0.26\n", encoding="utf-8")
    equal([w for w in call_json("check", "-C", folder)["warnings"] if "resolution" in w], [], "4 % apart")


def whole_dataset(coarse):
    """A stage per dataset gets one number of pixels."""
    flow = workflow(True)
    flow["stages"][0]["per"] = "dataset"
    folder = project({"a.png": coarse, "b.png": coarse}, "spots,mpp\na.png,0.5\nb.png,0.25\n", flow)
    said = call("check", "-C", folder, expect=3).stderr
    check("error[T408]: 'keep.size' runs once per dataset and has a parameter in micrometres, but 'a' has 0.5 and 'b' "
          "0.25 µm per pixel" in said, said)


def main():
    support.need_program()
    fine = draw()
    coarse = halve(fine)
    same_slide_twice(fine, coarse)
    records(fine)
    in_the_file(coarse)
    unknown_sizes(coarse)
    impossible_values(coarse)
    pixel_parameters(fine, coarse)
    whole_dataset(coarse)
    support.finish()


main()
