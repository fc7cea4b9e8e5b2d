# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings, and the tables of the reference, from the descriptions of the solvers."""

import textwrap

from ._description import EXTRA, SOLVERS

WIDTH = 100


def shape_of(entry):
    if not entry.dimensions:
        return ""
    if entry.rank:
        return " or ".join(f"({', '.join(entry.dimensions[:rank])})"
                           for rank in range(entry.rank, len(entry.dimensions) + 1))
    return f"({', '.join(entry.dimensions)})"


def unit_of(entry):
    return f"[{entry.unit}]" if entry.unit else ""


def type_of_option(option):
    if option.words:
        return "int" + "".join(f' or "{word.rpartition("_")[2]}"' for word in option.words)
    if option.kind == "choice":
        return ", ".join(f'"{choice}"' for choice in option.choices)
    if option.kind == "reals":
        return "float" if option.count == 1 else f"{option.count} floats"
    return {"text": "str", "path": "path", "names": "names", "flag": "bool", "integer": "int", "real": "float"}[option.kind]


def default_of(option):
    if option.kind == "choice":
        return f'"{option.choices[0]}"'
    return "False" if option.kind == "flag" else option.default


def paragraph(text, indent):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def lines_of_arrays(entries):
    for entry in entries:
        kind = " of int32" if entry.integers else ""
        yield f"{entry.name} : {shape_of(entry)}{kind}".rstrip(" :") if entry.dimensions else entry.name
        text = " ".join(filter(None, (entry.meaning, unit_of(entry)))) + (f"; {entry.limits}" if entry.limits else "")
        yield paragraph(text, "    ")


def lines_of_options(options):
    for option in options:
        yield f"{option.name} : {type_of_option(option)}"
        default = default_of(option)
        text = " ".join(filter(None, (option.meaning, unit_of(option))))
        yield paragraph(text + (f"; default: {default}" if default else ""), "    ")


def lines_of_results(solver):
    yield from lines_of_arrays(solver.outputs)
    for name, unit, meaning in EXTRA.get(solver.name, ()):
        yield name
        yield paragraph(f"{meaning} [{unit}]" if unit else meaning, "    ")


def section(title, lines):
    found = list(lines)
    return ["", title, "-" * len(title), *found] if found else []


ARRAYS = ("Arrays are of NumPy, or of other libraries by DLPack or __cuda_array_interface__, with any strides, "
          "{types}, and all in memory of the host or all on the device of the object; a call with "
          "arrays on a device enqueues its work and returns, and values are not looked at. Numbers, and arrays that lack "
          "the first dimensions or have extents of 1, count for all indices.")
TYPES_OF_COLUMNS = "all of float32 or all of float64"
TYPES = "of float32 or float64 (results have the type of the first of the arguments below)"
OTHERS = (
    ("out", "a mapping from names of results to arrays that are overwritten; others are allocated where the input is"),
    ("results", "the names of the results that are computed{usual}"),
    ("stream", "with arrays of a device: an integer or a stream of CuPy or PyTorch, in whose order the call works; "
     "default: CuPy's current one for its arrays, or the default stream"),
)


def arrays_of(solver):
    return paragraph(ARRAYS.format(types=TYPES_OF_COLUMNS if solver.item == "column" else TYPES), "")


def lines_of_others(solver):
    usual = f"; default: {', '.join(solver.usual)}" if solver.usual else "; default: all that the options ask for"
    for name, meaning in OTHERS:
        yield name
        yield paragraph(meaning.format(usual=usual), "    ")


def capital(text):
    return text[:1].upper() + text[1:]


def docstring_of_function(solver):
    lines = [f"Computes {solver.title}.", "", paragraph(solver.summary, ""), "", arrays_of(solver),
             *section("Arguments", lines_of_arrays(solver.inputs)),
             *section("Numbers", lines_of_options(solver.numbers)),
             *section("Options", lines_of_options(option for option in solver.options if not option.seen)),
             *section("Others", lines_of_others(solver)),
             *section("Results", lines_of_results(solver))]
    return "\n".join(lines)


def docstring_of_type(solver):
    lines = [f"{capital(solver.title)}: an object that keeps its memory for many calls of solve().", "",
             paragraph("One thread may use it at a time; threads with an object each run at the same time.", ""),
             *section("Options", lines_of_options(solver.options))]
    return "\n".join(lines)


def docstring_of_solve(solver):
    lines = [f"Computes {solver.title}.", "", arrays_of(solver),
             *section("Arguments", lines_of_arrays(solver.inputs)),
             *section("Numbers", lines_of_options(solver.numbers)),
             *section("Others", lines_of_others(solver)),
             *section("Results", lines_of_results(solver))]
    return "\n".join(lines)


# --- tables of the reference -----------------------------------------------------------------------------------------

def cell(text):
    return text.replace("|", "\\|")


def table(head, rows):
    rows = list(rows)
    if not rows:
        return []
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}",
            *(f"| {' | '.join(cell(each) for each in row)} |" for row in rows), ""]


def rows_of_arrays(entries):
    for entry in entries:
        kind = " int32" if entry.integers else ""
        meaning = entry.meaning + (f", {entry.limits}" if entry.limits else "")
        yield f"`{entry.name}`", shape_of(entry) + kind, entry.unit, meaning


def rows_of_options(options):
    for option in options:
        default = default_of(option)
        kind = ", ".join(f"`{choice}`" for choice in option.choices) or type_of_option(option)
        meaning = option.meaning + (f" [{option.unit}]" if option.unit else "") + (" (object)" if option.seen else "")
        yield f"`{option.name}`", kind, default.strip('"'), meaning


def tables(solver):
    """The part of the reference about a solver, in Markdown."""
    arrays = ("name", "shape", "unit", "meaning")
    options = ("name", "values", "default", "meaning")
    computed = [(f"`{name}`", "a number", unit, meaning) for name, unit, meaning in EXTRA.get(solver.name, ())]
    parts = [f"{capital(solver.title)}. {solver.summary}", "", "Arguments of the function and of `solve`:", "",
             *table(arrays, rows_of_arrays(solver.inputs))]
    if solver.numbers:
        parts += ["Numbers of the same:", "", *table(options, rows_of_options(solver.numbers))]
    alone = any(option.seen for option in solver.options)
    parts += ["Options of the function and of the object" +
              (", or of the object alone, where the function sees them from its arrays:" if alone else ":"), "",
              *table(options, rows_of_options(solver.options)),
              "Results:", "", *table(arrays, [*rows_of_arrays(solver.outputs), *computed])]
    lines = []
    for part in parts:
        lines.append(part if part.startswith("|") else textwrap.fill(part, 120, break_long_words=False))
    return "\n".join(lines).rstrip() + "\n"


def with_tables(page):
    """The text of a page in Markdown with its tables, between the lines that say where they belong, made anew."""
    for solver in SOLVERS:
        begin, end = f"<!-- tables of {solver.name} -->\n", f"<!-- end of {solver.name} -->\n"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"the page has no place for the tables of {solver.name}")
        page = f"{before}{begin}\n{tables(solver)}\n{end}{after}"
    return page

