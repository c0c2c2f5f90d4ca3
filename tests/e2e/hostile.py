#!/usr/bin/env python3
"""Hostile names, images and outputs of commands: nothing outside the output folder, budgets kept, everything ends.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300

All 200 cases with the argument `all` (`make soak`), a sample of every kind without; names of kinds run those alone.
Each case runs the program by itself with a budget of memory and of temporary files and looks at: the exit status, the
time, the most memory (release builds), the temporary files while it runs and when it has ended, and everything that lies
around the output folder.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import time
import zlib

import _support as support
from _support import check, equal, say

MEMORY, SCRATCH = 64_000_000, 100_000_000
SLACK = 60_000_000
LIMIT_S = 30
rng = random.Random(10)


# ---- One call of the program, watched ----

def list_folder(folder):
    """Names in a folder that may be gone."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def temporary_bytes(pid, tmp):
    """What the process and the files below TMPDIR take on disk, files without a name included."""
    seen = {}
    below = [os.path.join(place, name) for place, folders, files in os.walk(tmp) for name in folders + files]
    for path in [*below, *(f"/proc/{pid}/fd/{number}" for number in list_folder(f"/proc/{pid}/fd"))]:
        try:
            if "/fd/" in str(path) and not os.readlink(path).startswith(str(tmp)):
                continue
            status = os.stat(path)
            seen[status.st_ino] = status.st_blocks * 512
        except OSError:
            continue
    return sum(seen.values())


def watched(words, folder, tmp):
    """Exit status (None: it had to be killed), stderr, peak memory and peak of temporary files."""
    log = folder.parent / "stderr.txt"
    with open(log, "wb") as error:
        run = subprocess.Popen([support.PROGRAM, *map(os.fsencode, map(str, words))], cwd=folder,
                               env=support.environment(TMPDIR=str(tmp), TESSERA_SCRATCH=str(SCRATCH)), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=error)
    begin, peak = time.monotonic(), 0
    while True:
        pid, status, usage = os.wait4(run.pid, os.WNOHANG)
        if pid:
            break
        peak = max(peak, temporary_bytes(run.pid, tmp))
        if time.monotonic() - begin > LIMIT_S:
            run.kill()
            os.wait4(run.pid, 0)
            run.returncode = -9
            return None, log.read_text("utf-8", "replace"), 0, peak
        time.sleep(0.01)
    run.returncode = os.waitstatus_to_exitcode(status)
    return run.returncode, log.read_text("utf-8", "replace"), usage.ru_maxrss * 1024, peak


def listing(folder, without):
    """Everything below a folder but one part of it: kind, size and time of each entry."""
    found = {}
    for place, folders, files in os.walk(os.fsencode(str(folder))):
        folders[:] = [name for name in folders if os.path.join(place, name) not in without]
        for name in folders + files:
            path = os.path.join(place, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns) if name not in folders else status.st_mode
    return found


def judge(what, words, folder, codes, parts=()):
    """Runs a case in a project that lies in `world`, and looks at everything."""
    world = folder.parent
    tmp = world / "tmp"
    tmp.mkdir(exist_ok=True)
    allowed = {os.fsencode(str(path)) for path in (folder / "out", folder / ".tessera", world / "stderr.txt")}
    (world / "stderr.txt").touch()
    before = listing(world, allowed)
    code, said, memory, temporary = watched([*words, "--memory", MEMORY, "-j", 2, "-q", "--progress=none"], folder, tmp)
    after = listing(world, allowed)
    before.pop(os.fsencode(str(world / "stderr.txt")), None)
    after.pop(os.fsencode(str(world / "stderr.txt")), None)
    check(code in codes, f"{what}: exit {code} (None: not within {LIMIT_S} s), not {codes}\n{said[-1500:]}")
    for part in (*parts, *(["help:"] if code else [])):
        check(part in said, f"{what}: {part!r} is not in the message\n{said[-1500:]}")
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    check(not changed, f"{what}: changed outside the output folder: {sorted(changed)[:5]}")
    if not support.SANITIZED:
        check(memory <= MEMORY + SLACK, f"{what}: {memory / 1e6:.0f} MB of memory")
    check(temporary <= SCRATCH, f"{what}: {temporary / 1e6:.0f} MB of temporary files")
    shutil.rmtree(tmp)


