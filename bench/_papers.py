"""What the scripts for docs/papers.md share: tables and sections in Markdown, and their place on the page.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("TESSERA_SHARED", ROOT / "../shared"))
PROGRAM = os.environ.get("TESSERA", str(ROOT / "build/tessera"))
PAGE = ROOT / "docs/papers.md"


def table(out, head, rows):
    out.append("| " + " | ".join(head) + " |")
    out.append("|" + "---|" * len(head))
    out.extend("| " + " | ".join(map(str, row)) + " |" for row in rows)
    out.append("")


def section(out, title, command, said):
    """A command may be followed by ": " and what of its reply is shown."""
    command, _, members = command.partition(": ")
    out += [f"### {title}", "", f"`{command}`" + (f" ({members})" if members else ""), "", f"Paper: {said}", ""]


def arguments(description):
    words = argparse.ArgumentParser(description=description)
    words.add_argument("--write", action="store_true", help="replace the part of docs/papers.md instead of printing it")
    return words


def publish(name, out, write):
    """Prints the lines, or puts them between the marks of that name."""
    text = "\n".join(out)
    if not write:
        print(text)
        return
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.split(begin)[0] + begin + "\n" + text + "\n" + end + page.split(end)[1], encoding="utf-8")
