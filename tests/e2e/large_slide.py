#!/usr/bin/env python3
"""A slide in tiles of three sizes: the same masks, tables and outlines, bit for bit, those of the whole image; also on one
thread, in worker processes, without reuse and after kill -9 while objects are joined.

Guards invariant 19.
SPDX-License-Identifier: Apache-2.0
test-label: slow
test-timeout: 300

The slide is drawn here: dark disks, rings, bars and combs on tissue, some of them larger than the largest extent, on every
tile edge and on the edge of the slide. Number, area and scores of the objects are compared with what the tests count
themselves in the joined masks. bench/large_slide.py is the same on 40,000 x 40,000 pixels, with limits of time and memory.
"""
import json
import random
import shutil
import signal
import subprocess
import time

import _support as support
from _masks import close, object_counts, pixel_counts, runs_of, scores, write_png
from _slides import write_slide
from _support import PROGRAM, call_json, check, equal, say

SIDE, EXTENT = 3000, 48
TILES = (512, 1000, 4096)  # the last is the whole image
GLASS, STROMA = (243, 243, 245), (222, 160, 200)
WORKFLOW = support.ROOT / "workflows/components/workflow.json"


# ---- the slide ----

class Canvas:
    def __init__(self):
        self.rgb = bytearray(bytes(GLASS) * (SIDE * SIDE))
        self.truth = bytearray(SIDE * SIDE)

    def span(self, y, begin, end, colour, value=None):
        """Colours the pixels [begin, end) of a row, as far as they are there; value: in the truth."""
        begin, end = max(begin, 0), min(end, SIDE)
        if not 0 <= y < SIDE or begin >= end:
            return
        at = y * SIDE + begin
        self.rgb[3 * at:3 * (at + end - begin)] = bytes(colour) * (end - begin)
        if value is not None:
            self.truth[at:at + end - begin] = bytes([value]) * (end - begin)

    def box(self, x, y, width, height, colour, value=None):
        for row in range(y, y + height):
            self.span(row, x, x + width, colour, value)

    def disk(self, x, y, radius, colour, value=None):
        for dy in range(-radius, radius + 1):
            half = int((radius * radius - dy * dy) ** 0.5)
            self.span(y + dy, x - half, x + half + 1, colour, value)