# ---- Projects ----

def workflow(kind):
    """One command that makes one output of a kind from a table."""
    return {"tessera": 1, "name": "hostile", "operations": ["make.json"], "inputs": {"table": {"type": "table"}},
            "parameters": {"mode": {"type": "string", "grid": ["=1+1", "+x", "-2", "plain"], "default": "plain"}},
            "stages": [{"name": "make", "per": "file", "in": {"table": "table"}, "out": {"x": "make.x"},
                        "tasks": [{"name": "make", "op": "hostile.make", "in": {"table": "table"},
                                   "params": ["mode"]}]}]}


def project(kind="table", script="printf 'a\\n1\\n' > out.x.csv\n", name="hostile"):
    folder = support.scratch() / "project"
    folder.mkdir()
    (folder / "data.csv").write_text("a\n1\n", encoding="utf-8")
    (folder / "make.sh").write_text(script, encoding="utf-8")
    manifest = {"tessera_operation": 1, "name": "hostile.make", "version": 1, "command": ["sh", "make.sh"],
                "timeout_s": 20, "inputs": {"table": {"type": "table"}}, "outputs": {"x": {"type": kind}},
                "parameters": {"mode": {"type": "string"}}}
    study = {"tessera": 1, "name": name, "workflow": "workflow.json", "data": {"files": ["data.csv"]},
             "method": {"name": "lhs", "samples": 4}, "outputs": ["make.x:a"]}
    for file, content in (("make.json", manifest), ("workflow.json", workflow(kind)), ("study.json", study)):
        (folder / file).write_text(json.dumps(content), encoding="utf-8")
    return folder


# ---- Names ----

STUDY_NAMES = ["../../x", "..", ".", "", "/", "/tmp/x", "a/b", "a\nb", "x\u0000y", "\x1b[31mred", "~", "-rf", "a b", "$HOME",
               "..\\..\\x", "con:", "\u202egnp", "x" * 65, ".hidden", "a/../../b"]
FILE_NAMES = ["...csv", "....csv", ".hidden.csv", " .csv", "..\n.csv", "-rf.csv", "\x1b]0;x\x07.csv", "a\\..\\b.csv", "~.csv",
              "*.csv", "$(touch x).csv", "';touch y;'.csv", "%s%n.csv", "=1+1.csv", "\u202efdp.csv", "x" * 250 + ".csv",
              "\u00e9" * 120 + ".csv", "\udcff\udcfe.csv", "results.csv.csv", "con.csv", "\t.csv", "a\r.csv", ".. .csv",
              "\x7f.csv", "...\u0301.csv", ".-.csv", "a.b.c.csv", "\ufeffbom.csv", "..csv", "None.csv"]


def study_name(name):
    if "\0" in name:
        return lambda: judge("study name with NUL", ["study"], project(name=name), (3,), ["T110"])
    return lambda: judge(f"study name {name!r}", ["study"], project(name=name), (3,), ["T212", "study.json:1:"])


def file_name(name):
    def case():
        folder = project()
        path = os.path.join(os.fsencode(str(folder)), os.fsencode(name))
        with open(path, "wb") as file:
            file.write(b"a\n1\n")
        judge(f"data file {name!r}", ["run", "workflow.json", "--data", "./" + name, "-o", "out/in/deep"], folder, (0, 3))
        made = [path for path in (folder / "out").rglob("*.csv") if path.is_file()] if (folder / "out").exists() else []
        inside = folder / "out/in/deep"
        check(all(len(path.relative_to(inside).parts) == 2 for path in made if path.is_relative_to(inside)) and
              all(path.is_relative_to(inside) for path in made), f"data file {name!r}: {made}")
        check(made or "\udcff" in name, f"data file {name!r}: no output")
    return case


def links(target):
    """Somebody else put a link into the output folder."""
    def case():
        folder = project()
        elsewhere = folder.parent / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "make.x.csv").write_text("precious\n", encoding="utf-8")
        (folder / "out/o").mkdir(parents=True)
        if target == "folder":
            (folder / "out/o/data").symlink_to(elsewhere)
        else:
            (folder / "out/o/data").mkdir()
            (folder / "out/o/data/make.x.csv").symlink_to(elsewhere / "make.x.csv" if target == "file" else "/dev/full")
        judge(f"a link to a {target} among results", ["run", "workflow.json", "--data", "data.csv", "-o", "out/o"], folder,
              (5,) if target == "folder" else (0,), ["a link or a file"] if target == "folder" else ())
    return case


