"""Checks that documents are true: links, file names, commands, words, numbers of invariants, generated pages, states.

SPDX-License-Identifier: Apache-2.0
test-label: long (nothing here is compiled with the sanitizers)
test-timeout: 120
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build"))
PROGRAM = os.environ.get("TESSERA", str(BUILD / "tessera"))
NOT_OURS = "THIRD_PARTY_NOTICES.md"
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:\\.|[^"\\\n])*(?:"\s*"(?:\\.|[^"\\\n])*)*)"', re.DOTALL)


def documents():
    """Every document of the project; notices of others are quoted, not ours to word."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/topics/*.txt"), *ROOT.glob("src/**/README.md"),
             ROOT / "tests/plugins/README.md"]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def prose(text):
    """The text without code and comments, places kept."""
    for noise in (FENCE, re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"^    .*$", re.MULTILINE),
                  re.compile(r"``?[^`\n]+``?")):
        text = noise.sub(blank, text)
    return text


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def word_patterns(text):
    """(pattern, instead) of the rows of docs/words.md whose first cell is code."""
    rows = re.findall(r"^\| `(.+?)` \| (.*?) \| .*\|$", text.split("| word |")[0], re.MULTILINE)
    return [(re.compile(pattern.replace("\\|", "|"), re.IGNORECASE), instead) for pattern, instead in rows]


def faults_of_words(name, text, patterns):
    flowing = re.sub(r"\n(?=\S)", " ", text)  # sentences go on in the next line; the place is the same
    return [f"{name}:{line_of(text, found.start())}: '{found.group()}': write {instead}"
            for pattern, instead in patterns for found in pattern.finditer(flowing)]


def literals(path):
    """The string literals of a C file, adjacent ones joined, each with its first line."""
    text = path.read_text(encoding="utf-8")
    return [(line_of(text, found.start()), re.sub(r'"\s*"', "", found.group(1)))
            for found in LITERAL.finditer(text) if found.group(1)]


def anchors(text):
    """The anchors of headings, as GitHub makes them."""
    heads = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


class Words(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.patterns = word_patterns((ROOT / "docs/words.md").read_text(encoding="utf-8"))

    def test_the_list_is_read(self):
        self.assertGreaterEqual(len(self.patterns), 20)
        wrong = "The loss is told. The value is no number. Names parted by commas. Whoever asks. a; What was kept is so many."
        found = faults_of_words("x", wrong, self.patterns)
        self.assertEqual(len(found), 6, found)

    def test_documents(self):
        faults = []
        for name, text in documents().items():
            if name not in (NOT_OURS, "docs/words.md"):
                faults += faults_of_words(name, prose(text), self.patterns)
        self.assertEqual("\n".join(faults), "")

    def test_messages(self):
        """No text that users read has a word that docs/words.md replaces."""
        faults = []
        for path in sorted((ROOT / "src").rglob("*.[ch]")):
            for line, text in literals(path):
                faults += [re.sub(r":1: ", f":{line}: ", fault, count=1)
                           for fault in faults_of_words(path.relative_to(ROOT), text, self.patterns)]
        self.assertEqual("\n".join(faults), "")


class References(unittest.TestCase):
    maxDiff = None

    def test_links(self):
        faults, texts = [], documents()
        for name, text in texts.items():
            for found in re.finditer(r"\]\(([^)\s]+)\)", prose(text)):
                target, _, anchor = found.group(1).partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                path = (ROOT / name).parent / target if target else ROOT / name
                if not path.exists():
                    faults.append(f"{name}: no file '{target}'")
                elif anchor and anchor not in anchors(path.read_text(encoding="utf-8")):
                    faults.append(f"{name}: no heading '{anchor}' in '{target or name}'")
        self.assertEqual("\n".join(faults), "")

    def test_file_names(self):
        """Names with a folder of the project in front are files of the project; patterns must find something."""
        folders = "|".join(["src", "tests", "tools", "docs", "include", "workflows", "bench", "cmake", *modules()])
        name_in_code = re.compile(rf"`((?:{folders})/[\w./*-]*)`")
        in_words = re.compile(r"NAME|LIBRARY|^\w+/[\w-]+$")  # a place to fill in; names such as image/rgb8
        faults = []
        for name, text in documents().items():
            for found in name_in_code.finditer(FENCE.sub("", text)):
                if not in_words.search(found.group(1)) and not exists(found.group(1)):
                    faults.append(f"{name}: no file '{found.group(1)}'")
        self.assertEqual("\n".join(faults), "")

    def test_tests_of_faults(self):
        """The last column of the table in docs/faults.md names tests."""
        faults = []
        for row in re.findall(r"^\|.*\| ([^|]*) \|$", (ROOT / "docs/faults.md").read_text(encoding="utf-8"), re.MULTILINE)[2:]:
            for kind, name in re.findall(r"(?:(unit|cases?) )?`([\w/*-]+)`", row):
                if kind == "unit":
                    name = f"tests/unit/{name.replace('/', '/test_')}.c"
                elif kind:
                    name = f"tests/cases/{name}"
                else:
                    name = f"tests/unit/{name}.c" if "/" in name else f"tests/e2e/{name}.py"
                if not list(ROOT.glob(name)):
                    faults.append(f"docs/faults.md: no test '{name}'")
        self.assertEqual("\n".join(faults), "")


def modules():
    return [path.name for path in (ROOT / "src").iterdir() if path.is_dir()]


def exists(name):
    name = name.rstrip("/")
    return any(list(base.glob(name)) for base in (ROOT, ROOT / "src"))


class Commands(unittest.TestCase):
    """Every `tessera COMMAND --option` in a document is in the program's help."""

    maxDiff = None

    def help_of(self, *words):
        run = subprocess.run([PROGRAM, "help", *words], capture_output=True, text=True, check=False)
        return run.stdout if run.returncode == 0 else ""

    def uses(self):
        """(document, command, options) of lines in code that begin with the program."""
        for name, text in documents().items():
            code = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
            for block in FENCE.findall(text):
                code += [line.strip().removeprefix("$ ") for line in block.splitlines()]
            code += [line.strip() for line in re.findall(r"^    (.*)$", text, re.MULTILINE)]
            for line in code:
                for use in re.findall(r"(?:^|&& |-v )tessera ([a-z][^#]*)", line):
                    words = use.split()
                    yield name, words[0].split("|"), words[1:]

    def test_commands(self):
        if not os.access(PROGRAM, os.X_OK):
            self.skipTest(f"there is no program {PROGRAM}")
        faults, pages, count = [], {}, 0
        for name, commands, words in self.uses():
            for command in commands:
                count += 1
                page = pages.setdefault(command, self.help_of(command))
                if not page:
                    faults.append(f"{name}: no command 'tessera {command}'")
                for option in [word for word in words if re.match(r"-[-a-zA-Z]", word)]:
                    option = re.split(r"[=|\]]", option)[0]
                    if page and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page):
                        faults.append(f"{name}: 'tessera {command}' has no option '{option}'")
        self.assertGreater(count, 40)
        self.assertEqual("\n".join(faults), "")


