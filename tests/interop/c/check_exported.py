#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the symbols of a shared library with the functions that its headers declare.

    check_exported.py LIBRARY HEADER...

Prints the differences and exits with 1; with 77 where there is no nm.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def main(arguments):
    library, *headers = arguments
    if not shutil.which("nm"):
        print("skipped: there is no nm")
        return 77
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True,
                             check=True).stdout
    shown = {line.split()[-1] for line in listing.splitlines()}
    text = "".join(pathlib.Path(header).read_text(encoding="utf-8") for header in headers)
    declared = set(re.findall(r"PARHELION_API[^;(]*?(parhelion_\w+)\(", text))
    findings = [f"{name} is shown and not declared" for name in sorted(shown - declared)]
    findings += [f"{name} is declared and not shown" for name in sorted(declared - shown)]
    print("\n".join(findings) if findings else f"{len(declared)} functions")
    return 1 if findings or not declared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
