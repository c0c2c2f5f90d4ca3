#!/usr/bin/env python3
"""What a run would meet is said before: by `check`, and by the other commands before they compute.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import zlib

import _support as support
from _support import call, call_json, check, equal, say

FOLDER = support.scratch()
ENDINGS = ".png, .tif, .tiff, .svs, .ndpi, .jpg, .jpeg, .mrxs, .scn, .bif, .csv"


def write_png(path, width, height, channels=3, bits=8, value=200):
    """A PNG of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    row = b"\0" + bytes([value] * (width * channels * bits // 8))
    head = struct.pack(">IIBBBBB", width, height, bits, 2 if channels == 3 else 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height, 9)) +
                     chunk(b"IEND", b""))


def project(name, manifest=None):
    """The demo, with other files where a manifest is given."""
    folder, demo = FOLDER / name, FOLDER / "demo"
    if not demo.exists():
        call("init", "--demo", "nuclei", demo, "-q")
    shutil.copytree(demo, folder)
    if manifest:
        (folder / "data.csv").write_text(manifest, encoding="utf-8")
    return folder


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if ".tessera" not in path.parts)


def refuses(folder, said, *words, number=402, code=3, commands=("check", "run", "study", "plan")):
    """Every command says the same, and nothing was computed for it."""
    for command in commands:
        before = tree(folder)
        run = call(command, "-C", folder, *words, *(("--progress=none",) if command in ("run", "study") else ()),
                   expect=code)
        what = f"{command} in {folder.name}"
        check(f"error[T{number}]" in run.stderr, f"{what}: no T{number} in\n{run.stderr}")
        for text in said:
            equal(run.stderr.count(text), 1, f"{what}: how often '{text}' is said\n{run.stderr}")
        equal(run.stdout, "", f"{what}: standard output")
        equal(tree(folder), before, f"{what}: files")
    runs = call_json("status", "-C", folder, expect=None).get("runs", [])
    equal(runs, [], f"{folder.name}: runs that were recorded")


def check_kinds_of_images():
    folder = project("swapped", "reference,image\nslide.png,truth.png\n")
    refuses(folder, ["the input 'image' needs image/rgb8, but '", "truth.png' is a grey image with 16 bits per pixel",
                     "help: are the columns 'image' and 'reference' swapped?"], commands=("check", "run"))
    folder = project("swapped-mask", "reference,image\nslide.png,mask.png\n")
    write_png(folder / "mask.png", 1024, 768, 1)
    refuses(folder, ["the input 'reference' needs mask|labels, but '", "slide.png' is an RGB image with 8 bits per channel",
                     "help: are the columns 'reference' and 'image' swapped?"], commands=("check", "run"))
    folder = project("size", "image,reference\nslide.png,small.png\n")
    write_png(folder / "small.png", 500, 400, 1)
    refuses(folder, ["small.png' is 500 x 400 pixels, but '", "slide.png' is 1024 x 768"], commands=("check", "run"))
    folder = project("bits", "image\ngrey16.png\nrgb16.png\n")
    write_png(folder / "grey16.png", 1024, 1024, 1, 16)
    write_png(folder / "rgb16.png", 1024, 1024, 3, 16)
    refuses(folder, ["grey16.png' is a grey image with 16 bits per pixel", "rgb16.png' is an RGB image with 16 bits per "
                     "channel", "or declare the input as image/gray16"])
    convert_as_told(folder)
    refuses(FOLDER / "size", ["rgb16.png' is an RGB image with 16 bits per channel"], "--data", folder / "rgb16.png")


def convert_as_told(folder):
    """The command of the message makes a file that is taken."""
    if not shutil.which("vips"):
        say("vips is not installed: the command of the message is not tried")
        return
    said = call("check", cwd=folder, expect=3).stderr
    commands = re.findall(r"with: (vips colourspace .* (?:b-w|srgb))", said)
    equal(len(commands), 2, f"commands in\n{said}")
    for command in commands:
        subprocess.run(command, shell=True, check=True, cwd=folder)
    (folder / "data.csv").write_text("image\ngrey16-8bit.png\nrgb16-8bit.png\n", encoding="utf-8")
    call("check", cwd=folder)
    width, height, channels, bits, pixels = support.read_png(folder / "rgb16-8bit.png")
    equal((width, height, channels, bits, set(pixels)), (1024, 1024, 3, 8, {200}), "the upper 8 of 16 bits")


def check_empty_folder():
    folder = project("empty")
    (folder / "slides").mkdir()
    (folder / "slides/notes.txt").write_text("no image", encoding="utf-8")
    said = [f"folder '{folder / 'slides'}' contains no image files", f"that end in {ENDINGS}"]
    refuses(folder, said, "--data", "slides", number=401)
    run = call("check", "-C", folder, "--data", "slides", expect=3)
    check("study.json" not in run.stderr, f"--data: a place in the study file\n{run.stderr}")
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["data"] = {"files": ["truth.png", "slides"]}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    refuses(folder, said, number=401)
    run = call("check", "-C", folder, expect=3)
    check(re.search(r"study\.json:1:\d+", run.stderr), f"an entry of the study file: no place\n{run.stderr}")


