#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual page and the completions of the shells name every subcommand and option that --help shows.

    test_installed_help.py PROGRAM MANUAL_PAGE COMPLETIONS

A shell that is not installed is left out, and said so.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PAGE, COMPLETIONS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])


def help_of(path):
    outcome = subprocess.run([PROGRAM, *path, "--help"], capture_output=True, text=True, check=True)
    return outcome.stdout


def options_of(path):
    return sorted(set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_of(path), re.MULTILINE)))


def subcommands_of(path):
    section = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_of(path), re.MULTILINE)
    return re.findall(r"^  ([a-z][\w-]*)", section[1], re.MULTILINE) if section else []


def all_paths(path=()):
    yield path
    for name in subcommands_of(path):
        yield from all_paths((*path, name))


PATHS = list(all_paths())


class Bash:
    needs = ("bash",)

    def complete(self, words):
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parhelion; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", script, "bash", COMPLETIONS / "parhelion.bash", PROGRAM, *words],
                              capture_output=True, text=True, check=True).stdout.split()


class Zsh:
    needs = ("zsh",)

    def complete(self, words):
        # compadd and _files exist inside of a completion only; here they print, and _files nothing.
        script = ('compadd() { shift; print -l -- "$@"; }; _files() {}; file=$1; shift; words=("$@"); CURRENT=$#; '
                  'complete_it() { eval "$(<$file)"; }; complete_it')
        found = subprocess.run(["zsh", "-fc", script, "zsh", COMPLETIONS / "_parhelion", PROGRAM, *words],
                               capture_output=True, text=True, check=True).stdout.split()
        return [word for word in found if word.startswith(words[-1])]


class Fish:
    needs = ("fish",)

    def complete(self, words):
        # Where there are no words to offer fish offers files: in an empty folder there are none.
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "HOME": folder}
            script = f"source '{COMPLETIONS / 'parhelion.fish'}'; complete -C '{' '.join(['parhelion', *words])}'"
            return subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True,
                                  env=environment, cwd=folder).stdout.split()


class InstalledHelp(unittest.TestCase):
    def test_there_is_something_to_name(self):
        self.assertIn(("fluxes",), PATHS)
        self.assertIn(("tables", "synthetic"), PATHS)
        self.assertIn("--output", options_of(("fluxes",)))

    def test_manual_page(self):
        text = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
        for path in PATHS:
            command = " ".join(["parhelion", *path])
            heading = f'.SS "{command}"\n' if path else ".SH OPTIONS\n"
            self.assertIn(heading, text)
            section = re.split(r"^\.S[SH] ", text[text.index(heading) + len(heading):], flags=re.MULTILINE)[0]
            for option in options_of(path):
                self.assertRegex(section, rf"(?m)^\\fB(-\w,)?{option}\b", f"{command}: {option}")

    def test_manual_page_is_well_formed(self):
        if shutil.which("groff") is None:
            self.skipTest("there is no groff")
        outcome = subprocess.run(["groff", "-man", "-Tutf8", "-ww", PAGE], capture_output=True, text=True, check=True)
        self.assertEqual(outcome.stderr, "")
        self.assertIn("EXIT STATUS", re.sub("\x1b\\[[0-9;]*m|.\x08", "", outcome.stdout))

    def complete_all(self, shell):
        for program in shell.needs:
            if shutil.which(program) is None:
                self.skipTest(f"there is no {program}")
        for path in PATHS:
            with self.subTest(path):
                self.assertEqual(sorted(shell.complete([*path, "-"])), options_of(path))
                expected = sorted(subcommands_of(path) + ([] if path else ["help"]))
                self.assertEqual(sorted(shell.complete([*path, ""])), expected)
        self.assertEqual(shell.complete(["flu"]), ["fluxes"])
        self.assertEqual(sorted(shell.complete(["help", "tables", ""])), sorted(subcommands_of(("tables",))))
        self.assertEqual(sorted(shell.complete(["fluxes", "in.nc", "--real", ""])), ["double", "float"])
        self.assertEqual(shell.complete(["fluxes", "in.nc", "--real", "f"]), ["float"])
        self.assertEqual(shell.complete(["fluxes", "--coefficients", ""]), [])

    def test_bash(self):
        self.complete_all(Bash())

    def test_zsh(self):
        self.complete_all(Zsh())

    def test_fish(self):
        self.complete_all(Fish())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
