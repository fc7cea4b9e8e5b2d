#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the sources that no compiler makes.

    check_sources.py backends|comments|floors|kernels|licenses|tracked ROOT

backends  back-end conditionals stand in core/ alone, so that an algorithm exists once
comments  in comments of public headers, \\param and the like begin a line: the formatter breaks a line that is too long
          and joins the rest with the next one, whatever that is
floors    what a room includes lies below it: core/ nothing else of parhelion, a solver core/ (retrieval, which stands
          on a forward model, ega, too), io/ core/ and the solvers
kernels   the kernels of fluxes name no model of gas optics and no gas: a model is a folder of its own
licenses  every source opens with its SPDX line
tracked   git tracks no data file and no big file

Prints what it finds, a line each, and exits with 1; with 77 where it cannot look.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

FOLDERS = ("apps", "core", "examples", "interop", "io", "perf", "scripts", "solvers", "spack", "tests")
CXX = {".c", ".cc", ".cpp", ".cu", ".h", ".hip", ".hpp", ".inc"}
OTHER = {".f90", ".py", ".sh"}
BACKENDS = re.compile(
    r"\b(KOKKOS_ENABLE_\w+|KOKKOS_ARCH_\w+|KOKKOS_IF_ON_(?:HOST|DEVICE)|KOKKOS_COMPILER_NVCC"
    r"|__CUDA\w*|__NVCC__|__NVCOMPILER\w*|__HIP\w*|__AMDGCN\w*|__SYCL\w*|SYCL_\w+|_OPENMP|_OPENACC)\b")
# A comment, or a string, whose content must not be taken for a comment.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
ITEM = re.compile(r"[ \t]*///.*\S[ \t]+(\\(?:param|tparam|throws|return)\b)")
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]parhelion/([\w.]+)')
# Of solvers/fluxes/src, what is compiled for each model of gas optics.
KERNELS = re.compile(r"(absorption_terms|lane_optics|(\w*_)?(kernel|layout|optics|sums|sweeps|team_data)|transfer|two_stream"
                     r"|longwave_scattering)\.hpp")
MODELS = re.compile(r"\b(?:rrtmg\w*|ecckd|simple|Gas)::\w+|[<\"/](?:rrtmg\w*|ecckd|simple)/[\w.]+")
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
DATA = re.compile(r"\.(nc|nc4|h5|hdf5|dbl|bin|npy|npz|tab|gz|zip|tar|xz)$|RRTMG_[LS]W_DATA[^/]*$", re.IGNORECASE)
BIG = 400 * 1024


def sources(root, suffixes):
    """Source files below `root`, sorted, by their suffix in lower case."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix.lower() in suffixes and path.is_file():
                yield path


def without_comments(text):
    """`text` with its comments blank and its lines in place."""
    return COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def backends(root):
    for path in sources(root, CXX):
        if path.relative_to(root).parts[0] == "core":
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
            for match in BACKENDS.finditer(line):
                yield f"{path.relative_to(root)}:{number}: {match[1]} outside core/"


def comments(root):
    for path in sources(root, {".h", ".hpp"}):
        if "include" not in path.relative_to(root).parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := ITEM.match(line):
                yield f"{path.relative_to(root)}:{number}: {match[1]} does not begin the line"


def room_of(path):
    """The room of a source by its path below the root, and the rooms whose headers it may include; None: any."""
    parts = path.parts
    if parts[0] == "core":
        return "core", {"core"}
    if parts[0] == "solvers":
        return parts[1], {"core", parts[1]} | ({"ega"} if parts[1] == "retrieval" else set())
    return parts[0], None


def floors(root):
    solvers = {path.name for path in (root / "solvers").glob("*")}
    for path in sources(root, CXX):
        name, allowed = room_of(path.relative_to(root))
        if name == "io":
            allowed = {"core", "io"} | solvers
        if allowed is None:
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1] not in allowed | {"version.hpp"}:  # which belongs to all
                yield f"{path.relative_to(root)}:{number}: {name} includes parhelion/{match[1]}"


def kernels(root):
    for path in sources(root, CXX):
        if path.parent != root / "solvers/fluxes/src" or not KERNELS.fullmatch(path.name):
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
            for match in MODELS.finditer(line):
                yield f"{path.relative_to(root)}:{number}: {match[0].lstrip('</' + chr(34))} in a kernel"


def licenses(root):
    for path in sources(root, CXX | OTHER):
        lines = path.read_text(encoding="utf-8").splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or SPDX not in lines[0]:
            yield f"{path.relative_to(root)}: does not open with {SPDX}"


def tracked(root):
    # Whose checkout it is does not matter for listing it.
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"]
    listing = subprocess.run(command, capture_output=True, check=False) if shutil.which("git") else None
    if listing is None or listing.returncode != 0:
        print(f"skipped: {root} is not a git checkout, or there is no git")
        sys.exit(77)
    for name in os.fsdecode(listing.stdout).split("\0"):
        path = root / name
        if not name or not path.is_file():
            continue
        if DATA.search(name):
            yield f"{name}: a data file"
        elif path.stat().st_size > BIG:
            yield f"{name}: {path.stat().st_size} bytes, more than {BIG}"


CHECKS = {"backends": backends, "comments": comments, "floors": floors, "kernels": kernels, "licenses": licenses,
          "tracked": tracked}


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in CHECKS:
        print(__doc__, file=sys.stderr)
        return 2
    findings = list(CHECKS[arguments[0]](pathlib.Path(arguments[1]).resolve()))
    print("\n".join(findings) if findings else f"{arguments[0]}: nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
