"""Every constant is defined in one file: two definitions of a name agree only until one of them is changed.
SPDX-License-Identifier: Apache-2.0

one_definition.py [ROOT]: looks at ROOT/src and ROOT/include (default: the tree of this file). A constant is a macro, or an
enumerator with a value of its own. Names of the project (TS_, TESSERA_) may be defined in one file only. Other names may be
defined in any number of .c files, and in headers that are the body of one (*_body.h), because they are private there, but
not in a header and in another file. Include guards are not constants, and neither are macros that take arguments (X)."""
import collections
import pathlib
import re
import sys
import tempfile

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?![\w(])", re.M)
GUARD = re.compile(r"\s*#[ \t]*ifndef[ \t]+(\w+)\s*#[ \t]*define[ \t]+(\w+)[ \t]*\n")
ENUM = re.compile(r"\benum\b[^;{}()]*\{([^{}]*)\}", re.S)
ENUMERATOR = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=(?!=)", re.S)
PROJECT = re.compile(r"TS_|TESSERA_")


def blank(match):
    """Keeps the lines where they are."""
    return "".join(c if c == "\n" else " " for c in match.group())


def constants_of(text):
    """Pairs of a name and the line of its definition."""
    text = STRING.sub(blank, COMMENT.sub(blank, text))
    guard = GUARD.match(text)
    guarded = guard.group(1) if guard and guard.group(1) == guard.group(2) else None
    found = [(m.group(1), m.start(1)) for m in MACRO.finditer(text) if m.group(1) != guarded]
    for body in ENUM.finditer(text):
        found += [(m.group(1), body.start(1) + m.start(1)) for m in ENUMERATOR.finditer(body.group(1))]
    return [(name, text.count("\n", 0, at) + 1) for name, at in found]


def places_of(root):
    """Per name, a place in each file that defines it."""
    places = collections.defaultdict(dict)
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            for name, line in constants_of(path.read_text(encoding="utf-8")):
                places[name].setdefault(path.relative_to(root).as_posix(), line)
    return places


def faults_of(root):
    faults = []
    for name, files in sorted(places_of(root).items()):
        shared = PROJECT.match(name) or any(re.search(r"(?<!_body)\.h$", file) for file in files)
        if len(files) > 1 and shared:
            places = ", ".join(f"{file}:{line}" for file, line in sorted(files.items()))
            faults.append(f"{name} is defined in {len(files)} files: {places}")
    return faults


def check_itself():
    """The check sees what it is for, and only that."""
    sources = {
        "include/a.h": "#ifndef A_H\n#define A_H\n#define TS_SHARE 0.05 /* #define TS_NOTE 1 */\n#endif\n",
        "src/m/a.h": "/* A. */\n#ifndef A_H\n#define A_H\n# define TS_SHARE 0.05\nenum ts_k { TS_K = 1, TS_L };\n#endif\n",
        "src/m/b.c": "#define LOCAL 1\nenum { SIZE = 4 };\nint f(int TS_K) { return TS_K == 1; }\n",
        "src/m/c.c": '#define LOCAL 2\nenum { SIZE = 5, TS_K = 1 };\nchar *s = "\\n#define TS_NOTE 1";\n#define TS_NOTE 2\n',
        "src/m/d.h": "#define TS_L 2\n#define WIDE 3\n#define X(name) name,\n",
        "src/m/e.c": "#define WIDE 3\n#define X(name) #name,\n",
        "src/m/f_body.h": "enum { SIZE = 6 };\n#define LOCAL 3\n",
    }
    wanted = [
        "TS_K is defined in 2 files: src/m/a.h:5, src/m/c.c:2",
        "TS_SHARE is defined in 2 files: include/a.h:3, src/m/a.h:4",
        "WIDE is defined in 2 files: src/m/d.h:2, src/m/e.c:1",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = faults_of(pathlib.Path(folder))
    assert found == wanted, found


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    check_itself()
    places = places_of(root)
    assert len(places) > 100, f"only {len(places)} constants were found in '{root}'"
    faults = faults_of(root)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
