#!/usr/bin/env python3
"""Images that are truncated, hostile or gigantic: a clear error before memory is exhausted, and no crash.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import json
import random
import resource
import struct
import subprocess
import zlib

import _support as support
from _support import check, equal, say

MEMORY_BYTES = 3 << 30  # of address space: far above what the demo needs, far below what the headers ask for
SIDE = 1000000


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows=b"", colour=2):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(width, height, strip=b"\0" * 100, tile=None, count=3):
    """Little endian, one directory, one strip or tile that is there."""
    entries = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 2), (277, 3, count)]
    at = 8 + 2 + 12 * (len(entries) + (4 if tile else 3)) + 4
    if tile:
        entries += [(322, 4, tile), (323, 4, tile), (324, 4, at), (325, 4, len(strip))]
    else:
        entries += [(273, 4, at), (278, 4, height), (279, 4, len(strip))]
    body = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in sorted(entries))
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + body + struct.pack("<I", 0) + strip


def good_png(side=96):
    rng = random.Random(1)
    rows = b"".join(b"\0" + bytes(rng.randrange(256) for _ in range(3 * side)) for _ in range(side))
    return png(side, side, rows)


def hostile_files():
    whole = good_png()
    loop = bytearray(tiff(64, 64))
    loop[-104:-100] = struct.pack("<I", 8)  # the next directory is this one
    return {
        "huge.png": png(SIDE, SIDE),
        "widest.png": png(2**31 - 1, 2**31 - 1),
        "nothing.png": png(0, 0),
        "negative.png": png(2**32 - 1, 1),
        "no-pixels.png": png(5000, 5000),
        "bomb.png": png(20000, 20000, bytes(20000 * 3 * 200)),
        "cut-header.png": whole[:20],
        "cut-middle.png": whole[:len(whole) // 2],
        "flipped.png": whole[:200] + bytes([whole[200] ^ 255]) + whole[201:],
        "empty.png": b"",
        "text.png": b"this is no image\n" * 100,
        "huge.tif": tiff(SIDE, SIDE),
        "widest.tif": tiff(2**32 - 1, 2**32 - 1),
        "nothing.tif": tiff(0, 0),
        "huge-tiles.tif": tiff(SIDE, SIDE, tile=2**20),
        "odd-tiles.tif": tiff(4096, 4096, tile=1),
        "channels.tif": tiff(64, 64, count=65535),
        "cut.tif": tiff(2000, 2000)[:60],
        "short-strip.tif": tiff(2000, 2000),
        "loop.tif": bytes(loop),
    }


def study_of(folder, pattern):
    """The nuclei demo over one other image."""
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["data"] = {"files": [pattern]}
    study["method"]["trajectories"] = 2
    (folder / "hostile.json").write_text(json.dumps(study), encoding="utf-8")


def limited(*words):
    """The program with a bound on its memory; the sanitizers reserve more than any bound."""
    def bound():
        if not support.SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run([support.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                          env=support.environment(), preexec_fn=bound)


def check_one(folder, name, data):
    (folder / name).write_bytes(data)
    study_of(folder, name)
    run = limited("run", "-C", folder, "hostile.json", "--store", "memory", "-o", f"out-{name}", "--progress=none")
    line = next((line for line in run.stderr.splitlines() if line.startswith("error")), "")
    say(f"{name}: exit {run.returncode}: {line[:150]}")
    check(run.returncode in (1, 3), f"{name}: exit {run.returncode}, not 1 or 3\n{run.stderr[-2000:]}")
    check("error[T" in run.stderr and "help:" in run.stderr, f"{name}: what is said:\n{run.stderr[-2000:]}")
    check(name.split(".")[0] in run.stderr, f"{name}: the file is not named:\n{run.stderr[-1000:]}")
    check("T505" not in run.stderr, f"{name}: an operation crashed")
    (folder / name).unlink()


def check_names(folder):
    """Files of one name in several folders: each has a folder of results of its own."""
    files = [folder / place / "x.png" for place in ("one", "two", "three")]
    for file in files:
        file.parent.mkdir()
        file.write_bytes(good_png())
    words = [word for file in files for word in ("--data", file)]
    run = limited("run", "-C", folder, *words, "--store", "memory", "-o", "out-names", "--progress=none")
    equal(run.returncode, 0, f"exit with three files of one name\n{run.stderr[-1000:]}")
    equal(sorted(path.name for path in (folder / "out-names").iterdir() if path.is_dir()), ["one-x", "three-x", "two-x"],
          "folders of three files of one name")


def check_tiles(folder):
    """More tiles than make sense are refused before the list is made."""
    (folder / "wide.png").write_bytes(png(100000, 100000))
    run = limited("plan", "-C", folder, "--data", "wide.png", "--tile", 1)
    check(run.returncode == 2 or run.returncode == 3, f"tiles of one pixel: exit {run.returncode}")
    for text in ("cut 'wide' into 10 000 000 000, more than the 1 000 000", "for example 200 pixels"):
        check(text in run.stderr, f"tiles of one pixel: '{text}' is not said:\n{run.stderr[-1000:]}")
    words = ("plan", "-C", folder, "--data", "wide.png", "--tile", 200)
    run = limited(*words, "--tissue", "off")
    equal(run.returncode, 0, f"exit with the size that was proposed\n{run.stderr[-1000:]}")
    # An image of that size is looked at for tissue: this one has no pixels.
    run = limited(*words)
    equal(run.returncode, 3, f"exit with a look for tissue\n{run.stderr[-1000:]}")
    check("error[T402]" in run.stderr and "wide.png' cannot be decoded" in run.stderr,
          f"a look for tissue does not say what is wrong with the image:\n{run.stderr[-1000:]}")


def check_log(folder, run_text):
    """The help of a file that cannot be read leads to what was wrong with it."""
    words = next(line for line in run_text.splitlines() if " log " in line).split()
    words = words[words.index("log"):]
    log = support.call(*words, "-C", folder, "--store", "mixed").stdout
    check("failed: read.image, b-bad" in log and "cannot be decoded" in log, f"the log of a file that cannot be read:\n{log}")
    log = limited(*words[:2], "-C", folder, "--store", "mixed").stdout
    check("failed: read.image, b-bad" in log, f"the log of a run with a file that cannot be read:\n{log}")
    log = limited(*words[:2], "read.mask", "-C", folder, "--store", "mixed").stderr
    check("'read.mask' did not fail" in log, f"the log of a reading that is not there:\n{log}")


def main():
    support.need_program()
    folder = support.scratch() / "demo"
    support.call("init", "--demo", "nuclei", folder)
    check_names(folder)
    check_tiles(folder)
    for name, data in hostile_files().items():
        check_one(folder, name, data)
    # One bad image among good ones: the others are done, and once it is mended the rest is.
    (folder / "a-good.png").write_bytes(good_png())
    (folder / "b-bad.png").write_bytes(good_png()[:-5000])
    study_of(folder, "?-*.png")
    words = ("run", "-C", folder, "hostile.json", "--store", "mixed", "--progress=none")
    run = limited(*words, "-o", "out-mixed")
    say(f"one bad among good ones: exit {run.returncode}")
    check(run.returncode in (1, 3) and "b-bad" in run.stderr, f"mixed: exit {run.returncode}\n{run.stderr[-1000:]}")
    check_log(folder, run.stderr)
    (folder / "b-bad.png").write_bytes(good_png())
    run = limited(*words, "-o", "out-mixed")
    check(run.returncode == 3 and "error[T316]" in run.stderr and "it has those of other data" in run.stderr,
          f"a folder with results of the damaged image: exit {run.returncode}\n{run.stderr[-1000:]}")
    equal(limited(*words, "-o", "out-mended").returncode, 0, "exit once the image is mended")
    equal(limited(*words[:3], "hostile.json", "--store", "fresh", "--progress=none", "-o", "out-fresh").returncode, 0,
          "exit with a fresh store")
    check(support.results_below(folder / "out-mended") == support.results_below(folder / "out-fresh"),
          "mended: other products than with a fresh store")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    say(f"most memory of any call: {peak / 1e6:.0f} MB")
    check(support.SANITIZED or peak < 1 << 30, f"{peak} bytes of memory for a hostile image")
    support.finish()


if __name__ == "__main__":
    main()
