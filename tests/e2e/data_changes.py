#!/usr/bin/env python3
"""Data files that change while a study reads them: the study ends by name or is right, and its store is always right.

Guards invariant 14.
SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300

`data_changes.py soak [MOMENTS]` changes the slide at 50 moments, or so many; without it at 8.
"""
import json
import mmap
import os
import random
import shutil
import subprocess
import sys
import time

import _faults as faults
import _support as support
from _support import call, call_json, check, equal, say

SEED = 10
WAYS = (("-j", 1), ("-j", 2), ("--workers", 2))
TRAJECTORIES = ("--trajectories", 2)
can_verify = None  # whether the program has 'store verify --recompute'


# ---- a slide of 20 tiles that can be read one by one, and another one of the same size ----

def slides(folder):
    """good.tif and bad.tif, uncompressed and tiled, so that a change in place is not seen by the decoder."""
    support.init_tiles(folder)
    form = ("--tile", "--tile-width", "128", "--tile-height", "128")
    for words in (["crop", "slide.png", "good.v", "0", "0", "640", "512"], ["flip", "good.v", "bad.v", "horizontal"],
                  ["tiffsave", "good.v", "good.tif", *form], ["tiffsave", "bad.v", "bad.tif", *form]):
        subprocess.run(["vips", *words], cwd=folder, check=True)
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["data"] = {"files": ["slide.tif"], "tile": 128, "halo": 0, "level": 0}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    equal((folder / "good.tif").stat().st_size, (folder / "bad.tif").stat().st_size, "sizes of the two slides")


def put(folder, name):
    """The slide becomes a copy of another file, by renaming."""
    shutil.copy(folder / name, folder / "new.tif")
    os.rename(folder / "new.tif", folder / "slide.tif")


def overwrite(folder):
    """In place, without a moment at which the file is shorter."""
    with open(folder / "slide.tif", "r+b") as file:
        file.write((folder / "bad.tif").read_bytes())


CHANGES = {
    "rename": lambda folder: put(folder, "bad.tif"),
    "overwrite": overwrite,
    "truncate": lambda folder: os.truncate(folder / "slide.tif", 300000),
    "remove": lambda folder: os.unlink(folder / "slide.tif"),
    "touch": lambda folder: os.utime(folder / "slide.tif"),
}


def study(folder, store, out, *words, **options):
    return call("study", "-C", folder, "--store", store, "-o", out, "--progress=none", *TRAJECTORIES, *words, **options)


def results(folder, out):
    path = folder / out / "results.csv"
    return path.read_bytes() if path.exists() else None


def calm(folder, name, way=("-j", 2)):
    """What a study of this slide gives with a store of its own, and how many lines of progress it prints."""
    put(folder, name)
    shutil.rmtree(folder / "calm-store", ignore_errors=True)
    run = study(folder, "calm-store", "calm", *way, "--progress=json")
    return results(folder, "calm"), run.stderr.count("\n")


