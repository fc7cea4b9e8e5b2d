#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the documents to what the program does.

    check_docs.py commands DOCUMENT   runs the commands that a document shows, as they stand there, in their order
    check_docs.py options  DOCUMENT   compares its synopses with --help
    check_docs.py links    DOCUMENT   follows its links to files and headings
    check_docs.py lines    DOCUMENT   measures its lines
    check_docs.py examples DOCUMENT   compares its C++ with the files in examples/ that it names, or sees that
                                         fragments.cpp compiles it; looks for its Fortran in examples and tests

    check_docs.py keys     DOCUMENT...  looks for all keys of JURASSIC's control file
    check_docs.py help     help         runs the examples of --help

A command has to end with status 0, and to print what the document shows behind it, but for the figures in lines about
speed, memory and time. Those that install, build, take a GPU or minutes are not run: NOT_RUN says which and
why. What begins with a program that is not known fails. Exits with 77 where something was left out because it needs
reference data or a module of Python that is not there.
"""

import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import documents

# What a command matches that is not run, and why.
NOT_RUN = [
    (r"^scripts/(check|demo|test|setup|get-data|debian-kokkos)\.sh", "installs, downloads or builds"),
    (r"^(cmake|ctest|g\+\+|pkg-config|git|sudo|apt-get|pip|patchelf) ",
     "builds or installs: tests/package does that with this build"),
    (r"^spack ", "needs Spack"),
    (r"\bmpi(run|exec)\b|^srun ", "needs MPI and several processes"),
    (r"rrtmg_lw\.nc", "needs AER's file"),
    (r"--gas-optics rrtmgp", "needs RRTMGP's gas optics"),
    (r"--droplet-scattering", "needs ecRad's scattering files"),
    (r"--space Cuda|^build-cuda/|^nvidia-smi", "needs a GPU"),
    (r"(^|[\s/])perf_\w+\b(?!\.)", "measures for minutes; benchmarks have a test of their own"),
    (r"perf/performance_page\.py *(#|$)", "writes documents: the test perf.performance_page compares them"),
    (r"growth\.py .*perf/results/", "needs the reports of the reader's machine"),
    (r"perf/run_all\.sh", "measures for minutes; the test perf.test_run_all runs it with other programs"),
    (r"--case case10 --cells 64 ", "takes minutes"),
    (r"fuzz\.py .*--cases ", "takes minutes: the test fuzz.cases runs fewer"),
    (r"test_bad_calls\.py .*--cases ", "takes minutes: the test python.bad_calls runs fewer"),
    (r"monte_carlo_scatter\.py", "takes minutes: the test perf.scatter runs it with fewer cells and rays"),
    (r",\.\.\.", "its lists are abbreviated"),
    (r"all\.ctl", "needs the tables of 1801 channels"),
    (r"/path/to/", "names a place of the reader's"),
    (r"^man ", "needs an installation"),
    (r"-m ipykernel", "needs Jupyter"),
    (r"^import cupy", "needs a GPU and CuPy"),
]

LIMB = ["scripts/analytic_limb.py .",
        "parhelion tables synthetic --quiet --gases CO2,O3 --channels 670,676,694,700,716,724,730,734,742,748 "
        "-o tables.h5"]
# What lies in the folder where the commands of a document run, by its heading; "" stands for all of it.
PREPARED = {
    "README.md": {"": ["scripts/analytic_profiles.py profiles.h5", *LIMB]},
    "docs/tutorials/fluxes.md": {"": [  # what scripts/demo.sh makes
        "mkdir demo", "scripts/analytic_atmospheres.py demo/analytic.nc",
        "parhelion fluxes demo/analytic.nc --gas-optics simple -o demo/analytic_fluxes.nc --quiet"]},
    **{f"docs/tutorials/{name}.md": {"": ["mkdir demo"]} for name in ("spectra", "radiances", "box")},
    "docs/tutorials/notebook.md": {"": LIMB},
    "docs/how-to/clouds.md": {"": ["scripts/analytic_atmospheres.py atmosphere.nc"]},
    "docs/how-to/data_files.md": {"": ["scripts/analytic_atmospheres.py atmosphere.nc"]},
    "docs/how-to/results.md": {"": ["parhelion fluxes rfmip_atmospheres.nc -o fluxes.nc --quiet"]},
    "docs/how-to/benchmarks.md": {"": ["python3 tests/docs/reports.py"]},
    "docs/reference/program/retrieve.md": {"": [
        *LIMB, "parhelion ega --control case.ctl --atmosphere truth.tab --observation obs.tab -o measured.tab --quiet"]},
}
PREPARED["help"] = {"": [  # of all subcommands
    "scripts/analytic_atmospheres.py atmosphere.nc", "scripts/analytic_profiles.py profiles.h5",
    *PREPARED["docs/reference/program/retrieve.md"][""], "cp atm.tab prior.tab"]}

COEFFICIENTS, RFMIP = "rrtmg_lw/RRTMG_LW_DATA.DBL", "rfmip/rfmip_atmospheres.nc"
ECCKD = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc"
# What a command matches that needs a file of the reference data.
NEEDS = [
    (r"rfmip_atmospheres\.nc|\$rfmip", RFMIP),
    (r"\$cases|\$\{?PARHELION_TEST_DATA\}?/rrtmg_lw", "rrtmg_lw/case_clear_a.nc"),
    (r"\$\{?PARHELION_TEST_DATA\}?/ada", "ada/scatter.h5"),
    (r"compare_gas_optics\.py", "ecckd/ckdmip/ckdmip_evaluation1_concentrations_present_reduced.nc"),
    (r"--case (channel|case10)", "mc/h2o_nbck.h5"),
    (r"^(build/bin/)?parhelion fluxes (?!.*(--gas-optics (simple|ecckd)|ecckd-))", COEFFICIENTS),
    (r"ecckd-1\.0_lw_climate_fsck-32b_ckd-definition\.nc|--gas-optics ecckd|model=\"ecckd\"", ECCKD),
    (r"parhelion(\.xarray)?\.longwave\((?![^#]*model=\"simple\")", COEFFICIENTS),
]
NO_MODULE = "needs a build with the module of Python"
WRITES = re.compile(r"(?:-o|--output|--kernel|--los|>)\s+([^\s|;&]+)")
TIMEOUT = 500  # [s], of a command
WIDTH = 120    # of lines


class Run:
    """The commands of a document in a folder of their own, which looks like the clone."""

    def __init__(self, arguments, document):
        self.document, self.root = document, arguments.root
        self.data = arguments.data if arguments.data and arguments.data.is_dir() else None
        self.folder = arguments.scratch / self.document.replace("/", "_").removesuffix(".md")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name in ("scripts", "examples", "perf", "tests", "docs"):
            (self.folder / name).symlink_to(self.root / name)
        (self.folder / "build").symlink_to(arguments.build)
        path = f"{arguments.program.parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "OMP_PROC_BIND": "false"}
        self.environment.pop("PARHELION_DATA", None)
        if self.data:
            self.environment.update(PARHELION_DATA=str(self.data), PARHELION_TEST_DATA=str(self.data))
            self.bring_data()
        self.counts = {"run": 0, "not run": 0, "left out": 0, "failed": 0}
        self.uses_module = False  # whether a block of Python has used the module parhelion
        self.session = []  # that one and those after it
        self.absent = {}  # files that commands would have made which were "left out" or "not run"

    def bring_data(self):
        """Files that documents name as if they lay in the working folder."""
        if (self.data / RFMIP).is_file():
            (self.folder / "rfmip_atmospheres.nc").symlink_to(self.data / RFMIP)
        if (self.data / ECCKD).is_file():
            (self.folder / pathlib.Path(ECCKD).name).symlink_to(self.data / ECCKD)
        if (self.data / COEFFICIENTS).is_file():
            write_single(self.data / COEFFICIENTS, self.folder / "RRTMG_LW_DATA")

    def say(self, what, item, why=""):
        self.counts[what] += 1
        command = item.text.replace("\n", "\n    ")
        print(f"{self.document}:{item.line}: {what}{': ' if why else ''}{why}\n    {command}")

    def lacks(self, text):
        """Why a command cannot be run: "not run" or "left out", and the reason; nothing where it can."""
        for pattern, reason in NOT_RUN:
            if re.search(pattern, text, re.MULTILINE):
                return "not run", reason
        if re.search(r"\bparhelion-python\b", text) and not self.has_module():
            return "left out", NO_MODULE
        for name, why in self.absent.items():
            if re.search(rf"(^|[\s\"'/]){re.escape(name)}\b", WRITES.sub("", text)):
                return why, f"needs {name}, which a command would make that was {why}"
        for pattern, file in NEEDS:
            if re.search(pattern, text, re.MULTILINE) and not (self.data and (self.data / file).is_file()):
                return "left out", f"needs {file} of the reference data"
        return None

    def shell(self, text):
        # Variables that a command sets stay for those after it. Of a block of several, each has to work.
        before = "set -a; [ ! -f .state ] || . ./.state; set +e; failed=0; trap 'failed=$?' ERR"
        after = "state=$?; trap - ERR; [ $failed -ne 0 ] || failed=$state; export -p > .state; exit $failed"
        return self.process(["bash", "-c", f"{before}\n{text}\n{after}"])

    def has_module(self):
        return shutil.which("parhelion-python", path=self.environment["PATH"]) is not None

    def starter(self, text):
        """What runs a block of Python: one that uses parhelion, or goes on after such a one, needs more."""
        self.uses_module |= bool(re.search(r"^(import|from) parhelion\b", text, re.MULTILINE))
        return "parhelion-python" if self.uses_module else "scripts/python.sh"

    def python(self, text):
        starter = self.starter(text)
        if starter != "parhelion-python":
            return self.process([starter, "-c", text])
        before = "\n".join(self.session)
        self.session.append(text)
        quietly = ("import contextlib as _c, io as _i\nwith _c.redirect_stdout(_i.StringIO()):\n"
                   f"    exec({before!r})\n") if before else ""
        return self.process([starter, "-c", quietly + text])

    def process(self, command):
        try:
            done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return f"took more than {TIMEOUT} s", ""
        return f"exit status {done.returncode}\n{done.stdout}" if done.returncode != 0 else "", done.stdout

    def do(self, item):
        text = item.text
        lacking = self.lacks(text) or (self.lacks_modules(text) if item.kind == "python" else None)
        one_line = "\n" not in text.replace("\\\n", "")
        if item.kind == "shell" and one_line and not lacking and not documents.is_known(text):
            return self.say("failed", item, "begins with a program that tests/docs/documents.py does not know")
        if lacking:
            self.mark_absent(text, lacking[0])
            return self.say(lacking[0], item, lacking[1])
        self.absent = {name: why for name, why in self.absent.items() if name not in WRITES.findall(text)}
        problem, output = self.shell(text) if item.kind == "shell" else self.python(text)
        problem = problem or difference(item.output, output)
        return self.say("failed" if problem else "run", item, problem)

    def mark_absent(self, text, why):
        """What a command would have made, if nothing else did."""
        self.absent.update({name: why for name in WRITES.findall(text) if not (self.folder / name).exists()})

    def lacks_modules(self, text):
        starter = self.starter(text)
        if starter == "parhelion-python" and not self.has_module():
            return "left out", NO_MODULE
        for name in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE):
            if self.process([starter, "-c", f"import {name}"])[0]:
                return "left out", f"needs the module {name} of Python"
        return None

    def prepare(self, heading):
        for command in PREPARED.get(self.document, {}).get(heading, []):
            if lacking := self.lacks(command):
                self.mark_absent(command, lacking[0])
            elif problem := self.shell(command)[0]:
                self.counts["failed"] += 1
                print(f"{self.document}: failed to prepare: {command}: {problem}")


def plain(line):
    """A line of output as it is compared: blanks and the place of the calculation do not count, nor do figures of
    speed, memory and time."""
    line = " ".join(re.sub(r"\bon (OpenMP|Serial|Threads|Cuda)\b", "", line).split())
    return re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", line) if re.search(r"/s\b|\bM?GB\b|\bMB\b|\d s\b", line) else line


def difference(shown, output):
    """The first line that a document shows and a command does not print behind the ones before; empty for none."""
    lines = iter([plain(line) for line in output.splitlines()])
    for line in shown:
        if plain(line) not in lines:  # looks from the last one on
            return f"does not print as shown: {line}\n{output}"
    return ""


def write_single(double, path):
    """RRTMG_LW's coefficients with reals of 4 bytes: Fortran's records, of which the lengths stand before and after."""
    content = double.read_bytes()
    at, records = 0, []
    while at < len(content):
        length = struct.unpack_from(">i", content, at)[0]
        values = struct.unpack_from(f">{length // 8}d", content, at + 4)
        marker = struct.pack(">i", length // 2)
        records.append(marker + struct.pack(f">{len(values)}f", *values) + marker)
        at += length + 8
    path.write_bytes(b"".join(records))


def commands(arguments, document, items):
    run = Run(arguments, document)
    wanted = any(item.kind in ("shell", "python") for item in items)
    if wanted and run.process([str(arguments.root / "scripts/python.sh"), "-c", ""])[0]:
        print("skipped: no python3 with numpy, h5py and matplotlib, by which input is made and results are drawn")
        return 77
    run.prepare("")
    for item in items:
        if item.kind == "heading":
            run.prepare(item.text)
        elif item.kind in ("shell", "python"):
            run.do(item)
    print(", ".join(f"{count} {what}" for what, count in run.counts.items()))
    if run.counts["failed"]:
        return 1
    return 77 if run.counts["left out"] else 0


def examples_of_help(arguments):
    """The commands that --help shows of the program and its subcommands, in the form of a document."""

    def help_of(*command):
        return subprocess.run([arguments.program, *command, "--help"], capture_output=True, text=True,
                              check=True).stdout

    first = help_of()
    names = re.findall(r"^  ([a-z][\w-]*) ", first.partition("\nSubcommands:")[2].partition("\n\n")[0], re.MULTILINE)
    lines = []
    for name, text in [("", first), *((name, help_of(name)) for name in names)]:
        shown = re.search(r"^Examples?:\n((?:  .*\n)+)", text, re.MULTILINE)
        found = shown[1].splitlines() if shown else [f"there-is-no-example-of-{name or 'parhelion'}"]
        lines += ["", *("    $ " + line.strip() for line in found)]
    return names, "\n".join(lines)


def check_help(arguments, document, _):
    """Runs what --help shows."""
    names, text = examples_of_help(arguments)
    print("subcommands:", *names)
    return commands(arguments, document, list(documents.items(text))) if names else 1


def options(arguments, document, items):
    """Options of a synopsis are those of --help, and all of these are somewhere in the document."""
    text = (arguments.root / document).read_text(encoding="utf-8")
    problems = 0
    for item in items:
        if item.kind != "synopsis":
            continue
        words = item.text.split()
        command = words[1:3] if words[1] == "tables" else words[1:2]
        help_text = subprocess.run([arguments.program, *command, "--help"], capture_output=True, text=True,
                                   check=True).stdout
        names = re.findall(r"^\s+(?:(-\w), ?)?(--[\w-]+)", help_text, re.MULTILINE)
        short = {long: short for short, long in names if short}
        offered = {long for _, long in names} - {"--help", "--version"}
        shown = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", item.text))
        for option in sorted(shown - offered):
            problems += 1
            print(f"{document}:{item.line}: parhelion {' '.join(command)} has no {option}")
        for option in sorted(offered):
            either = "|".join(filter(None, (option, short.get(option))))
            if re.search(rf"(?<![\w-])({either})(?![\w-])", text):
                continue
            problems += 1
            print(f"{document}: nothing about {option} of parhelion {' '.join(command)}")
    return 1 if problems else 0


def check_links(arguments, document, _):
    here = arguments.root / document
    problems = 0
    for target in documents.links(here.read_text(encoding="utf-8")):
        name, _, place = target.partition("#")
        path = (here.parent / name) if name else here
        if not path.exists():
            problem = "no such file"
        elif place and path.suffix == ".md" and place not in documents.anchors(path.read_text(encoding="utf-8")):
            problem = "no such heading"
        else:
            continue
        problems += 1
        print(f"{document}: link to {target}: {problem}")
    return 1 if problems else 0


def check_lines(arguments, document, _):
    """Lines fit into WIDTH columns, but for rows of tables, which cannot be broken."""
    problems = 0
    for number, line in enumerate((arguments.root / document).read_text(encoding="utf-8").splitlines(), 1):
        if len(line) > WIDTH and not line.startswith("|"):
            problems += 1
            print(f"{document}:{number}: {len(line)} columns, expected at most {WIDTH}")
    return 1 if problems else 0


def examples(arguments, document, items):
    """C++ with a main function is an example that the document names, but for comments before it; all other is compiled
    by fragments.cpp. The lines of Fortran stand in one of the sources that are compiled."""
    text = (arguments.root / document).read_text(encoding="utf-8")
    named = re.findall(r"examples/(\w+\.cpp)", text)
    sources = [(arguments.root / "examples" / name).read_text(encoding="utf-8") for name in named]
    programs = [re.sub(r"\A(//[^\n]*\n)*", "", each).strip() for each in sources]
    problems = 0
    compiled = (pathlib.Path(__file__).parent / "fragments.cpp").read_text(encoding="utf-8")
    for count, item in enumerate(documents.fragments(text), 1):
        name = f"{pathlib.Path(document).stem}_{count}.inc"
        if name not in compiled:
            problems += 1
            print(f"{document}:{item.line}: tests/docs/fragments.cpp does not compile {name}")
    for item in items:
        if item.kind == "cpp" and "int main(" in item.text and item.text.strip() not in programs:
            problems += 1
            print(f"{document}:{item.line}: differs from all of {', '.join(named) or 'no example'}")
    compiled = [{line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
                for folder in ("examples", "tests/interop/fortran") for path in (arguments.root / folder).glob("*.f90")]
    for item in items:
        if item.kind == "fortran" and not any({line.strip() for line in item.text.splitlines()} <= lines | {""}
                                              for lines in compiled):
            problems += 1
            print(f"{document}:{item.line}: stands in no source that is compiled")
    return 1 if problems else 0


def keys(arguments, document, _):
    """All keys of control files that the program reads stand in a table of the document."""
    source = (arguments.root / "io/src/jurassic/control.cpp").read_text(encoding="utf-8")
    read = re.search(r"needed_keys\{(.*?)\};", source, re.DOTALL)[1]
    names = re.findall(r'Key\{"(\w+)"', read)
    text = (arguments.root / document).read_text(encoding="utf-8")
    rows = " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    missing = [name for name in names if not re.search(rf"`{name}(\[i\])?`", rows)]
    print(f"{len(names)} keys")
    for name in missing:
        print(f"{document}: nothing about the key {name}")
    return 1 if missing or not names else 0


def absolute(text):
    """Of a path on the command line; nothing where there is none."""
    return pathlib.Path(text).resolve() if text else None


def main():
    checks = {"commands": commands, "options": options, "links": check_links, "lines": check_lines,
              "examples": examples, "keys": keys, "help": check_help}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=checks)
    parser.add_argument("documents", metavar="DOCUMENT", nargs="+", help="relative to the root of the sources")
    parser.add_argument("--root", type=absolute, required=True)
    parser.add_argument("--program", type=absolute, help="parhelion")
    parser.add_argument("--build", type=absolute, help="folder of the build")
    parser.add_argument("--scratch", type=absolute, help="folder to run in; what is there is replaced")
    parser.add_argument("--data", type=absolute, help="folder of the reference data")
    arguments = parser.parse_args()
    results = set()
    for document in arguments.documents:
        path = arguments.root / document
        items = list(documents.items(path.read_text(encoding="utf-8"))) if document != "help" else []
        results.add(checks[arguments.check](arguments, document, items))
    return next((result for result in (1, 77) if result in results), 0)


if __name__ == "__main__":
    sys.exit(main())