def unwritable(folder):
    """Places where not even root can write, and what is said of them."""
    file = folder / "a-file"
    file.write_text("in the way", encoding="utf-8")
    yield file / "out", f"'{file}' is not a folder"
    yield pathlib.Path("/proc/tessera-out"), "results cannot be written to '/proc/tessera-out'"


def check_output_folders():
    folder = project("output")
    for out, said in unwritable(folder):
        refuses(folder, [said], "-o", out, "--store", "memory", number=316, commands=("run", "study"))
        refuses(folder, [said], "-o", out, number=316, commands=("check", "run", "study"))
    (folder / "out").write_text("in the way", encoding="utf-8")
    refuses(folder, [f"results cannot be written to '{folder}/out/nuclei': '{folder}/out' is not a folder"], number=316,
            commands=("check", "study"))
    (folder / "out").unlink()
    before = tree(folder)
    call("check", "-C", folder)
    equal(tree(folder), before, "what check leaves behind")
    check_output_files(folder)


def check_result_folders():
    """Only results of the same file and data are replaced, and nothing beside them."""
    folder = project("result-folders")
    out = folder / "results"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    refuses(folder, [f"results cannot be written to '{out}': it has files, but no run.json of a run",
                     "help: name a folder that is new or empty"], "-o", out, number=316, commands=("run",))
    (out / "notes.txt").unlink()
    call("run", "-C", folder, "-o", out, "-q", "--progress=none")
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    before = support.results_below(out)
    call("run", "-C", folder, "-o", out, "-q", "--progress=none")
    equal(sorted(support.results_below(out)), sorted(before), "files after a second run")
    check(support.results_below(out) == before, "a second run wrote other files")
    write_png(folder / "other.png", 64, 64)
    for words, said in ((("workflow.json", "--data", "slide.png"), "it has those of 'nuclei' in 'study.json'"),
                        (("--data", "other.png"), "it has those of other data")):
        run = call("run", *words, "-C", folder, "-o", out, "--progress=none", expect=3)
        check(f"error[T316]: results cannot be written to '{out}': {said}" in run.stderr, f"{words}: {run.stderr}")
        check(support.results_below(out) == before, f"{words}: files were changed")


def check_output_files(folder):
    (folder / "space.json").write_text('{"parameters": [{"name": "x", "type": "real", "range": [0, 1]}]}',
                                       encoding="utf-8")
    call("study", "-C", folder, "--progress=none", "--trajectories", 2)
    for command in (("sample", "--space", "space.json", "--method", "lhs", "-N", 10, "-o"), ("report", "-o"),
                    ("plan", "--workers", 2, "--merge", "rtma", "--picture")):
        run = call(command[0], "-C", folder, *command[1:], folder / "missing/file", expect=3)
        check("error[T316]: results cannot be written to" in run.stderr, f"{command[0]}: {run.stderr}")
        run = call(command[0], "-C", folder, *command[1:], folder, expect=3)
        check("error[T316]" in run.stderr, f"{command[0]} onto a folder: {run.stderr}")
    run = call("sample", "--space", "space.json", "--method", "mc", "-N", 3, "-o", "/dev/null", cwd=folder)
    check("Wrote" in run.stdout + run.stderr, "a device is not a folder that must be probed")


def check_defaults():
    folder = project("defaults")
    warning = "the default of 'G2', 45, is not among the values that a study tries: its grid is 2 to 40"
    said = [text for text in call_json("check", "-C", folder)["warnings"] if "default" in text]
    equal(said, [warning], "warnings about defaults of the demo")
    run = call("check", "-C", folder)
    check(f"warning: {warning}" in run.stderr, f"no warning in\n{run.stderr}")