# ---- Outputs of commands ----

ENDINGS = {"table": "csv", "mask": "png", "objects": "geojson", "bytes": "bin"}
TRICKS = {
    "a pipe": ("mkfifo out.x.E", "a named pipe"),
    "endless zeros": ("ln -s /dev/zero out.x.E", "a symbolic link"),
    "a file of the system": ("ln -s /etc/passwd out.x.E", "a symbolic link"),
    "a link to a good file": ("printf 'a\\n1\\n' > good; ln -s good out.x.E", "a symbolic link"),
    "a folder": ("mkdir out.x.E", "a folder"),
    "holes": ("truncate -s 20G out.x.E", "15/16 of --scratch"),
    "more holes than disks": ("truncate -s 4T out.x.E", "15/16 of --scratch"),
    "a little too much": ("truncate -s 40M out.x.E", "more than the"),
    "another folder in place of its own": ("h=$PWD; cd /; rm -r $h; mkdir $h; echo > $h/out.x.E", "did not write"),
    "a link in place of its folder": ("h=$PWD; cd /; rm -r $h; ln -s / $h", "did not write"),
    "nothing": ("true", "did not write"),
    "a full folder": ("head -c 120000000 /dev/zero > more; printf 'a\\n1\\n' > out.x.E", "15/16 of --scratch"),
    "many files": ("i=0; while [ $i -lt 200 ]; do i=$((i+1)); head -c 3000000 /dev/zero > $i; sleep 0.03; done", "15/16 of --scratch"),
    "many files quickly": ("i=0; while [ $i -lt 200 ]; do i=$((i+1)); head -c 3000000 /dev/zero > $i; done", "15/16 of --scratch"),
}


def command_output(kind, trick):
    script, part = TRICKS[trick]
    script = script.replace("out.x.E", f"out.x.{ENDINGS[kind]}") + "\n"
    return lambda: judge(f"{kind}: {trick}", ["run", "workflow.json", "--data", "data.csv", "-o", "out"],
                         project(kind, script), (1,), [part])


def command_image(what, content):
    def case():
        folder = project("mask")
        (folder / "bomb").write_bytes(content())
        (folder / "make.sh").write_text(f"cp '{folder}/bomb' out.x.png\n", encoding="utf-8")
        judge(f"mask: {what}", ["run", "workflow.json", "--data", "data.csv", "-o", "out"], folder, (1,), ["out"])
    return case


def growing(kind):
    """A daemon goes on writing after the command has ended; it is stopped by its number."""
    script = ("setsid sh -c 'i=0; while [ $i -lt 300 ]; do head -c 100000 /dev/zero; sleep 0.01; i=$((i+1)); done' "
              f">> out.x.{ENDINGS[kind]} 2>/dev/null </dev/null &\nsleep 0.05\n")
    return lambda: judge(f"{kind}: a file that grows", ["run", "workflow.json", "--data", "data.csv", "-o", "out"],
                         project(kind, script), (0, 1))


# ---- Images ----

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zeros(count):
    """Compressed zero bytes without having them in memory."""
    packer, piece = zlib.compressobj(9), bytes(1 << 20)
    parts = [packer.compress(piece) for _ in range(count >> 20)]
    return b"".join([*parts, packer.compress(bytes(count & ((1 << 20) - 1))), packer.flush()])


def png(width, height, bits=8, colour=2, interlaced=0, full=True):
    row = 1 + (width * bits * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] + 7) // 8
    size = row * height * (2 if interlaced else 1) if full else row
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)) +
            chunk(b"IDAT", zeros(size)) + chunk(b"IEND", b""))


