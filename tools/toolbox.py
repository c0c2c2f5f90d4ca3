"""What the project's Python tools share: where the checkout is, how faults are reported, how generated files are written.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import pathlib
import sys

CODE_FOLDERS = ("src", "include", "tests", "workflows", "bench")


def checkout():
    """The folder to check: the first argument, or the checkout that the tool lies in."""
    return pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()


def c_files(root, *folders):
    return sorted(path for folder in folders for path in (root / folder).rglob("*.[ch]"))


def finish(faults):
    """Prints one fault per line and ends the tool; exit status 1 if there are any."""
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


def generator_options(description):
    """The arguments that CMake gives to every generator; callers may add theirs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--depfile", type=pathlib.Path, required=True)
    return parser


def write_generated(options, text, inputs):
    """Writes the file only if it changes, so that nothing is compiled again, and tells Ninja what was read."""
    options.output.parent.mkdir(parents=True, exist_ok=True)
    if not options.output.exists() or options.output.read_text(encoding="utf-8") != text:
        options.output.write_text(text, encoding="utf-8")
    names = " \\\n  ".join(str(path).replace(" ", "\\ ") for path in sorted(inputs))
    options.depfile.write_text(f"{options.output}: {names}\n", encoding="utf-8")
