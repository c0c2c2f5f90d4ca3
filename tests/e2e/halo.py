#!/usr/bin/env python3
"""Honest reach: with the halo that tessera computes, results of tiles are those of the whole image, byte for byte; what
check, plan, run and study say about it; runs that are continued, in worker processes too, keep the halo they began with.

SPDX-License-Identifier: Apache-2.0

A smoothing looks 1 + R pixels far, R at most 4; objects are at most E = 12 pixels wide and high, and a pixel around them
is looked at: 5 + 13 = 18 pixels.
"""
import json
import random
import subprocess

import _support as support
from _masks import write_png
from _support import ROOT, call, call_json, check, equal

WIDTH, HEIGHT = 250, 170
HALO = 18
PATH = [{"task": "segment.smooth", "px": 5}, {"task": "segment.choose", "px": 13}]
WORKFLOW = {
    "tessera": 1, "name": "blobs", "operations": ["libhalo.so"], "inputs": {"image": {"type": "image/gray8"}},
    "parameters": {"R": {"type": "integer", "domain": [0, 100], "grid": [1, 2, 4], "default": 1},
                   "E": {"type": "integer", "domain": [0, 100], "grid": [9, 12], "default": 12}},
    "stages": [
        {"name": "segment", "per": "tile", "in": {"image": "image"}, "out": {"mask": "choose.mask"},
         "tasks": [{"name": "smooth", "op": "halo.smooth", "in": {"image": "image"}, "params": {"radius": "R"}},
                   {"name": "dark", "op": "halo.threshold", "in": {"image": "smooth.image"}},
                   {"name": "choose", "op": "halo.choose", "in": {"mask": "dark.mask"}, "params": {"extent": "E"}}]},
        {"name": "slide", "per": "file", "in": {"mask": "segment.mask"},
         "out": {"table": "sum.table", "objects": "outlines.objects"},
         "tasks": [{"name": "sum", "op": "halo.sum", "in": {"mask": "mask"}},
                   {"name": "outlines", "op": "nuclei.objects", "in": {"mask": "mask"}}]}]}


def draw_slide():
    """Dark blobs of 3 to 20 pixels on bright ground, some of them together, some at the edges."""
    drawn = random.Random(7)
    pixels = bytearray(drawn.randrange(180, 240) for _ in range(WIDTH * HEIGHT))
    for _ in range(160):
        x, y = drawn.randrange(-4, WIDTH), drawn.randrange(-4, HEIGHT)
        across, down = drawn.randrange(3, 20), drawn.randrange(3, 20)
        for v in range(max(0, y), min(HEIGHT, y + down)):
            for u in range(max(0, x), min(WIDTH, x + across)):
                pixels[v * WIDTH + u] = drawn.randrange(10, 60)
    return bytes(pixels)


def write_json(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")


def write_study(folder, **data):
    write_json(folder / "study.json", {
        "tessera": 1, "name": "blobs", "workflow": "workflow.json", "data": {"files": ["slide.png"], **data},
        "outputs": ["slide.table:pixels"], "method": {"name": "morris", "trajectories": 2, "levels": 2}})


def make_project(name, workflow=None, **data):
    folder = support.scratch() / name
    folder.mkdir()
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fPIC", "-shared", "-Wl,--build-id", f"-I{ROOT / 'include'}", "-o",
                    folder / "libhalo.so", ROOT / "tests/plugins/halo.c"], check=True)
    write_png(folder / "slide.png", WIDTH, HEIGHT, 1, draw_slide())
    write_json(folder / "workflow.json", workflow or WORKFLOW)
    write_study(folder, **data)
    return folder


def run(folder, out, *words, **options):
    reply = call_json("run", "study.json", "--store", "memory", "-o", out, *words, cwd=folder, **options)
    return reply, support.results_below(folder / out)


def about_halo(reply):
    return [text for text in reply["warnings"] if "halo" in text]


# ---- the promise ----

def tiles_do_not_matter(folder):
    whole, wanted = run(folder, "whole")
    equal(whole["halo"], None, "halo of whole images")
    equal(whole["warnings"], [], "warnings about whole images")
    check(len(wanted) >= 3, f"files of a run: {sorted(wanted)}")
    for tile in (19, 40, 64, 100, 249):
        reply, found = run(folder, f"tiles-{tile}", "--tile", tile)
        equal(reply["halo"]["px"], HALO, f"halo of tiles of {tile}")
        check(found == wanted, f"tiles of {tile} and whole images have other results: "
              f"{[name for name in wanted if found.get(name) != wanted[name]]}")
    write_study(folder, tile=40, halo=0)
    reply, found = run(folder, "without")
    check(found != wanted, "the slide has nothing at the edges of tiles: the test is worth nothing")
    equal(len(about_halo(reply)), 1, "warnings about tiles without a halo")


# ---- what is said ----

def replies_name_it(folder):
    write_study(folder, tile=64)
    wanted = {"px": HALO, "needed_px": HALO, "given": False, "path": PATH, "tile_tasks": []}
    replies = {"check": call_json("check", cwd=folder), "plan": call_json("plan", cwd=folder),
               "run": run(folder, "said")[0],
               "study": call_json("study", "--store", "memory", "-o", "studied", cwd=folder)}
    for name, reply in replies.items():
        equal(reply.get("halo"), wanted, f"halo in the reply of {name}")
        equal(about_halo(reply), [], f"warnings of {name}")
    text = call("check", "--color=never", cwd=folder).stdout
    equal(text.splitlines()[1:], ["halo: 18 px (segment.smooth 5, segment.choose 13)"], "second line of check")


