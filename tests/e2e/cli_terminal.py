#!/usr/bin/env python3
"""A study on a terminal: the display is drawn in place and never says what is wrong, Ctrl-C pauses, the proposed command
continues to the end.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shlex
import struct
import subprocess
import tempfile
import termios
import time

TESSERA = os.environ["TESSERA"]
LIMIT_S = 150
faults = []


def expect(condition, text):
    if not condition:
        faults.append(text)


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def on_terminal(words, folder, until=None, columns=100):
    """Runs the program on a terminal; presses Ctrl-C when `until` has appeared. Gives (output, status)."""
    pid, terminal = pty.fork()
    if pid == 0:
        resize(1, columns)
        os.chdir(folder)
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execv(words[0], words)
    output, pressed, end = b"", False, time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        output += piece
        if until and not pressed and until in output:
            os.write(terminal, b"\x03")
            pressed = True
    os.close(terminal)
    return output.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def frames_of(output):
    """What was drawn, redraw by redraw, without colours; what was printed beside the display is not among it."""
    pieces = re.split(r"(?:^|\r\x1b\[\d+A\x1b\[J)(?=(?:\x1b\[[\d;]*m)*[\w.]+(?:-[0-9a-f]{8})?  )", output)
    plain = [re.sub(r"\x1b\[[\d;]*m", "", piece).replace("\r\n", "\n") for piece in pieces]
    return [re.split(r"(?<=finished tasks are kept)\n", piece)[0] for piece in plain if "Ctrl-C" in piece]


def check_frames(what, output, columns):
    """Gives the lines of all frames."""
    frames, part, before = frames_of(output), None, 0
    expect(len(frames) > 2, f"{what}: {len(frames)} frames")
    for frame in frames:
        expect("00:00 left" not in frame, f"{what}: no time left in\n{frame}")
        wide = [line for line in frame.splitlines() if len(line) >= columns]
        expect(not wide, f"{what}: wider than {columns - 1}: {wide}")
        whole = re.search(r"^  (?:\[[#.]+\])? +(\d+) %((?:  (?:phase|round|best values)[^\n]*?)?)(?:  [\d ]+/|$)", frame, re.M)
        if not whole:
            expect(" % " not in frame or "tasks" not in frame, f"{what}: no line of the whole in\n{frame}")
            continue
        share, now = int(whole[1]), whole[2]
        expect(now != part or share >= before, f"{what}: {before} %, then {share} % of '{now}'")
        expect(share < 100 or frame is frames[-1], f"{what}: all is done, and it goes on\n{frame}")
        part, before = now, share
    return "\n".join(frames)


def long_analysis(project):
    """A study whose intervals take a second or so, after its last task: without a goal nothing is run beside its sets."""
    study = json.loads((project / "study.json").read_text())
    study["method"].update(trajectories=3, resamples=60000)
    (project / "long.json").write_text(json.dumps({**study, "reference": "default"}))


def progress_is_true(project):
    """No frame says what is not so: times, shares, widths; phases have lines of their own."""
    long_analysis(project)
    for columns in 100, 40:
        words = [TESSERA, "study", "long.json", "-j", "1", "--no-reuse", "-o", f"long-{columns}"]
        output, status = on_terminal(words, project, columns=columns)
        expect(status == 0, f"{columns} columns: exit status {status}: {output[-500:]!r}")
        drawn = check_frames(f"{columns} columns", output, columns)
        expect(re.search(r"^  analysis [01]/2 +\d+ %", drawn, re.M), f"{columns} columns: no analysis in {drawn[-900:]}")
        expect("finishing" in drawn, f"{columns} columns: nothing says that it is about to end")
        expect(re.search(r"^  segment +[\d ]+/[\d ]+ +\d+ %", drawn, re.M), f"{columns} columns: no stage")
    words = [TESSERA, "study", "--until", "rank(1)", "--max-runs", "100", "--trajectories", "2", "-j", "1", "-o", "rounds"]
    output, status = on_terminal(words, project)
    expect(status in (0, 4), f"rounds: exit status {status}: {output[-500:]!r}")
    drawn = check_frames("rounds", output, 100)
    # A round that is over between two frames is not seen; e2e.progress_events sees them all.
    expect(len(set(re.findall(r"  (round \d)  ", drawn))) > 1, f"rounds are not named in {drawn[-900:]}")


def main():
    with tempfile.TemporaryDirectory() as parent:
        subprocess.run([TESSERA, "init", "--demo", "nuclei"], cwd=parent, check=True, stdout=subprocess.DEVNULL)
        project = os.path.join(parent, "nuclei")

        words = [TESSERA, "study", "--trajectories", "2", "-j", "1"]
        output, status = on_terminal(words, project, until=b"1 worker  ")
        expect(status == 130, f"paused: exit status {status}")
        expect(re.search(r"study-[0-9a-f]{8}  1 worker  \d\d:\d\d elapsed", output), "no head line")
        expect("Ctrl-C pauses; finished tasks are kept" in output, "no hint")
        expect(re.search(r"\r\x1b\[\d+A\x1b\[J", output), "the display is not redrawn in place")
        proposed = re.search(r"Paused at [\d ]+ of [\d ]+\. Continue with: (tessera [^\r\n]*)", output)
        if not proposed:
            faults.append(f"no proposal in {output[-400:]!r}")
            return
        words = [TESSERA] + shlex.split(proposed.group(1))[1:]
        expect(words[1:-2] == ["study", "--trajectories", "2", "-j", "1"], f"proposed: {words}")

        output, status = on_terminal(words, project)
        expect(status == 0, f"continued: exit status {status}")
        expect(re.search(r"Reused [\d ]+ of [\d ]+ tasks \(\d+ %\)\. Report: out/\S+/report\.html", output), "no report line")
        expect(re.search(r"\x1b\[J[^\x1b]*\x1b\[1m\w", output), "the display is not removed before the answer")

        # Elsewhere than on a terminal: nothing but the object on standard output, no colours, no cursor movements.
        done = subprocess.run([TESSERA, "status", "--json"], cwd=project, capture_output=True, text=True, check=True)
        expect(f'"id": "{words[-1]}"' in done.stdout and done.stderr == "", "status --json")
        expect("\x1b" not in on_terminal([TESSERA, "check", "--color=never", "--progress=plain"], project)[0], "colours")
        done = subprocess.run(words[:-2], cwd=project, capture_output=True, text=True, check=False)
        expect(done.returncode == 0 and "\x1b" not in done.stdout + done.stderr, "colours without a terminal")
        expect("Ran 0 tasks" in done.stdout, "a second study runs tasks again")
        progress_is_true(pathlib.Path(project))


main()
for fault in faults:
    print(fault)
raise SystemExit(1 if faults else 0)