def tiff(width, height, tile=None, rows=None, compression=8, samples=3):
    """One directory; every tile or strip is the same compressed block of zeros."""
    rows = rows or height
    across, down = (-(-width // tile), -(-height // tile)) if tile else (1, -(-height // rows))
    block = zeros(min((tile * tile if tile else width * min(rows, height)) * samples, 1 << 28))
    count = across * down
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, compression),
               (262, 3, 1, 2 if samples == 3 else 1), (277, 3, 1, samples)]
    entries += ([(322, 4, 1, tile), (323, 4, 1, tile)] if tile else [(278, 4, 1, rows)])
    start = 8 + 2 + 12 * (len(entries) + 2) + 4
    lists = 8 * count if count > 1 else 0
    at = start + lists
    places, sizes = (324, 325) if tile else (273, 279)
    entries += [(places, 4, count, start if count > 1 else at), (sizes, 4, count, start + 4 * count if count > 1 else len(block))]
    body = b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries))
    arrays = struct.pack(f"<{count}I", *[at] * count) + struct.pack(f"<{count}I", *[len(block)] * count) if count > 1 else b""
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + body + struct.pack("<I", 0) + arrays + block


def jpeg_header(width, height, progressive=False):
    """A frame without pixels."""
    frame = struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
    return (b"\xff\xd8\xff\xdb" + struct.pack(">H", 67) + b"\0" + bytes([1] * 64) +
            (b"\xff\xc2" if progressive else b"\xff\xc0") + frame + b"\xff\xda" + struct.pack(">H", 12) +
            bytes([3, 1, 0, 2, 0, 3, 0, 0, 63, 0]) + b"\0" * 100 + b"\xff\xd9")


def image(what, content, codes, parts=()):
    def case():
        folder = support.scratch() / "project"
        folder.mkdir()
        shutil.copy(support.ROOT / "workflows/nuclei/workflow.json", folder)
        (folder / "hostile.img").write_bytes(content())
        judge(f"image: {what}", ["run", "workflow.json", "--data", "hostile.img", "--tile", 512, "-o", "out"], folder,
              codes, parts)
    return case


def image_cases():
    """Beyond the budget: T406 from the header. Within: read, or a clear error."""
    big = (3,)
    for side in (6000, 8000, 12000, 20000, 60000):
        yield image(f"PNG {side}", lambda s=side: png(s, s, full=s < 10000), big, ["T406", "--scratch"])
        yield image(f"1-bit PNG {2 * side}", lambda s=side: png(2 * s, 2 * s, 1, 0, full=s < 10000), big, ["T406"])
        yield image(f"TIFF in one strip {side}", lambda s=side: tiff(s, s), big, ["T406", "--scratch"])
        yield image(f"TIFF in strips {side}", lambda s=side: tiff(s, s, rows=64), big, ["T406", "--scratch"])
        yield image(f"TIFF of one tile {side}", lambda s=side: tiff(s, s, tile=(s + 15) // 16 * 16), big, ["T40"])
        yield image(f"TIFF of large tiles {side}", lambda s=side: tiff(s, s, tile=4096), big, ["T406", "--memory"])
        yield image(f"JPEG {side}", lambda s=side: jpeg_header(s, s), big, ["T40"])
        yield image(f"progressive JPEG {side}", lambda s=side: jpeg_header(s, s, True), big, ["T40"])
    for side in (3000, 4000):
        yield image(f"interlaced PNG {side}", lambda s=side: png(s, s, interlaced=1), big, ["T406", "--memory"])
    for width, height in ((1000000, 40), (40, 1000000), (9000000, 9), (1, 9000000)):
        yield image(f"PNG {width} x {height}", lambda w=width, h=height: png(w, h, full=False), (1, 3))
    yield image("a PNG that fits the temporary files", lambda: png(2200, 2200), (0,))
    yield image("a TIFF that fits them", lambda: tiff(2200, 2200, rows=64), (0,))
    yield image("a TIFF in one strip that fits them", lambda: tiff(2200, 2200), (0,))


# ---- Text that a spreadsheet computes ----

def formulas():
    """A study over hostile words: results.csv is harmless, and its sets give the same study again."""
    folder = project()
    (folder / "design.csv").write_text("mode\n=1+1\n+x\n-2\nplain\n", encoding="utf-8")
    judge("formulas", ["study", "--design", "design.csv", "-o", "out/first"], folder, (0,))
    rows = (folder / "out/first/results.csv").read_text(encoding="utf-8").splitlines() if (folder / "out/first").exists() else []
    cells = [next(cell for cell in row.split(",") if cell.strip("\"'") in ("=1+1", "+x", "-2", "plain")) for row in rows[1:]]
    equal(cells, ["\"'=1+1\"", "\"'+x\"", "-2", "plain"], "formulas: cells of results.csv")
    (folder / "again.csv").write_text("\n".join(["mode", *cells]) + "\n", encoding="utf-8")
    judge("formulas read back", ["study", "--design", "again.csv", "-o", "out/second"], folder, (0,))
    equal((folder / "out/second/results.csv").read_text(encoding="utf-8").splitlines(), rows, "formulas: the same study again")


def long_header(design):
    def case():
        folder = project()
        names = {"columns": [f"c{i}" for i in range(100000)], "one name": ["mode"] * 100001}[design]
        (folder / "design.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n", encoding="utf-8")
        judge(f"a design of 100,000 {design}", ["study", "--design", "design.csv", "-o", "out"], folder, (3,), ["99900 more"])
    return case


def long_design():
    """More rows than the address space holds: an error in words, not a signal."""
    if support.SANITIZED:
        return
    folder = project()
    (folder / "design.csv").write_text("mode\n" + "plain\n" * 4000000, encoding="utf-8")
    run = subprocess.run([support.PROGRAM, "plan", "--design", "design.csv", "-q"], cwd=folder, env=support.environment(),
                         capture_output=True, text=True, timeout=120, check=False,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000)))
    equal(run.returncode, 1, "a design of 4,000,000 rows in 500 MB: exit")
    check("error[T511]" in run.stderr and "help:" in run.stderr, f"a design of 4,000,000 rows: {run.stderr[-500:]}")