class Numbers(unittest.TestCase):
    def test_every_invariant_has_a_test(self):
        text = (ROOT / "docs/invariants.md").read_text(encoding="utf-8")
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        guarded = set()
        for path in (ROOT / "tests").rglob("*.[cp]*"):
            if path.suffix in (".c", ".py") and path != pathlib.Path(__file__).resolve():
                for found in re.findall(r"invariants? ((?:\d+(?:, | and )?)+)", path.read_text(encoding="utf-8")):
                    guarded |= {int(number) for number in re.findall(r"\d+", found)}
        self.assertEqual(guarded, set(numbers))

    def test_schema_of_the_store(self):
        number = re.search(r"#define TS_SQLITE_SCHEMA (\d+)", (ROOT / "src/store/sqlite/sqlite_int.h").read_text()).group(1)
        self.assertIn(f"## The tables (schema {number})\n", (ROOT / "docs/store.md").read_text(encoding="utf-8"))


class Generated(unittest.TestCase):
    def test_pages_are_up_to_date(self):
        run = subprocess.run([sys.executable, ROOT / "tools/generate-docs", "--check"], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.stdout, run.returncode), ("", 0), run.stderr)

    def tree(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for name in ("src", "docs"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.inc", "*.png"))
        return root

    def faults_after(self, name, old, new):
        root = self.tree()
        text = (root / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (root / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        run = subprocess.run([sys.executable, ROOT / "tools/generate-docs", "--check", str(root)], capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, 1)
        return run.stdout

    def test_an_error_without_a_meaning(self):
        said = self.faults_after("src/base/error.h", "X(CYCLE, 208, 3,", "X(CYCLE, 299, 3,")
        self.assertIn("src/base/ERRORS: no line for T299", said)
        self.assertIn("src/base/ERRORS: T208 is not in src/base/error.h", said)

    def test_a_variable_without_a_line(self):
        said = self.faults_after("src/cli/output.c", 'getenv("TERM")', 'getenv("TESSERA_NEW")')
        self.assertIn("src/ENVIRONMENT: no line for TESSERA_NEW", said)
        self.assertIn("src/ENVIRONMENT: TERM is not read below src/", said)

    def test_a_page_that_is_old(self):
        self.assertIn("docs/errors.md", self.faults_after("docs/errors.md", "T208", "T207"))


class States(unittest.TestCase):
    def test_states_are_those_of_the_engine(self):
        enum = re.search(r"enum instance_state \{([^}]*)\}", (ROOT / "src/run/run_int.h").read_text(encoding="utf-8"))
        states = set(re.findall(r"\w+", enum.group(1)))
        graph = re.sub(r"//.*", "", (ROOT / "docs/task-states.dot").read_text(encoding="utf-8"))
        edges = re.findall(r"^ *([A-Z]+) -> ([A-Z]+)", graph, re.MULTILINE)
        self.assertEqual({state for edge in edges for state in edge}, states)
        reached = {"UNNEEDED"}
        while more := {to for start, to in edges if start in reached} - reached:
            reached |= more
        self.assertEqual(reached, states)
        self.assertEqual({to for _, to in edges} - {start for start, _ in edges}, {"DONE", "FAILED", "SKIPPED"} - {
            start for start, _ in edges})


class Embedding(unittest.TestCase):
    def test_the_examples_compile_and_run(self):
        text = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        calls, handles = re.findall(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        said = self.compile_and_run(calls)
        self.assertRegex(said, r"(?m)^init 0 tessera\.init/1$")
        self.assertRegex(said, r"(?m)^check 0 tessera\.check/1$")
        self.assertEqual(self.compile_and_run(handles), "43 tasks, mask of 640 x 384 pixels at 384, 384\n")

    def compile_and_run(self, source):
        if os.environ.get("TESSERA_SANITIZE") or not (BUILD / "libtessera.so").exists():
            self.skipTest("there is no plain libtessera.so")
        compiler = shutil.which("cc") or shutil.which("gcc")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "embed.c").write_text(source, encoding="utf-8")
            subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", "-o", "embed", "embed.c",
                            "-L", BUILD, "-ltessera", f"-Wl,-rpath,{BUILD}"], cwd=folder, check=True)
            run = subprocess.run(["./embed", "project"], cwd=folder, capture_output=True, text=True, check=False, timeout=100)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            return run.stdout


if __name__ == "__main__":
    unittest.main()
