#!/usr/bin/env python3
"""Tiles without tissue: the same masks, tables and outlines with and without them, no task for them, on threads, in worker
processes and after kill -9; masks of a manifest, and every fault of its column.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-timeout: 300

The slide is drawn here (ellipses of tissue with nuclei on glass), as a tiled TIFF with two levels, so that it is known where
tissue is: a tile that meets an ellipse must be kept, one that is farther away than the margin of the mask must not.
"""
import json
import os
import random
import signal
import subprocess
import time

import _support as support
from _masks import write_png
from _slides import write_slide
from _support import PROGRAM, call, call_json, check, equal, say

WIDTH, HEIGHT, TILE, HALO = 6000, 5000, 512, 64
REDUCED = 8  # of the second level
GLASS, STROMA, NUCLEUS = (243, 243, 245), (222, 160, 200), (70, 50, 130)
BLOBS = ((1500, 1400, 900, 700), (4400, 3600, 500, 800), (5700, 300, 200, 200))  # middle and half axes
# Three pixels of margin, and two for what a pixel of the mask averages, of 16 pixels each.
FAR = 5 * 16
WORKFLOW = {
    "tessera": 1, "name": "spots", "inputs": {"image": {"type": "image/rgb8"}},
    "parameters": {"G1": {"type": "integer", "domain": [0, 255], "grid": [40, 60], "default": 40}},
    "stages": [
        {"name": "segment", "per": "tile", "in": {"image": "image"}, "out": {"mask": "size.bw"},
         "tasks": [
             {"name": "background", "op": "nuclei.background", "in": {"image": "image"}, "params": {"RC": {"value": 8}}},
             {"name": "spots", "op": "nuclei.candidates", "in": {"rc": "background.rc", "recon": "background.recon"},
              "params": {"FH": {"value": 4}, "G1": "G1"}},
             {"name": "size", "op": "nuclei.candidate_size", "in": {"bw": "spots.bw"},
              "params": {"minSize": {"value": 5}, "maxSize": {"value": 2000}}}]},
        {"name": "measure", "per": "tile", "region": "core", "in": {"image": "image", "mask": "segment.mask"},
         "out": {"table": "features.objects"},
         "tasks": [{"name": "features", "op": "nuclei.features", "in": {"image": "image", "mask": "mask"}}]},
        {"name": "slide", "per": "file", "in": {"image": "image", "mask": "segment.mask"},
         "out": {"objects": "outlines.objects", "summary": "features.summary"},
         "tasks": [{"name": "outlines", "op": "nuclei.objects", "in": {"mask": "mask"}},
                   {"name": "features", "op": "nuclei.features", "in": {"image": "image", "mask": "mask"}}]}]}


# ---- the slide ----

def span(blob, y):
    """The pixels of a row that an ellipse covers."""
    x0, y0, across, down = blob
    inside = 1 - ((y + 0.5 - y0) / down) ** 2
    half = across * inside ** 0.5 if inside > 0 else 0
    return max(0, round(x0 - half)), min(WIDTH, round(x0 + half))