def many_keys(file):
    def case():
        folder = project()
        content = json.loads((folder / file).read_text(encoding="utf-8"))
        content.update({f"key{i}": i for i in range(40000)})
        (folder / file).write_text(json.dumps(content), encoding="utf-8")
        judge(f"{file} with 40,000 unknown keys", ["study"], folder, (3,), ["39900 more"])
    return case


def all_cases():
    kinds = {
        "names": [*map(study_name, STUDY_NAMES), *map(file_name, FILE_NAMES), links("folder"), links("file"), links("device")],
        "commands": [*(command_output(kind, trick) for kind in ENDINGS for trick in TRICKS), *map(growing, ENDINGS)],
        "images": list(image_cases()),
        "texts": [formulas, long_design, long_header("columns"), long_header("one name"),
                  *map(many_keys, ("study.json", "workflow.json", "make.json"))],
    }
    for side in (6000, 8000, 12000, 40000):
        for interlaced in (0, 1):
            kinds["commands"].append(command_image(f"PNG {side}{' interlaced' if interlaced else ''}",
                                                   lambda s=side, i=interlaced: png(s, s, 1, 0, i, full=s < 9000)))
    return kinds


def extended(kinds):
    """More file names and images at random, up to 200 cases."""
    alphabet = ["..", ".", "/"[:0], "\n", "\t", " ", "-", "=", "'", "\"", "\\", "$", "%", "\x1b", "\u202e", "a", "\u00fc", "~", "*", "{", "|"]
    while sum(map(len, kinds.values())) < 200:
        kinds["names"].append(file_name("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 12))) + ".csv"))
        width, height = rng.randint(7000, 30000), rng.randint(7000, 30000)
        kinds["images"].append(image(f"PNG {width} x {height}", lambda w=width, h=height: png(w, h, full=False), (3,), ["T406"]))
    return kinds


def main():
    support.need_program()
    words = sys.argv[1:]
    everything = "all" in words or bool(os.environ.get("TESSERA_SOAK"))
    kinds = extended(all_cases())
    say(f"{sum(map(len, kinds.values()))} cases")
    done = 0
    for kind, cases in kinds.items():
        if words and words != ["all"] and kind not in words:
            continue
        chosen = cases if everything or words else rng.sample(cases, max(4, len(cases) // 10))
        begin = time.monotonic()
        for case in chosen:
            case()
        done += len(chosen)
        say(f"{kind}: {len(chosen)} of {len(cases)} cases in {time.monotonic() - begin:.1f} s")
    say(f"{done} cases done")
    support.finish()


main()