def given_ones_are_judged(folder):
    for halo, count in ((0, 1), (17, 1), (18, 0), (40, 0)):
        write_study(folder, tile=64, halo=halo)
        reply = call_json("check", cwd=folder)
        equal(reply["halo"], {"px": halo, "needed_px": HALO, "given": True, "path": PATH, "tile_tasks": []},
              f"halo of {halo} in the reply")
        equal(len(about_halo(reply)), count, f"warnings about a halo of {halo}")
    write_study(folder, tile=64, halo=8)
    said = call("check", "--color=never", cwd=folder)
    equal(said.stdout.splitlines()[1:], ["halo: 8 px as given, 18 needed (segment.smooth 5, segment.choose 13)"],
          "second line of check of a halo that is given")
    said = " ".join(said.stderr.split())
    check("the halo of 8 px is smaller than the 18 px that tasks look at" in said and '"halo": 18' in said, said)


def tasks_that_look_at_the_tile(folder):
    workflow = json.loads(json.dumps(WORKFLOW))
    tasks = workflow["stages"][0]["tasks"]
    tasks[1]["in"]["image"] = "stretch.image"
    tasks.append({"name": "stretch", "op": "halo.stretch", "in": {"image": "smooth.image"}})
    write_json(folder / "workflow.json", workflow)
    write_study(folder, tile=64)
    reply = call_json("check", cwd=folder)
    equal((reply["halo"]["px"], reply["halo"]["tile_tasks"]), (HALO, ["segment.stretch"]), "halo of a chain with a stretch")
    equal(reply["warnings"], ["'segment.stretch' (halo.stretch) looks at the whole tile: results near tile edges depend on "
                              "the tiling, whatever the halo; \"halo\": 128 in the study's data lowers the effect, "
                              "\"tile\": 0 (or --tile 0) for whole images avoids it"], "warnings")
    text = call("check", "--color=never", cwd=folder).stdout
    equal(text.splitlines()[1:], ["halo: 18 px (segment.smooth 5, segment.choose 13); 1 task looks at the whole tile"],
          "second line of check of such a chain")
    equal(call_json("check", "--tile", 0, cwd=folder)["warnings"], [], "warnings about whole images")


# ---- a run keeps its halo ----

def read_along(length, tile, halo):
    """The pixels of all tiles of one direction, with their halo."""
    return sum(min(length, at + tile + halo) - max(0, at - halo) for at in range(0, length, tile))


def pixels_of(reply, task):
    """The pixels that the calls of a task got."""
    return [row["px"] for row in reply["by_task"] if f"{row['stage']}.{row['task']}" == task][0]


def continued_runs_keep_theirs():
    """Runs whose threshold failed; then the workflow may smooth more. The tiles that are read say which halo they have."""
    around = read_along(WIDTH, 64, HALO) * read_along(HEIGHT, 64, HALO)
    for workers in ((), ("--workers", 2)):
        what = "in worker processes" if workers else "by threads"
        folder = make_project(f"continued-{len(workers)}", tile=64)
        env = support.environment(HALO_FAIL="1")
        begun = call_json("run", "study.json", "-o", "out", cwd=folder, expect=1, env=env)
        equal(begun["halo"]["px"], HALO, "halo of a run that fails")
        equal(support.executed(begun)["segment.smooth"], 4 * 3, "tiles")
        equal(pixels_of(begun, "segment.smooth"), around, "pixels of a run that fails")
        workflow = json.loads(json.dumps(WORKFLOW))
        workflow["parameters"]["R"]["grid"] = [1, 2, 4, 9]
        write_json(folder / "workflow.json", workflow)
        equal(call_json("check", cwd=folder)["halo"]["px"], 10 + 13, "halo of the workflow now")
        reply = call_json("run", "study.json", "-o", "out", "--resume", *workers, cwd=folder)
        halo = reply["halo"]
        equal((halo["px"], halo["needed_px"], halo["given"]), (HALO, 23, False), f"halo of a run continued {what}")
        equal(sum("the run was begun with it" in text for text in reply["warnings"]), 1, f"warnings {what}")
        equal(pixels_of(reply, "segment.dark"), around, f"pixels of a run continued {what}")
        if workers:
            equal(reply["workers"], 2, "workers")
        _, wanted = run(folder, "wanted", "--tile", 0)
        equal(support.results_below(folder / "out") == wanted, True, f"results of a run continued {what}")


def workers_have_the_same():
    folder = make_project("workers", tile=64)
    _, wanted = run(folder, "threads")
    reply, found = run(folder, "processes", "--workers", 2)
    equal((reply["halo"]["px"], reply["workers"]), (HALO, 2), "halo and workers")
    check(found == wanted, "worker processes have other results")
    around = read_along(WIDTH, 64, HALO) * read_along(HEIGHT, 64, HALO)
    equal(pixels_of(reply, "segment.smooth"), around, "pixels that worker processes read")
    reply, found = run(folder, "more", "--workers", 2, "-p", "R=7")
    equal(reply["halo"]["px"], 8 + 13, "halo for a value above the grid")
    check(found == run(folder, "more-whole", "--tile", 0, "-p", "R=7")[1], "a value above the grid has other results")


def main():
    support.need_program()
    folder = make_project("blobs")
    tiles_do_not_matter(folder)
    replies_name_it(folder)
    given_ones_are_judged(folder)
    tasks_that_look_at_the_tile(folder)
    continued_runs_keep_theirs()
    workers_have_the_same()
    support.finish()


main()