def disturbed(folder, change, way, lines):
    """A study whose slide is changed after so many lines of progress (a count is the same on a busy machine): exit
    status and messages."""
    for name in ("store", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
    put(folder, "good.tif")
    words = ["study", "-C", folder, "--store", "store", "-o", "out", "--progress=json", *TRAJECTORIES, *way]
    said = folder / "said"  # not a pipe: a full one would hold the study up
    with open(said, "w", encoding="utf-8") as file:
        run = subprocess.Popen([support.PROGRAM, *map(str, words)], env=support.environment(), stderr=file,
                               stdout=subprocess.DEVNULL)
        while said.read_bytes().count(b"\n") < lines and run.poll() is None:
            time.sleep(0.001)
        CHANGES[change](folder)
        code = run.wait(120)
    return code, said.read_text(encoding="utf-8")


def check_store(folder, what, wanted, *words):
    """With the right slide the same store gives the right results."""
    put(folder, "good.tif")
    study(folder, "store", "again", *words)
    check(results(folder, "again") == wanted, f"{what}: the store gives other results afterwards")
    if can_verify:
        call("store", "verify", "--recompute", "-C", folder, "--store", "store")


def check_moments(folder, count):
    """Whatever happens to the slide at whatever moment: named, or right; and never anything wrong in the store."""
    dice = random.Random(SEED)
    quiet = {way: calm(folder, "good.tif", way) for way in WAYS}
    good, bad = quiet[WAYS[0]][0], calm(folder, "bad.tif")[0]
    check(good and bad and good != bad, "the two slides give the same results")
    named = 0
    for moment in range(count):
        way, change = WAYS[moment % len(WAYS)], list(CHANGES)[moment % len(CHANGES)]
        lines = dice.randint(1, 7 * quiet[way][1] // 10)
        what = f"{change} after {lines} of {quiet[way][1]} lines, {way[0]} {way[1]}"
        code, text = disturbed(folder, change, way, lines)
        is_named = code == 3 and f"error[T405]: '{folder}/slide.tif' was " in text and "help:" in text
        named += is_named
        say(f"{what}: exit {code}{', named' if is_named else ''}")
        if not is_named:
            equal(code, 0, f"{what}: exit\n{text[-1500:]}\n")
            check(results(folder, "out") == good, f"{what}: results are neither refused nor right")
        else:
            check(change != "touch", f"{what}: a slide with the same content is refused")
            check(results(folder, "out") in (None, good), f"{what}: wrong results were written")
        check_store(folder, what, good, *(["--resume"] if is_named and moment % 2 else []))
        if moment % 4 == 0:  # nor is anything of the right slide under the keys of the wrong one
            put(folder, "bad.tif")
            study(folder, "store", "other")
            check(results(folder, "other") == bad, f"{what}: the store gives wrong results for the other slide")
    touches = sum(list(CHANGES)[moment % len(CHANGES)] == "touch" for moment in range(count))
    check(named >= (count - touches) // 2, f"only {named} of {count - touches} changes were met")
    say(f"{named} of {count} changes were named")
    return bad


def check_resume(folder, bad):
    """Who continues a run with other data is told, and gets the results of the data that are there."""
    code, text = disturbed(folder, "rename", ("-j", 1), 20)
    equal(code, 3, f"the study that is to be continued: exit\n{text[-1500:]}\n")
    reply = call_json("study", "-C", folder, "--store", "store", "-o", "out", *TRAJECTORIES, "--resume")
    wanted = (f"'{folder}/slide.tif' has changed since run {reply.get('run')} began; "
              "everything that depends on it is computed again")
    equal([line for line in reply.get("warnings", []) if "changed since" in line], [wanted], "warnings of --resume")
    check(results(folder, "out") == bad, "--resume with other data: results are not those of the data")
    code, _ = disturbed(folder, "rename", ("-j", 1), 20)
    put(folder, "good.tif")
    reply = call_json("study", "-C", folder, "--store", "store", "-o", "out", *TRAJECTORIES, "--resume")
    equal([line for line in reply.get("warnings", []) if "changed since" in line], [], "warnings with the old data")


def check_mapping(folder):
    """The second write through a mapping leaves the times of the file as they are; it must be seen all the same."""
    system = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip()
    if system in ("tmpfs", "ramfs"):
        say("mapping: not on this file system")
        return
    shutil.rmtree(folder / "store", ignore_errors=True)
    put(folder, "good.tif")
    with open(folder / "slide.tif", "r+b") as file, mmap.mmap(file.fileno(), 0) as pixels:
        pixels[200000:400000] = bytes(200000)
        time.sleep(0.2)  # so long that its digest is remembered
        study(folder, "store", "out")
        before = results(folder, "out")
        pixels[200000:400000] = b"\x80" * 200000
        study(folder, "store", "out")
        found = results(folder, "out")
        study(folder, "memory", "fresh")
    check(found == results(folder, "fresh"), "results after a write through a mapping are not those of the file")
    check(found != before, "the write through a mapping does not matter")


# ---- tables, at moments that are known exactly ----

def check_tables():
    """A table that is replaced before it is read, or after, is named either way; so is one that is removed."""
    folder = faults.project()
    wanted = faults.calm(folder)
    south, text = folder / "data/south.csv", (folder / "data/south.csv").read_text(encoding="utf-8")
    for name in ("south", "north"):  # in the ninth sum the north has been read, and the south has not
        path = folder / f"data/{name}.csv"
        right = path.read_text(encoding="utf-8")
        run = faults.start_at_gate(folder, f"store-{name}", f"out-{name}")
        path.write_text("y\n7\n2\n", encoding="utf-8")
        faults.open_gate(folder)
        said = run.stderr.read()
        equal(run.wait(60), 3, f"{name} replaced: exit\n{said[-1500:]}\n")
        check(f"error[T405]: '{folder}/data/{name}.csv' was changed while it was being read" in said,
              f"{name} replaced: what is said\n{said[-1500:]}")
        check(faults.results(folder, f"out-{name}") is None, f"{name} replaced: results were written")
        path.write_text(right, encoding="utf-8")
        faults.study(folder, store=f"store-{name}", out=f"out-{name}")
        faults.same(folder, wanted, f"{name} put back", f"out-{name}")
    run = faults.start_at_gate(folder, "store-gone", "out-gone", words=["--workers", 1])
    south.unlink()
    faults.open_gate(folder)
    said = run.stderr.read()
    equal(run.wait(60), 3, f"removed, with a worker: exit\n{said[-1500:]}\n")
    check("was removed while it was being read" in said, f"removed, with a worker: what is said\n{said[-1500:]}")
    south.write_text(text, encoding="utf-8")


def check_companions():
    """A slide of several files: the folder beside slide.mrxs belongs to it."""
    folder = faults.project(data={"files": ["data/slide.mrxs"]})
    (folder / "data/slide.mrxs").write_text("y\n3\n1\n", encoding="utf-8")
    (folder / "data/slide").mkdir()
    digests = []
    for text in ("one", "two", "one"):
        (folder / "data/slide/Data0000.dat").write_text(text, encoding="utf-8")
        reply = call_json("study", "-C", folder, "--store", "store")
        digests.append([entry["hash"] for entry in reply.get("inputs", [])])
    check(len(digests[0]) == 1 and digests[0] == digests[2] != digests[1], f"digests of a slide with a folder: {digests}")


def main():
    global can_verify
    support.need_program()
    if not shutil.which("vips"):
        support.skip("there is no vips")
    soak = sys.argv[1:2] == ["soak"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50 if soak else 8
    can_verify = "--recompute" in call("store", "--help", expect=None).stdout
    folder = support.scratch() / "project"
    slides(folder)
    check_resume(folder, check_moments(folder, count))
    check_mapping(folder)
    check_tables()
    check_companions()
    support.finish()


main()