def check_designs():
    folder = project("designs")
    (folder / "good.csv").write_text("G1,G2\n40,20\n80,40\n", encoding="utf-8")
    equal(call_json("plan", "-C", folder, "--design", "good.csv")["warnings"], [], "a design inside the space")
    (folder / "bad.csv").write_text("G1,G2\n40,20\n40,45\n\n41,20\n80,40\n", encoding="utf-8")
    wanted = (f"2 of 4 rows of '{folder}/bad.csv' have values that the space does not have; the first is 'G2' = 45 in "
              "line 3, column 4: its grid is 2 to 40")
    equal(call_json("plan", "-C", folder, "--design", "bad.csv")["warnings"], [wanted], "a design outside the space")
    study = call_json("study", "-C", folder, "--design", "bad.csv", "--tile", 0)
    check(wanted in study["warnings"], f"study --design: {study['warnings']}")
    (folder / "space.json").write_text(
        '{"parameters": [{"name": "x", "type": "real", "range": [0, 1]}, '
        '{"name": "k", "type": "integer", "grid": [2, 4, 8]}, {"name": "w", "type": "string", "grid": ["a", "b"]}]}',
        encoding="utf-8")
    (folder / "d.csv").write_text("k,x,w\n2,0.5,a\n4,1,b\n6,0.25,a\n8,1.5,b\n2,0,a\n8,0.75,b\n", encoding="utf-8")
    (folder / "y.csv").write_text("y\n1\n2\n3\n5\n4\n6\n", encoding="utf-8")
    reply = call_json("analyse", "-C", folder, "--space", "space.json", "--design", "d.csv", "--outputs", "y.csv",
                      "--method", "correlation")
    wanted = (f"2 of 6 rows of '{folder}/d.csv' have values that the space does not have; the first is 'k' = 6 in line 4, "
              "column 1: it is between the values of its grid")
    check(wanted in reply["warnings"], f"analyse: {reply['warnings']}")


EACH = ("--per-tile", "--all-outputs")


def check_many_files():
    folder = project("many")
    # 64 x 48 tiles of 16 pixels. Of a tile: image, mask, overlap, summary; of the image: colours, scores, table, means,
    # outlines.
    reply = call_json("check", "-C", folder, "--tile", 16, *EACH)
    said = [text for text in reply["warnings"] if "files" in text]
    equal(said, ["a run writes 12 293 files here, for 3 072 tiles; with --tile 256 they are 53"], "tiles of 16 pixels")
    equal([text for text in call_json("check", "-C", folder, "--tile", 24, *EACH)["warnings"] if "files" in text], [],
          "tiles of 24 pixels: 43 x 32 x 4 files")
    written = call_json("run", "-C", folder, "--tile", 256, *EACH)
    equal(len(written["outputs"]), 53 + 1, "files with the tile size that was proposed, and run.json")
    equal([text for text in call_json("check", "-C", folder, "--tile", 16)["warnings"] if "files" in text], [],
          "tiles of 16 pixels, one file for each image")


def check_large_tiles():
    """A tile that takes more than the budget of memory: 3000 x 3000 pixels of 3 bytes are 27 MB."""
    folder = project("large")
    for words in (("black", "grey.v", 3000, 3000, "--bands", 3), ("copy", "grey.v", "rgb.v", "--interpretation", "srgb"),
                  ("tiffsave", "rgb.v", "large.tif", "--tile", "--compression", "jpeg")):
        subprocess.run(["vips", *map(str, words)], cwd=folder, check=True)
    for tile, memory, wanted in ((0, "16M", True), (1024, "16M", False), (0, "64M", False)):
        reply = call_json("check", "-C", folder, "workflow.json", "--data", "large.tif", "--tile", tile, "--memory", memory)
        said = [text for text in reply["warnings"] if "--memory" in text]
        equal([text.split(":")[0] for text in said],
              ["a tile of 'large' takes about 27.0 MB, more than the 16.0 MB of --memory"] * wanted,
              f"tiles of {tile} pixels with {memory}")


def check_repeated_faults():
    """A folder that goes bad while the run writes: one fault, with how many like it there were."""
    folder = project("repeated")
    out = folder / "results"
    call("run", "-C", folder, "-o", out, "--progress=none")
    shutil.rmtree(out / "slide")
    (out / "slide").write_text("a file where the folder of the slide belongs", encoding="utf-8")
    run = call("run", "-C", folder, "-o", out, "--progress=none", *EACH, expect=5)
    equal(run.stderr.count("error["), 1, f"faults\n{run.stderr}")
    check(re.search(r"error\[T102\]: .*/results/slide' cannot be created: .* \(and 20 more like it\)", run.stderr),
          f"how many more:\n{run.stderr}")


def check_ctrl_c():
    for words in (("help", "run"), ("help", "study"), ("man", "run"), ("man", "study")):
        text = re.sub(r"\s+", " ", call(*words).stdout.replace("\\-", "-"))
        for said in ("Ctrl-C pauses: running tasks are finished and kept",
                     "A second Ctrl-C asks running operations to give up and ends the program within two seconds; a third "
                     "ends it at once"):
            check(said in text, f"{' '.join(words)}: no '{said}'")
        check("stops at once" not in text, f"{' '.join(words)}: the second Ctrl-C does not stop at once")


def main():
    support.need_program()
    os.umask(0o022)
    for test in (check_kinds_of_images, check_empty_folder, check_output_folders, check_result_folders, check_defaults,
                 check_designs, check_many_files, check_large_tiles, check_repeated_faults, check_ctrl_c):
        say(test.__name__)
        test()
    support.finish()


main()
