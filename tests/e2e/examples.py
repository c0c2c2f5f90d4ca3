#!/usr/bin/env python3
"""Every example of the documents is run as it stands there, and ends and prints as it says.

SPDX-License-Identifier: Apache-2.0
test-label: long (the commands run under the sanitizers in tests of their own)
test-timeout: 300

A block of commands is marked by the line before it:

  <!-- run -->             its commands are run, in the order of the document, in one shell and one folder for each document
  <!-- not run: REASON --> it cannot be: it takes hours, or what it names is the reader's
  <!-- file: NAME -->      the block is a file that later commands read

A block that calls tessera and has no such line is a fault. A command ends with 0, or with N where "(exit N)" follows it; the
lines below it are what it prints, where "..." stands for anything.
"""
import os
import re
import subprocess

import _support as support
from _support import ROOT, call, check, say

FENCE = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```\w*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
CALL = re.compile(r"^(\$ )?(\S*/)?tessera ", re.MULTILINE)
STATUS = re.compile(r"\(exit (\d+)\)")
END = "<<end of the command>>"

# What the reader of a document has before its first command.
DEMOS = {"workflows/nuclei/README.md": "nuclei", "workflows/decay/README.md": "decay"}


def documents():
    found = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("workflows/**/README.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found}


class Shell:
    """One shell, so that `cd` lasts; the program under test is the tessera that it finds."""

    def __init__(self, folder):
        tools = support.scratch()
        (tools / "tessera").symlink_to(support.PROGRAM)
        environment = support.environment()
        environment["PATH"] = f"{tools}:{environment['PATH']}"
        self.process = subprocess.Popen(["bash", "--norc", "--noprofile"], cwd=folder, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, command):
        """What it prints, on both streams, and its status."""
        self.process.stdin.write(f"{command}\nprintf '\\n%s %s\\n' '{END}' $?\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(END):
                return "".join(lines)[:-1], int(line[len(END):])
            lines.append(line)
        return "".join(lines), None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def pattern_of(wanted):
    """Lines in their order; a line "..." stands for any lines, "..." within a line for any text."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else ".*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
             for line in wanted.splitlines() if line.strip() or wanted.strip()]
    return re.compile(r"(?:.*\n)*?" + "".join(parts) + r"(?:.*\n)*")


def run_block(shell, name, body):
    steps = STEP.findall(body)
    check(steps, f"{name}: a block to run has no line that begins with '$ ':\n{body}")
    for command, wanted in steps:
        status = STATUS.search(command)
        printed, found = shell.run(command)
        check(found == (int(status.group(1)) if status else 0), f"{name}: exit {found}: {command}\n{printed[-2000:]}")
        check(not wanted.strip() or pattern_of(wanted).fullmatch(printed),
              f"{name}: {command}\n--- the document says\n{wanted}--- it printed\n{printed}")
    return len(steps)


def run_document(name, text):
    folder = support.scratch()
    if name in DEMOS:
        call("init", "--demo", DEMOS[name], folder)
    shell = Shell(folder)
    count = 0
    for block in FENCE.finditer(text):
        mark, body = block.group("mark") or "", block.group("body")
        kind, _, rest = mark.partition(":")
        if kind == "file":
            (folder / rest.strip()).write_text(body, encoding="utf-8")
        elif kind == "run":
            count += run_block(shell, name, body)
        elif kind == "not run":
            check(len(rest.strip()) > 10, f"{name}: 'not run' needs a reason")
        else:
            check(not CALL.search(body), f"{name}: an example that is not run:\n{body}")
    shell.close()
    return count


support.need_program()
assert pattern_of("a ... c\n...\nz\n").fullmatch("first\na b c\nx\ny\nz\nlast\n")
assert not pattern_of("a c\n").fullmatch("a b c\n")
total = 0
for document, content in documents().items():
    total += run_document(document, content)
check(total >= 20, f"only {total} commands were run")
say(f"{total} commands")
support.finish()