def draw():
    """Most of the truth is a little beside what is drawn."""
    canvas, dice = Canvas(), random.Random(5)
    canvas.disk(1500, 1500, 1450, STROMA)
    canvas.disk(0, 2900, 180, STROMA)
    dark = (70, 50, 130)
    canvas.box(505, 1100, 150, 9, dark)              # wider than the extent, over a tile edge
    canvas.box(1020, 1018, 9, 200, dark)             # higher
    for tooth in range(0, 45, 6):                    # a comb whose teeth meet above a tile edge
        canvas.box(990 + tooth, 1531, 3, 20, dark)
    canvas.box(990, 1526, 45, 5, dark)
    for _ in range(4000):
        x, y, radius = dice.randrange(SIDE), dice.randrange(SIDE), dice.choice((2, 3, 4, 5, 6, 8, 11, 15, 19))
        if canvas.rgb[3 * (y * SIDE + x)] == GLASS[0]:
            continue
        shade = dice.randrange(40, 100)
        canvas.disk(x, y, radius, (shade, shade, shade + 40))
        canvas.disk(x + dice.randrange(-2, 3), y, radius, (shade, shade, shade + 40), 255)
        if radius > 10 and dice.random() < 0.5:
            canvas.disk(x, y, radius // 2, STROMA)
    return canvas


# ---- runs ----

def make_project():
    folder = support.scratch()
    canvas = draw()
    write_slide(folder / "slide.tif", [(SIDE, SIDE, lambda y: canvas.rgb[3 * y * SIDE:3 * (y + 1) * SIDE])])
    write_png(folder / "truth.png", SIDE, SIDE, 1, bytes(canvas.truth))
    shutil.copy(WORKFLOW, folder)
    (folder / "data.csv").write_text("image,reference\nslide.tif,truth.png\n", encoding="utf-8")
    study = {"tessera": 1, "name": "slide", "workflow": "workflow.json",
             "data": {"manifest": "data.csv", "tile": TILES[0], "tissue": "on"},
             "outputs": ["features.summary:count"], "method": {"name": "morris", "trajectories": 2}}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder, bytes(canvas.truth)


def run(folder, out, *words):
    """The reply and the files, without the picture of the slide."""
    reply = call_json("run", "study.json", "--store", f"s-{out}", "--output", out, *words, cwd=folder)
    found = support.results_below(folder / out)
    return reply, {name: content for name, content in found.items() if "overlay" not in name}


def compare(found, wanted, what):
    equal(sorted(found), sorted(wanted), f"files of {what}")
    for name, content in wanted.items():
        check(found.get(name) == content, f"{what}: {name} differs")


# ---- tests ----

def test_tile_sizes(folder):
    replies = {}
    for tile in TILES:
        replies[tile], found = run(folder, f"t{tile}", "--tile", tile)
        if tile == TILES[0]:
            wanted = found
        compare(found, wanted, f"tiles of {tile}")
    for suffix in ("segment.mask.png", "features.objects.csv", "features.shapes.geojson", "compare.table.csv"):
        check(any(name.endswith(suffix) for name in wanted), f"there is no {suffix} in {sorted(wanted)}")
    return replies[TILES[0]], wanted


def mask_rows(path):
    width, height, channels, bits, raw = support.read_png(path)
    equal((width, height, channels, bits), (SIDE, SIDE, 1, 8), "form of the mask")
    return [raw[y * SIDE:(y + 1) * SIDE] for y in range(SIDE)]


def boxes_of(rows):
    """Area, width and height of the objects, in the order of their first pixels."""
    boxes = {}
    for y, line in enumerate(runs_of(rows)):
        for begin, end, label in line:
            box = boxes.setdefault(label, [0, begin, end, y, y])
            box[0] += end - begin
            box[1], box[2], box[4] = min(box[1], begin), max(box[2], end), y
    return [(area, right - left, bottom - top + 1) for area, left, right, top, bottom in boxes.values()]


def test_numbers(folder, reply, truth):
    """What the tests count in the mask of the whole image."""
    rows = mask_rows(folder / f"t{TILES[-1]}/slide/segment.mask.png")
    boxes = boxes_of(rows)
    check(len(boxes) > 1000, f"only {len(boxes)} objects")
    check(max(max(width, height) for _, width, height in boxes) <= EXTENT, "an object exceeds the extent")
    check(sum(max(width, height) > EXTENT - 8 for _, width, height in boxes) > 10, "no object is near the extent")
    table = support.read_csv(folder / f"t{TILES[0]}/slide/features.objects.csv")
    equal([float(row["area"]) for row in table], [float(area) for area, _, _ in boxes], "areas of the objects, in order")
    shapes = json.loads((folder / f"t{TILES[0]}/slide/features.shapes.geojson").read_text(encoding="utf-8"))
    equal(len(shapes["features"]), len(boxes), "outlines")
    counts = {**object_counts(rows, [truth[y * SIDE:(y + 1) * SIDE] for y in range(SIDE)]),
              **pixel_counts(b"".join(rows), truth)}
    values = reply["quality"][0]["values"]
    for name, count in counts.items():
        close(values.get(name), count, name)
    for name, (numerator, denominator) in scores(counts).items():
        close(values.get(name), numerator / denominator, name)
    say(f"{len(boxes)} objects, F1 {values.get('f1')}")


def test_forms(folder, wanted):
    for out, words in (("one", ("--jobs", 1)), ("two", ("--jobs", 2)), ("workers", ("--workers", 2)),
                       ("small", ("--memory", "64M"))):
        compare(run(folder, out, *words)[1], wanted, " ".join(map(str, words)))
    compare(run(folder, "two", "--no-reuse")[1], wanted, "--no-reuse")
    again, found = run(folder, "one")
    compare(found, wanted, "a second run")
    equal(again["reuse"]["executed"], 0, "tasks of a second run")


def is_joining(event):
    return event["ev"] == "task_done" and event["name"].startswith(("measure.", "overlap."))


def start_and_kill(folder, enough):
    """Kills a run after so many tasks that prepare what is joined."""
    words = [PROGRAM, "run", "study.json", "--store", "s-kill", "--output", "kill", "--jobs", "1",
             "--progress=json"]
    process = subprocess.Popen(words, cwd=folder, env=support.environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    seen = 0
    while seen < enough:
        line = process.stderr.readline()
        if not line:
            break
        seen += line.startswith(b"{") and is_joining(json.loads(line))
    process.send_signal(signal.SIGKILL)
    process.stderr.close()
    check(process.wait() == -signal.SIGKILL, f"the run ended before it was killed, after {seen} tasks")


def test_kill(folder, wanted):
    for enough in (10, 60):
        shutil.rmtree(folder / "kill", ignore_errors=True)
        shutil.rmtree(folder / "s-kill", ignore_errors=True)
        start_and_kill(folder, enough)
        reply, found = run(folder, "kill", "--resume")
        compare(found, wanted, f"kill -9 after {enough} tasks and --resume")
        check(reply.get("state") == "done", f"state after --resume: {reply.get('state')}")


def main():
    support.need_program()
    start = time.monotonic()
    folder, truth = make_project()
    reply, wanted = test_tile_sizes(folder)
    test_numbers(folder, reply, truth)
    test_forms(folder, wanted)
    test_kill(folder, wanted)
    say(f"{time.monotonic() - start:.1f} s")
    support.finish()


main()
