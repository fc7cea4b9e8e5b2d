#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""That names, dimensions and units of the module are those of parhelion.h, and that documents show them."""
import inspect
import re

import parhelion
from parhelion import _core, _docs
from parhelion._description import EXTRA, GASES, MORE_GASES, SHORTWAVE, SIDES, SOLVERS
from python_testing import SOURCE, Case, main

HEADER = (SOURCE / "interop/c/include/parhelion.h").read_text(encoding="utf-8")
MEMBER = re.compile(r"^  (?:const )?([a-z]\w*(?:_t)?) ?(\*)? ?([a-z]\w*(?:, [a-z]\w*)*)(\[[^\]]*\])?;", re.MULTILINE)


def structs():
    """Members of the structs of the header: {struct: {name: (type, comment)}}."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{\n(.*?)\n\} \1;", HEADER, re.DOTALL):
        members = {}
        # A comment stands before a member or behind it, up to the next one.
        pieces = list(MEMBER.finditer(body))
        for i, piece in enumerate(pieces):
            end = pieces[i + 1].start() if i + 1 < len(pieces) else len(body)
            after = body[piece.end():end]
            behind = re.match(r"\s*/\*\*<(.*?)\*/", after, re.DOTALL)
            before = re.search(r"/\*\*([^<](?:(?!\*/).)*)\*/\s*$", body[:piece.start()], re.DOTALL)
            comment = behind[1] if behind else before[1] if before else ""
            text = " ".join(comment.replace("*", " ").split())
            for each in piece[3].split(", "):
                members[each] = (piece[1] + (piece[2] or ""), text)
        found[name] = members
    return found


STRUCTS = structs()


class Header(Case):
    def test_members_of_structs(self):
        for name, members in _core.structs.items():
            ours = [each for each in STRUCTS[name] if each not in ("size", "reached_error") and
                    not (name == "parhelion_monte_carlo_output" and each == "repetitions")]
            self.assertEqual(members, ours, name)
        handles = [name for name in STRUCTS if name not in ("parhelion_array", "parhelion_model")]
        self.assertEqual(sorted(_core.structs), sorted(handles))

    def test_constants(self):
        values = {}
        for body in re.findall(r"enum[^{;]*\{(.*?)\}", HEADER, re.DOTALL):
            number = 0
            plain = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
            for name, value in re.findall(r"(PARHELION_\w+)(?: = (-?\d+))?", plain):
                number = int(value) if value else number
                values[name] = number
                number += 1
        for name, value in _core.constants.items():
            self.assertEqual(value, values[name], name)
        options = [option for solver in SOLVERS for option in (*solver.options, *solver.numbers)]
        choices = {option.constant(choice) for option in options if option.kind == "choice"
                   for choice in option.choices}
        self.assertLessEqual(choices, set(_core.constants))
        prefixes = {option.prefix for option in options if option.prefix != "PARHELION_"}
        for name in values:
            if name.startswith(tuple(prefixes - {""})):
                self.assertIn(name, choices)
        self.assertEqual([values[f"PARHELION_{gas.upper()}"] for gas in GASES + MORE_GASES],
                         list(range(values["PARHELION_NGAS_ALL"])))
        self.assertEqual(len(GASES), values["PARHELION_NGAS"])
        self.assertEqual([_core.find_gas(gas) for gas in GASES + MORE_GASES], list(range(len(GASES + MORE_GASES))))

    def test_options(self):
        kinds = {"const char*": ("text", "path", "names"),
                 "char*": ("text", "path", "names"), "double": ("real",), "double*": ("reals",),
                 "int32_t": ("choice", "flag", "integer"), "int64_t": ("integer",), "uint64_t": ("integer",),
                 "uint32_t": ("integer",)}
        for solver in SOLVERS:
            for suffix, options in (("options", solver.options), ("input", solver.numbers)):
                members = STRUCTS[f"parhelion_{solver.name}_{suffix}"]
                for option in options:
                    self.assertIn(option.kind, kinds[members[option.name][0]], f"{solver.name}: {option.name}")
            self.assertEqual([option.name for option in solver.options],
                             [name for name in STRUCTS[f"parhelion_{solver.name}_options"] if name != "size"])

    def test_positive_numbers(self):
        """Numbers for which the header's 0 is another number, or what is in the model, are positive here."""
        found = set()
        for solver in SOLVERS:
            for suffix, options in (("options", solver.options), ("input", solver.numbers)):
                for option in options:
                    _, comment = STRUCTS[f"parhelion_{solver.name}_{suffix}"][option.name]
                    if option.kind in ("integer", "real") and not option.seen:
                        has_default = re.search(r"\b0: (\d|that of)", comment) is not None
                        self.assertEqual(option.positive, has_default, f"{solver.name}: {option.name}: {comment}")
                        found |= {option.name} if has_default else set()
        self.assertLessEqual({"pressure", "rays", "gravity", "path_factor", "total_irradiance"}, found)

    def test_fixed_extents(self):
        for name, dimension in (("NAEROSOL", "type"), ("NSPECTRUM", "spectrum")):
            number = re.search(rf"PARHELION_SW_{name} = (\d+)", HEADER)[1]
            self.assertEqual(SHORTWAVE.fixed[dimension], int(number))

    def test_every_member_of_input_is_known(self):
        for solver in SOLVERS:
            known = {each.name for each in (*solver.inputs, *solver.numbers)}
            # Gases are one mapping here.
            members = set(STRUCTS[f"parhelion_{solver.name}_input"]) - {"size", "more_gases"}
            self.assertEqual(known, members, solver.name)
            extra = {name for name, _, _ in EXTRA.get(solver.name, ())}
            self.assertEqual([each.name for each in solver.outputs],
                             [name for name in STRUCTS[f"parhelion_{solver.name}_output"]
                              if name != "size" and name not in extra])

    def test_dimensions_and_units(self):
        """Where the header's comment has a shape or a unit, it is ours."""
        shapes = units = 0
        for solver in SOLVERS:
            for suffix, entries in (("input", solver.inputs), ("output", solver.outputs)):
                members = STRUCTS[f"parhelion_{solver.name}_{suffix}"]
                for entry in entries:
                    kind, comment = members[entry.name]
                    where = f"{solver.name}: {entry.name}: {comment}"
                    unit = re.search(r"\[([^\]]+)\]", comment)
                    if unit and kind == "parhelion_array" and entry.unit:
                        expected = "s" if comment.startswith("seconds") else unit[1]
                        if "radiance sr" not in expected or entry.unit != "radiance":
                            self.assertEqual(entry.unit, expected, where)
                            units += 1
                    found = [each for each in re.findall(r"\(([a-z][\w ',-]*)\)", comment)
                             if each.split(",")[0].strip() in ("column", "profile", "profile or 1", "ray", "x")]
                    if found and entry.dimensions:
                        wanted = [" ".join(self.plain(each) for each in entry.dimensions[:n or None])
                                  for n in ({entry.rank, 0} if entry.rank else {0})]
                        given = [" ".join(self.plain(each) for each in shape.split(", ")) for shape in found]
                        self.assertTrue(set(given) & set(wanted), f"{where}: {given} {wanted}")
                        shapes += 1
                    self.assertEqual(entry.integers, comment.startswith("integers"), where)
        self.assertGreater(shapes, 60)
        self.assertGreater(units, 40)

    @staticmethod
    def plain(dimension):
        """A dimension in the words of the header, which has numbers of bands and g-points."""
        words = {"16": "band", "14": "band", "140": "gpt", "112": "gpt", "6": "type", "4": "spectrum", "g-point": "gpt",
                 "band or 1": "band", "angle in and last the sun's": "angle in and sun",
                 "gas in the order of the control file": "gas"}
        return words.get(dimension, dimension)


class Documents(Case):
    def test_docstrings(self):
        for solver in SOLVERS:
            function, kind = getattr(parhelion, solver.name), getattr(parhelion, solver.type_name)
            for entry in (*solver.inputs, *solver.outputs):
                for documented in (function, kind.solve):
                    self.assertRegex(documented.__doc__, rf"(?m)^{entry.name}( : |$)")
                    if entry.unit:
                        self.assertIn(f"[{entry.unit}]", documented.__doc__)
            parameters = inspect.signature(function).parameters
            for option in solver.options:
                self.assertIn(option.name, inspect.signature(kind).parameters)
                if not option.seen:
                    self.assertIn(option.name, parameters)
            self.assertIn("out", parameters)
            self.assertLessEqual(max(map(len, function.__doc__.splitlines())), 100)

    def test_reference_has_the_tables(self):
        page = (SOURCE / "docs/reference/python.md").read_text(encoding="utf-8")
        self.assertEqual(_docs.with_tables(page), page, "run tests/interop/python/write_tables.py")

    def test_sides(self):
        self.assertIn(", ".join(side.replace("_", " ") for side in SIDES), " ".join(HEADER.replace("*", " ").split()))


if __name__ == "__main__":
    main()
