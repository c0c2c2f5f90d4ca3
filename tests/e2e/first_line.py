#!/usr/bin/env python3
"""The first line of output comes within 0.2 s, whatever the call does first: on a terminal, in plain lines and as JSON.

SPDX-License-Identifier: Apache-2.0
test-label: serial
test-label: long (it measures time)
test-timeout: 120
"""
import os
import pty
import select
import subprocess
import time

import _support as support

LIMIT_S = 0.2
ENOUGH, MOST = 3, 20  # so many times in time, within so many tries: the machine may be busy
MANY = 1500           # files that take longer than that to open
SLIDE = support.SHARED / "data/histology/aperio/CMU-1-Small-Region.svs"


def first_output(words, folder, on_terminal):
    """Seconds to the first output that is more than blanks, and the output; the call is then ended."""
    ours, its = pty.openpty() if on_terminal else os.pipe()
    start, text = time.monotonic(), b""
    process = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, stdout=its,
                               stderr=its, env=support.environment())
    os.close(its)
    while not text.strip() and select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # a terminal whose other end was closed
            break
        if not piece:
            break
        text += piece
    seconds = time.monotonic() - start
    process.kill()
    process.wait()
    os.close(ours)
    return seconds, text.decode(errors="replace")


def in_time(what, words, folder, begins=None):
    for on_terminal in False, True:
        times = []
        plain = [] if on_terminal or what in ("help", "JSON") else ["--progress=plain"]
        while len(times) < MOST and sum(seconds <= LIMIT_S for seconds in times) < ENOUGH:
            seconds, text = first_output([*words, *plain], folder, on_terminal)
            times.append(seconds)
            support.check(text.strip(), f"{what}: nothing was written")
        way = "terminal" if on_terminal else "plain"
        support.say(f"{what}, {way}: {min(times):.3f} s at best of {len(times)}")
        support.check(sum(seconds <= LIMIT_S for seconds in times) >= ENOUGH, f"{what}, {way}: {sorted(times)}")
        if begins and not on_terminal:
            support.check(text.startswith(begins), f"{what}: begins with {text[:80]!r}")


def main():
    support.need_program()
    folder = support.scratch()
    subprocess.run([support.PROGRAM, "init", "--demo", "nuclei"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    demo = folder / "nuclei"
    for words in (["help"], ["check"], ["plan"], ["run", "--no-reuse", "-o", "first-run"],
                  ["study", "--no-reuse", "-o", "first-study"]):
        in_time(" ".join(words), words, demo)
    many = folder / "many"
    many.mkdir()
    for i in range(MANY):
        os.link(demo / "slide.png", many / f"slide{i}.png")
    in_time("check of many files", ["check", "workflow.json", "--data", many], demo, "00:00 reading ")
    in_time("JSON", ["check", "workflow.json", "--data", many, "--progress=json"], demo, '{"t":0.0,"ev":"phase","phase":"reading"')
    if SLIDE.exists():
        for command in "check", "run":
            in_time(f"{command} of a slide", [command, "workflow.json", "--data", SLIDE], demo)
    else:
        support.skip_part("there is no ../shared/data/histology")
    support.finish()


main()
