#!/usr/bin/env python3
"""A study on a terminal: the display is drawn in place, Ctrl-C pauses, the proposed command continues to the end.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import fcntl
import os
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


def on_terminal(words, folder, until=None):
    """Runs the program on a terminal of 100 columns; presses Ctrl-C when `until` has appeared. Gives (output, status)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execv(words[0], words)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
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


def main():
    with tempfile.TemporaryDirectory() as parent:
        subprocess.run([TESSERA, "init", "--demo", "nuclei"], cwd=parent, check=True, stdout=subprocess.DEVNULL)
        project = os.path.join(parent, "nuclei")

        words = [TESSERA, "study", "--trajectories", "2", "-j", "1"]
        output, status = on_terminal(words, project, until=b"elapsed")
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
        done = subprocess.run(words[:-2], cwd=project, capture_output=True, text=True, check=False)
        expect(done.returncode == 0 and "\x1b" not in done.stdout + done.stderr, "colours without a terminal")
        expect("Ran 0 tasks" in done.stdout, "a second study runs tasks again")


main()
for fault in faults:
    print(fault)
raise SystemExit(1 if faults else 0)