def draw_row(y, scale):
    """One row of a level: glass, tissue, and nuclei of 9 x 9 pixels, 40 apart, at full resolution."""
    row = bytearray(bytes(GLASS) * (WIDTH // scale))
    for blob in BLOBS:
        left, right = (edge // scale for edge in span(blob, y * scale))
        row[3 * left:3 * right] = bytes(STROMA) * (right - left)
        if scale == 1 and y % 40 < 9:
            for x in range((left // 40 + 2) * 40, right - 60, 40):
                row[3 * x:3 * x + 27] = bytes(NUCLEUS) * 9
    return bytes(row)


def grid():
    return [(x, y) for y in range(0, HEIGHT, TILE) for x in range(0, WIDTH, TILE)]


def meets(tile, around):
    """Whether a tile, grown by some pixels, meets an ellipse in every fourth row."""
    left, right = max(0, tile[0] - around), min(WIDTH, tile[0] + TILE + around)
    top, bottom = max(0, tile[1] - around), min(HEIGHT, tile[1] + TILE + around)
    for blob in BLOBS:
        for y in range(top, bottom, 4):
            begin, end = span(blob, y)
            if begin < end and begin < right and end > left:
                return True
    return False


# ---- a project ----

def make_project(name="made", manifest=None):
    folder = support.scratch() / name
    folder.mkdir()
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    data = {"files": ["slide.tif"]} if manifest is None else {"manifest": "data.csv"}
    write_study(folder, {**data, "tile": TILE, "halo": HALO})
    if manifest is not None:
        (folder / "data.csv").write_text(manifest, encoding="utf-8")
    return folder


def write_study(folder, data):
    study = {"tessera": 1, "name": "spots", "workflow": "workflow.json", "data": data,
             "outputs": ["slide.summary:count"], "method": {"name": "morris", "trajectories": 2}}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")


def run(folder, *words, out, **options):
    """The reply and the results, without run.json."""
    reply = call_json("run", "study.json", "--output", out, *words, cwd=folder, **options)
    return reply, support.results_below(folder / out) if (folder / out).exists() else {}


def record(folder, out):
    """What run.json says, without the id of the run and its command."""
    said = json.loads((folder / out / "run.json").read_text(encoding="utf-8"))
    equal(said["state"], "done", f"state of {out}")
    equal(said["files"], sorted(support.results_below(folder / out)), f"files of {out}")
    return {key: value for key, value in said.items() if key not in ("run", "command")}


def place(name):
    """(x, y) of the tile that a file is of; None: of the slide."""
    if ".x" not in name:
        return None
    x, y = name.rsplit(".", 1)[0].rsplit(".x", 1)[1].split("_y")
    return int(x), int(y)


# ---- tests ----

def test_same_results(folder):
    off, without = run(folder, "--tissue", "off", "--per-tile", out="off", timeout=280)
    on, kept = run(folder, "--per-tile", "--store", "s-on", out="on")
    rows = on.get("tissue", [{}])
    equal([(row.get("file"), row.get("tiles"), row.get("source")) for row in rows], [("slide", 120, "otsu")], "tissue")
    tiles = {place(name) for name in kept} - {None}
    equal(len(grid()) - len(tiles), rows[0]["without_tissue"], "tiles without tissue")
    equal(rows[0]["share"], len(tiles) / len(grid()), "share")
    equal(off["tissue"], [{"file": "slide", "tiles": 120, "without_tissue": 0, "share": 1.0, "source": "off"}], "off")
    for tile in grid():
        if meets(tile, HALO):
            check(tile in tiles, f"{tile} meets tissue, but was left out")
        elif not meets(tile, HALO + FAR):
            check(tile not in tiles, f"{tile} is far from tissue, but was kept")
    check(len(tiles) < 80, f"{len(tiles)} tiles were kept")
    for name, content in without.items():
        if place(name) is None or place(name) in tiles:
            check(kept.get(name) == content, f"{name} differs")
        elif name.endswith(".png"):
            check(not any(support.read_png(folder / "off" / name)[4]), f"{name} has an object outside the tissue")
        else:
            equal(content.count(b"\n"), 1, f"rows of {name}")  # the head
    check(any(place(name) is None for name in kept), "nothing was written per slide")
    count = float(support.read_csv(folder / "on/slide/slide.summary.csv")[0]["count"])
    check(count > 1000, f"{count} nuclei")
    done = support.executed(on)
    for task in ("segment.background", "segment.spots", "segment.size", "measure.features"):
        check(done[task] <= len(tiles), f"{task} was executed {done[task]} times on {len(tiles)} tiles")
    check_joined(folder)
    text = call("run", "study.json", "--output", "text", "--store", "s-on", "--progress=none", cwd=folder).stdout
    check(f"slide: {len(tiles)} of 120 tiles have tissue" in text, f"no line about tissue in: {text}")
    check(support.results_below(folder / "text") == support.results_below(folder / "joined"), "text: other files")
    plan = call_json("plan", "study.json", "--store", "s-plan", cwd=folder)
    equal(plan.get("tiles"), len(tiles), "tiles of the plan")
    say(f"{len(tiles)} of {len(grid())} tiles have tissue; on {on['wall_s']:.2f} s, off {off['wall_s']:.2f} s")
    return kept, record(folder, "on")


def check_joined(folder):
    """One file for each image: the same bytes, wherever tiles were left out; so are the identifiers of objects."""
    _, without = run(folder, "--tissue", "off", out="joined-off")
    _, kept = run(folder, "--store", "s-on", out="joined")
    equal(sorted(kept), sorted(without), "files with and without tiles that have no tissue")
    for name, content in without.items():
        check(kept.get(name) == content, f"{name} differs where tiles are joined")
    wanted = {"slide/overlay.png", "slide/segment.mask.png", "slide/measure.table.csv", "slide/slide.objects.geojson",
              "slide/slide.summary.csv"}
    equal(set(kept), wanted, "files of an image")
    for out in ("joined-off", "joined"):
        record(folder, out)


def test_cost(folder):
    """What opening the data takes with and without looking for tissue, by the tile that is left out."""
    times = {}
    for choice in ("off", "on"):
        start = time.monotonic()
        for _ in range(3):
            call("plan", "study.json", "--tissue", choice, "--store", "s-plan", cwd=folder)
        times[choice] = (time.monotonic() - start) / 3
    say(f"plan: {times['off']:.3f} s without, {times['on']:.3f} s with a look for tissue")


def test_workers(folder, wanted, said):
    for words in (("--workers", 2), ("--jobs", 1), ("--workers", 2, "--max-buckets", 2)):
        _, found = run(folder, *words, "--per-tile", "--store", "s-w", "--no-reuse", out="workers")
        check(found == wanted, f"{words}: other files than on threads")
        equal(record(folder, "workers"), said, f"run.json with {words}")


def test_kill(folder, wanted, said):
    """--resume writes files per tile, too, into the folder that the killed run left, where it may have been writing."""
    words = [PROGRAM, "run", "study.json", "--output", "killed", "--store", "s-kill", "--jobs", "1", "--per-tile",
             "--progress=none"]
    process = subprocess.Popen(words, cwd=folder, env=support.environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None and len(list(folder.glob("killed/slide/*"))) < 8:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    check(process.wait() == -signal.SIGKILL, "the run ended before it was killed")
    for where in ("killed", "killed/slide"):
        (folder / where / ".tessera-1-0.tmp").write_bytes(b"half")
    equal(json.loads((folder / "killed/run.json").read_text(encoding="utf-8"))["state"], "running", "state of a killed run")
    reply, found = run(folder, "--resume", "--store", "s-kill", out="killed")
    check(found == wanted, "other files after kill -9 and --resume")
    equal(record(folder, "killed"), said, "run.json after --resume")
    equal(reply.get("tissue", [{}])[0].get("source"), "otsu", "tissue after --resume")
    (folder / "half").mkdir()
    (folder / "half/.tessera-1-0.tmp").write_bytes(b"half of the first run.json")
    _, found = run(folder, "--per-tile", "--store", "s-kill", out="half")
    check(found == wanted, "other files in a folder whose run was killed before it had a run.json")


def grey(folder, name, width, height, boxes):
    rows = [bytearray(width) for _ in range(height)]
    for x, y, wide, high in boxes:
        for row in rows[y:y + high]:
            row[x:x + wide] = b"\1" * wide
    write_png(folder / name, width, height, 1, b"".join(map(bytes, rows)))


def test_mask(slide):
    """A mask of 60 x 50 pixels, 100 pixels of the slide each: its one pixel lies in the core of one tile and in the halos
    of its neighbours to the left and above."""
    folder = make_project("mask", "image,tissue\nslide.tif,m.png\n")
    os.link(slide, folder / "slide.tif")
    grey(folder, "m.png", 60, 50, [(10, 10, 1, 1)])  # 1000 to 1100 of the slide: 1024 - 64 to 1024 + 64 are halos
    reply, found = run(folder, "--per-tile", out="out")
    equal([reply["tissue"][0][key] for key in ("source", "without_tissue")], ["file", 116], "tissue of a mask")
    equal({place(name) for name in found} - {None}, {(512, 512), (1024, 512), (512, 1024), (1024, 1024)}, "tiles")
    again, same = run(folder, "--per-tile", "--workers", 2, "--no-reuse", out="workers")
    equal(again["tissue"], reply["tissue"], "tissue with workers")
    check(same == found, "other files with workers")
    off, _ = run(folder, "--tissue", "off", "--dry-run", out="none")
    equal(off.get("tiles"), 120, "tiles with --tissue off")
    (folder / "data.csv").write_text("image,tissue\nslide.tif,off\n", encoding="utf-8")
    equal(call_json("plan", "study.json", cwd=folder).get("tissue", [{}])[0].get("source"), "off", "source of 'off'")
    grey(folder, "m.png", 60, 50, [])
    (folder / "data.csv").write_text("image,tissue\nslide.tif,m.png\n", encoding="utf-8")
    equal(call_json("plan", "study.json", cwd=folder).get("tiles"), 1, "tiles of an empty mask")
    return folder


def test_faults(folder):
    write_png(folder / "rgb.png", 60, 50, 3, bytes(60 * 50 * 3))
    grey(folder, "flat.png", 60, 25, [])
    (folder / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nno")
    cases = (("rgb.png", "the tissue mask 'rgb.png' is an RGB image with 8 bits per channel",
              "give a grey image in which tissue is not 0"),
             ("flat.png", "the tissue mask 'flat.png' is 60 x 25 pixels, which is not the shape of 'slide' (6000 x 5000)",
              "a mask may have any size, but must show the whole image"),
             ("none.png", "there is no file 'none.png'", "'tissue' names a mask of the image"),
             ("bad.png", "'bad.png' ", ""))
    for cell, text, help_text in cases:
        (folder / "data.csv").write_text(f"image,tissue\n\nslide.tif, {cell}\n".replace(", ", ","), encoding="utf-8")
        said = call("check", "study.json", "--color=never", cwd=folder, expect=None)
        check(said.returncode != 0, f"{cell} was taken")
        for part in (text, help_text, "data.csv:3:11"):
            check(part in said.stdout + said.stderr, f"{cell}: no '{part}' in: {said.stdout}{said.stderr}")
    (folder / "data.csv").write_text("image,tissue,tissue\nslide.tif,off,off\n", encoding="utf-8")
    said = call("check", "study.json", "--color=never", cwd=folder, expect=None)
    check("two columns are called 'tissue'" in said.stdout + said.stderr, "the column was read twice")


def test_mutations(folder):
    """A mask that is damaged is a fault or another mask; the program does not crash."""
    grey(folder, "m.png", 60, 50, [(10, 10, 5, 5)])
    good = (folder / "m.png").read_bytes()
    (folder / "data.csv").write_text("image,tissue\nslide.tif,m.png\n", encoding="utf-8")
    numbers = random.Random(14)
    for _ in range(40):
        bad = bytearray(good)
        for _ in range(numbers.randint(1, 4)):
            bad[numbers.randrange(len(bad))] = numbers.randrange(256)
        if numbers.random() < 0.3:
            del bad[numbers.randrange(len(bad)):]
        (folder / "m.png").write_bytes(bytes(bad))
        code = call("plan", "study.json", cwd=folder, expect=None).returncode
        check(code in (0, 2, 3, 4), f"exit {code} for a mask of {bad.hex()}")


def test_study(folder):
    """data.tissue of a study, its faults, and the report."""
    write_study(folder, {"files": ["slide.tif"], "tile": TILE, "halo": HALO, "tissue": "off"})
    equal(call_json("plan", "study.json", cwd=folder).get("tiles"), 120, "tiles with tissue off")
    equal(call_json("plan", "study.json", "--tissue", "on", cwd=folder)["tissue"][0]["source"], "otsu", "the option wins")
    write_study(folder, {"files": ["slide.tif"], "tile": TILE, "halo": HALO, "tissue": "yes"})
    said = call("check", "study.json", "--color=never", cwd=folder, expect=3)
    check("'tissue' is neither \"auto\" nor \"on\" nor \"off\"" in said.stdout + said.stderr, said.stdout + said.stderr)
    write_study(folder, {"files": ["slide.tif"], "tile": TILE, "halo": HALO})
    reply = call_json("study", "study.json", "--output", "study", "--store", "s-on", cwd=folder)
    equal(reply["tissue"][0]["source"], "otsu", "tissue of a study")
    page = (folder / "study/report.html").read_text(encoding="utf-8")
    check("120 tiles in 1 file have tissue" in page, "the report does not say how many tiles have tissue")


def main():
    support.need_program()
    folder = make_project()
    write_slide(folder / "slide.tif", [(WIDTH // scale, HEIGHT // scale, lambda y, scale=scale: draw_row(y, scale))
                                       for scale in (1, REDUCED)])
    kept, said = test_same_results(folder)
    test_cost(folder)
    test_workers(folder, kept, said)
    test_kill(folder, kept, said)
    mask = test_mask(folder / "slide.tif")
    test_faults(mask)
    test_mutations(mask)
    test_study(folder)
    support.finish()


main()
