#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/performance.md, and the table of speeds in README.md, of the reports of the benchmarks.

    performance_page.py            writes both
    performance_page.py --check    exit status 1 where one of them is not what the reports say

The reports are those that perf/run_all.sh writes, in folders under perf/results. performance_page.json, beside this
script, names the folders, and holds what has been measured of other programs; performance_page.md is the text. What is
not in the reports is left out, and said to be.
"""
import argparse
import difflib
import json
import math
import os
import re
import sys
import textwrap

from reports import Reports, ReportError

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 120       # of lines, but for rows of tables
MOST_LINES = 120  # of the page
README_BEGIN = "<!-- made by perf/performance_page.py: begin -->\n"
README_END = "<!-- made by perf/performance_page.py: end -->\n"


# ---- figures in words

def digits(value, count=3):
    """A number with so many significant digits; None stays."""
    if value is None:
        return None
    if value == 0:
        return "0"
    places = max(0, count - 1 - math.floor(math.log10(abs(float(f"{value:.{count - 1}e}")))))
    rounded = float(f"{value:.{count - 1}e}")
    return f"{rounded:,.{places}f}" if rounded >= 1e4 else f"{rounded:.{places}f}"


def percent(fraction):
    return None if fraction is None else f"{digits(100 * fraction, 2)} %"


def scaled(value, factor):
    return None if value is None else value * factor


def ratio(a, b):
    return None if a is None or b is None else digits(a / b, 2)


def wrapped(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


class Section:
    """Tables and sentences of a section, and what they lack."""

    def __init__(self):
        self.missing = []

    def table(self, head, rows):
        """A table without the rows and columns in which nothing was measured; an empty string where that is all.

        \\param head titles of the columns; the first is that of the labels
        \\param rows of each the label and the cells, None where nothing was measured, "" where nothing is to be
        """
        kept = [row for row in rows if any(cell for cell in row[1:])]
        self.missing += [plain(row[0]) for row in rows if row not in kept]
        columns = [0, *(i for i in range(1, len(head)) if any(row[i] for row in kept))]
        if not kept:
            return ""
        self.missing += [plain(head[i]) for i in range(1, len(head)) if i not in columns]
        lines = ["| " + " | ".join(head[i] for i in columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(row[i] or "" for i in columns) + " |" for row in kept]
        return "\n".join(re.sub(r"(?<=\|)  (?=\|)", " ", line) for line in lines)

    def sentence(self, what, values, text):
        """A sentence, for which `text` is called where all of its values were measured."""
        if any(value is None for value in values):
            self.missing.append(what)
            return ""
        return text()

    def said(self):
        return f"Not in the reports: {'; '.join(self.missing)}." if self.missing else ""

    def text(self, *parts):
        """Parts below each other, sentences in a paragraph."""
        blocks, paragraph = [], []
        for part in (*parts, self.said()):
            if part.startswith(("|", "!", "    ")):
                if paragraph:
                    blocks.append(wrapped(" ".join(paragraph)))
                    paragraph = []
                blocks.append(part)
            elif part:
                paragraph.append(part)
        if paragraph:
            blocks.append(wrapped(" ".join(paragraph)))
        return "\n\n".join(blocks)


def plain(label):
    return label.replace("`", "")


# ---- sections

REALS = ("float", "double")
RRTMG = "{optics}/{{space}}/{{real}}/ncol:{ncol}/nlay:{nlay}/block:0"
# Label, benchmark, layers, and the figure of the original.
FLUXES = (("longwave, RRTMG, clear sky", "rrtmg_exact", 51, "rrtmg_lw"),
          ("longwave, RRTMG, all sky", "rrtmg_all_sky", 51, "rrtmg_lw"),
          ("shortwave, RRTMG, clear sky", "rrtmg_sw_exact", 51, "rrtmg_sw"),
          ("shortwave, RRTMG, all sky", "rrtmg_sw_all_sky", 51, "rrtmg_sw"),
          ("longwave, ecCKD", "ecckd_longwave", 60, "ecrad"), ("shortwave, ecCKD", "ecckd_shortwave", 60, "ecrad"),
          ("longwave, RRTMGP", "rrtmgp_longwave", 60, "rte_rrtmgp"),
          ("shortwave, RRTMGP", "rrtmgp_shortwave", 60, "rte_rrtmgp"))
MODEL_STEP = "model_step/{space}/{real}/ncol:1038240/nlay:51"
CLEAR_SKY = ("{output}/{{space}}/{{real}}/nprofile:{nprofile}/nlay:{nlay}/nangle:{nangle}/strategy:0"
             "/recorded:{recorded}/angles:0/layers:0/lanes:0/threads:0")
SCATTERING = "{output}/{{space}}/{{real}}/nprofile:{nprofile}/nlay:60/nangle:{nangle}/nscatter:{nscatter}/strategy:1"
SPECTRA = ("ega/{{space}}/{{real}}/nray:{nray}/ngas:{ngas}/nchannel:32/nadir:{nadir}/tables:{tables}/gas_threads:0"
           "/rays_per_team:0")
MONTE_CARLO = ("monte_carlo/{{space}}/{{real}}/n:{n}/rays:{rays}/repetitions:{repetitions}/sampling:3"
               "/directions:{directions}/grids:0")


def fluxes_name(optics, ncol, nlay):
    return RRTMG.format(optics=optics, ncol=ncol, nlay=nlay)


def headline_rows():
    """Label, unit, name of the benchmark, key, factor, and the key of the fraction."""
    for label, optics, nlay, _ in FLUXES:
        if not optics.startswith("rrtmgp"):
            yield (f"{label}, 16384 columns x {nlay} layers", "million columns/s", fluxes_name(optics, 16384, nlay),
                   "columns/s", 1e-6, "fraction_of_peak")
    yield ("model step of 1,038,240 columns, all sky, from host arrays to host arrays", "s", MODEL_STEP, "seconds", 1,
           None)
    yield ("adding, clear sky, radiance at the top, 1,600,000 profiles x 60 layers x 6 angles", "us",
           CLEAR_SKY.format(output="top", nprofile=1600000, nlay=60, nangle=6, recorded=0), "us", 1,
           "fraction_of_limit")
    yield ("adding, 16384 profiles, 60 scattering layers, 8 angles", "thousand profiles/s",
           SCATTERING.format(output="toa", nprofile=16384, nangle=8, nscatter=60), "profiles/s", 1e-3,
           "fraction_of_peak")
    yield ("infrared spectra, 65536 limb rays, 13 gases, 32 channels, tables that differ", "thousand rays/s",
           SPECTRA.format(nray=65536, ngas=13, nadir=0, tables=1), "rays/s", 1e-3, "fraction_of_cache")
    yield ("Monte Carlo, H2O, 64^3 cells, 6000 rays a cell", "ms",
           MONTE_CARLO.format(n=64, rays=6000, repetitions=4, directions=2), "seconds", 1e3, "fraction_of_peak")


LIMITS = {"fraction_of_peak": "arithmetic", "fraction_of_limit": "limit kernel", "fraction_of_cache": "first cache",
          None: ""}


def both(of_real):
    """What a function gives for float and for double, side by side; nothing where one is not there."""
    values = [of_real(real) for real in REALS]
    return None if None in values else ", ".join(values)


def reports_of(results, settings):
    """The reports of a folder of results, of the revision that its settings name where the programs did not know it."""
    reports = Reports(os.path.join(results, settings["folder"]))
    if "revision" in settings:
        if reports.revision != "unknown":
            raise ReportError(f"{settings['folder']}: performance_page.json names revision {settings['revision']}, and "
                              f"the reports name {reports.revision}")
        reports.revision = settings["revision"]
    return reports


def threads_of_host(reports):
    """Those that convert the arrays of a caller."""
    return "one thread" if reports.threads == 1 else f"{reports.threads} threads"


def machine_line(reports):
    """A machine, what ran on it, and its own rates."""
    cuda = re.search(r"CUDA_VERSION\s*=\s*\d+ = version ([\d.]+)", reports.context["kokkos_configuration"])
    if reports.context["build_type"] != "Release":
        raise ReportError(f"{reports.path}: build of type {reports.context['build_type']}, expected Release")
    words = ["one thread"] if reports.one_thread else []
    words.append(f"revision {reports.revision}")
    words.append(f"CUDA {cuda[1]}" if reports.is_device and cuda else
                 f"GCC {reports.context['compiler']} {reports.context['cxx_flags']}".strip())
    prefix, factor = ("T", 1e-12) if reports.is_device else ("G", 1e-9)
    copy = digits(scaled(reports.limit("float", "copy_bytes/s"), factor))
    peaks = [digits(scaled(reports.limit(real, "peak_flops/s"), factor), 2) for real in REALS]
    link = f"../perf/results/{os.path.basename(reports.path)}/"
    return wrapped(f"- [{reports.machine}]({link}), {', '.join(words)}: {copy} {prefix}B/s, {peaks[0]} and {peaks[1]} "
                   f"{prefix}FLOP/s").replace("\n", "\n  ")


def machines(devices, host, _):
    return "\n".join(machine_line(reports) for reports in (*devices, host))


def headlines(devices, *_):
    section = Section()
    head = ["", *(f"{device.machine}, {real}" for device in devices for real in REALS), "unit", "in brackets: of"]
    rows = []
    for label, unit, name, key, factor, fraction in headline_rows():
        cells = []
        for device in devices:
            for real in REALS:
                value = digits(scaled(device.value(name, key, real=real), factor))
                share = percent(device.value(name, fraction, real=real)) if fraction else None
                cells.append(f"{value} ({share})" if value and share else value)
        rows.append([label, *cells, *((unit, LIMITS[fraction]) if any(cells) else (None, None))])
    return section.text(section.table(head, rows))


def fluxes(devices, host, peers):
    section, device = Section(), devices[0]
    sizes = ((64, 0), (1024, 0), (16384, 0), (65536, 0), (16384, 100))
    rows = []
    for label, optics, nlay, peer in FLUXES:
        def rate(ncol, layers, optics=optics, nlay=nlay):
            name = fluxes_name(optics, ncol, layers or nlay)
            return both(lambda real: digits(scaled(device.value(name, "columns/s", real=real), 1e-6)))

        def share(key, optics=optics, nlay=nlay):
            return both(lambda real: percent(device.value(fluxes_name(optics, 16384, nlay), key, real=real)))

        core = fluxes_name(optics, 4096, nlay)
        of_core = {real: host.value(core, "rate", real=real) for real in REALS}
        rows.append([label, *(rate(*size) for size in sizes), share("fraction_of_copy"), share("fraction_of_peak"),
                     both(lambda real, of_core=of_core: digits(scaled(of_core[real], 1e-3))),
                     ratio(of_core["double"], peers[peer][optics])])
    table = section.table(
        ["columns", *(f"{ncol}" + (f", {layers} layers" if layers else "") for ncol, layers in sizes), "of copy",
         "of arithmetic", "one core, thousand columns/s", "original's, double"], rows)
    table_mode = [digits(scaled(device.value("rrtmg_table/{space}/{real}/ncol:16384/nlay:51/block:0", "columns/s",
                                             real=real), 1e-6)) for real in REALS]
    more = section.sentence("AER's table of transmittances", table_mode,
                            lambda: f"With AER's table of transmittances the longwave computes {table_mode[0]} and "
                                    f"{table_mode[1]}.")
    days = [digits(device.value(f"model_day_{sky}/{{space}}/{{real}}/ncol:32768/nlay:51/chunk:0/devices:1", "seconds",
                                real=real)) for sky in ("clear", "all_sky") for real in REALS]
    day = section.sentence(
        "24 calls of 32,768 columns from host arrays to host arrays", days,
        lambda: f"From host arrays to host arrays ({threads_of_host(device)}), 24 calls of the longwave of 32,768 "
                f"columns take {days[0]} s, in double {days[1]}, in clear sky, {days[2]} and {days[3]} in all sky; "
                f"{peers['wang']['program']}, took {peers['wang']['seconds']} s on an {peers['wang']['machine']}.")
    step = [digits(device.value(MODEL_STEP, key, real="float")) for key in ("seconds", "longwave_s")]
    model = section.sentence(
        "time step of a model", step,
        lambda: "A time step of a model (1,038,240 columns x 51, half of them sunlit, longwave and shortwave, all sky, "
                f"float, values checked) takes {step[0]} s, of which the longwave {step[1]} s.")
    return section.text(table, more, day, model)


def clear_sky(devices, _, peers):
    section, device = Section(), devices[0]
    rows = []
    for size, peer in peers["clear_sky"]["profiles x layers x angles"].items():
        nprofile, nlay, nangle = size.split(" x ")

        def time(real, recorded, nprofile=nprofile, nlay=nlay, nangle=nangle):
            return device.value(CLEAR_SKY.format(output="top", nprofile=nprofile, nlay=nlay, nangle=nangle,
                                                 recorded=recorded), "us", real=real)

        launched, recorded = time("float", 0), time("float", 1)
        row = [f"{int(nprofile):,} x {nlay} x {nangle}", *[None] * 7]
        if launched and recorded:
            row[1:] = [f"{peer}", digits(launched), ratio(peer, launched), digits(recorded), ratio(peer, recorded),
                       digits(time("double", 0)), digits(time("double", 1))]
        rows.append(row)
    table = section.table(["profiles x layers x angles", "peer, launched, us", "parhelion, launched", "ratio",
                           "parhelion, recorded", "peer launched over recorded", "double, launched", "recorded"], rows)
    small = CLEAR_SKY.format(output="top", nprofile=10000, nlay=60, nangle=6, recorded="{recorded}")
    empty = [digits(device.value(small.replace("{recorded}", recorded), "empty_us", real="float"))
             for recorded in ("0", "1")]
    launches = section.sentence("an empty kernel", empty,
                                lambda: f"An empty kernel takes {empty[0]} us launched and {empty[1]} us recorded.")
    parts, lacking = [], []
    for output, words in (("top", "radiances at the top"), ("specular_top", "these over a specular surface"),
                          ("levels", "upward ones at all levels"), ("up_and_down", "both at all levels")):
        name = CLEAR_SKY.format(output=output, nprofile=1600000, nlay=60, nangle=6, recorded=0)
        times = [digits(device.value(name, "us", real=real)) for real in REALS]
        shares = [percent(device.value(name, "fraction_of_limit", real=real)) for real in REALS]
        if None in times + shares:
            lacking.append(words)
        else:
            parts.append(f"{words} {times[0]} and {times[1]} us ({shares[0]} and {shares[1]})")
    section.missing += [f"{words}, 1,600,000 profiles" for words in lacking]
    large = ("Outside the L2 cache, 1,600,000 x 60 x 6 take in float and in double, in brackets of the limit kernel: "
             f"{'; '.join(parts)}." if parts else "")
    calls = device.value("host_row_major/{space}/float/nprofile:200000/nlay:60/nangle:6/chunk:0", "profiles/s")
    host_arrays = section.sentence(
        "host arrays to host arrays", [calls],
        lambda: f"From host arrays to host arrays, values checked: {digits(calls * 1e-6)} million profiles/s in float.")
    return section.text(table, launches, large, host_arrays)


def scattering(devices, host, peers):
    section, device = Section(), devices[0]
    rows = []
    for label, output, nprofile, nangle, nscatter in (
            ("top, 16384 profiles, 4 angles", "toa", 16384, 4, 60), ("top, 16384, 8", "toa", 16384, 8, 60),
            ("top, 16384, 8, of which 15 layers scatter", "toa", 16384, 8, 15),
            ("top, 4096, 16", "toa", 4096, 16, 60), ("tangent-linear, 16384, 8", "tangent_linear", 16384, 8, 60),
            ("adjoint, 16384, 8", "adjoint", 16384, 8, 60)):
        name = SCATTERING.format(output=output, nprofile=nprofile, nangle=nangle, nscatter=nscatter)
        share = percent(device.value(name, "fraction_of_peak", real="double")) if output == "toa" else ""
        rows.append([label, *(digits(scaled(device.value(name, "profiles/s", real=real), 1e-3)) for real in REALS),
                     share])
    table = section.table(["thousand profiles/s", "float", "double", "of arithmetic, double"], rows)
    core = host.value(SCATTERING.format(output="toa", nprofile=512, nangle=8, nscatter=60), "rate",
                      real="double")
    least, most = (digits(each * 1e-3) for each in peers["crtm"]["profiles/s"])
    one_core = "One core was not measured for adding."
    if core is not None:
        one_core = (f"One core, 8 angles, double: {digits(core * 1e-3)}; {peers['crtm']['program']} on a core of "
                    f"another kind: {least} to {most}.")
    return section.text(table, one_core)


def spectra(devices, host, peers):
    section, device, peer = Section(), devices[0], peers["jurassic_gpu"]
    rows = []
    for nray in (65536, 1024):
        for label, ngas, nadir, tables, which in (("limb, 13, tables that differ", 13, 0, 1, "13, differ"),
                                                  ("limb, 13, same tables", 13, 0, 0, "13, same"),
                                                  ("nadir, CO2 only", 1, 1, 0, "1, same")):
            name = SPECTRA.format(nray=nray, ngas=ngas, nadir=nadir, tables=tables)
            rates = [device.value(name, "rays/s", real=real) for real in REALS]
            of_peer = peer["rays, gases, tables"][f"{nray}, {which}"]
            row = [f"{nray} {label}", *[None] * 5]
            if None not in rates:
                row[1:] = [digits(of_peer * 1e-3), digits(rates[1] * 1e-3), ratio(rates[1], of_peer),
                           digits(rates[0] * 1e-3), both(lambda real, name=name: percent(
                               device.value(name, "fraction_of_cache", real=real)))]
            rows.append(row)
    table = section.table(["rays, gases, tables", "JURASSIC-GPU, double", "parhelion, double", "ratio",
                           "parhelion, float", "of first cache: float, double"], rows)
    return section.text(table)


def monte_carlo(devices, host, peers):
    section, device, peer = Section(), devices[0], peers["monte_carlo"]
    rows = []
    for n, rays, repetitions, directions, words, real in (
            (64, 6000, 4, 2, "tiles (the default)", "float"), (64, 6000, 4, 2, "tiles", "double"),
            (64, 6000, 4, 1, "shared", "float"), (64, 6000, 4, 0, "independent", "float"),
            (128, 1024, 8, 2, "tiles", "float")):
        name = MONTE_CARLO.format(n=n, rays=rays, repetitions=repetitions, directions=directions)

        def figure(key, factor=1, name=name, real=real):
            return scaled(device.value(name, key, real=real), factor)

        errors = [figure(f"{what}error_percent") for what in ("", "plane_", "box_")]
        rows.append([f"{n}^3, {rays}, {repetitions}, {words}, {real}", digits(figure("seconds", 1e3)),
                     digits(figure("setup_s", 1e3)), digits(figure("set_temperature_s", 1e3), 2),
                     digits(figure("crossings/s", 1e-9)), percent(figure("fraction_of_peak")),
                     None if None in errors else ", ".join(f"{digits(error, 2)} %" for error in errors)])
    table = section.table(["cells, rays, repetitions, directions", "ms", "preparation, ms", "new temperature, ms",
                           "10^9 crossings/s", "of arithmetic", "error of cells, planes, box"], rows)
    tiles = device.value(MONTE_CARLO.format(n=64, rays=6000, repetitions=4, directions=2), "seconds", real="float")
    compared = section.sentence(
        "the comparison with the original", [tiles],
        lambda: f"{peer['program']}, takes {peer['seconds']} s for 64^3 cells and 6000 rays, "
                f"{ratio(peer['seconds'], tiles)} times as long as tiles, with a scatter of cells of "
                f"{percent(peer['scatter'] / peer['largest_source'])} ({peer['machine']}).")
    return section.text(table, compared)


SECTIONS = {function.__name__: function for function in (machines, headlines, fluxes, clear_sky, scattering, spectra,
                                                             monte_carlo)}


def plots(images):
    """The pictures of growth that are there."""
    names = {"longwave": "Longwave", "shortwave": "Shortwave", "k_distributions": "k-distributions"}
    return wrapped(" ".join(f"![{title}](images/{name}_growth.png)" for name, title in names.items()
                            if os.path.exists(os.path.join(images, f"{name}_growth.png"))))


def page(template, devices, host, peers, images):
    """The text, in lines of the usual width, with each `{{section}}` replaced by what that section says, and
    `{{plots}}` by the pictures of a folder."""

    def replace(found):
        if found[1] == "plots":
            return plots(images)
        if found[1] not in SECTIONS:
            raise ReportError(f"performance_page.md: no section {found[1]}, expected one of {', '.join(SECTIONS)}")
        return SECTIONS[found[1]](devices, host, peers)

    blocks = []
    for block in template.strip().split("\n\n"):
        is_prose = block[0] not in "#|!-{ "
        blocks.append(wrapped(block.replace("\n", " ")) if is_prose else re.sub(r"\{\{(\w+)\}\}", replace, block))
    text = "\n\n".join(filter(None, blocks)) + "\n"
    lines = text.count("\n")
    if lines > MOST_LINES:
        raise ReportError(f"the page has {lines} lines, expected at most {MOST_LINES}")
    return text


def readme(text, devices):
    """README.md with its table of speeds replaced."""
    before, begin, rest = text.partition(README_BEGIN)
    _, end, after = rest.partition(README_END)
    if not begin or not end:
        raise ReportError(f"README.md: expected {README_BEGIN.strip()} and {README_END.strip()}")
    device, section = devices[0], Section()
    rows = []
    for label, unit, name, key, factor, _ in headline_rows():
        cells = [digits(scaled(device.value(name, key, real=real), factor)) for real in REALS]
        rows.append([label, *(f"{cell} {unit}" if cell else None for cell in cells)])
    table = section.table([f"on one {device.machine}", "float", "double"], rows)
    said = wrapped(f"Measured at revision {device.revision}, on arrays on the device unless host arrays are named, "
                   f"with {threads_of_host(device)} of the host. Comparisons with other programs and the commands that "
                   "repeat these figures: [performance](docs/performance.md).")
    return f"{before}{README_BEGIN}\n{table}\n\n{said}\n\n{README_END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=os.path.dirname(HERE), help="of the source tree")
    arguments = parser.parse_args()
    perf = os.path.join(arguments.root, "perf")

    def read(*names):
        with open(os.path.join(*names), encoding="utf-8") as file:
            return file.read()

    try:
        settings = json.loads(read(perf, "performance_page.json"))
        results = os.path.join(perf, "results")
        devices = [reports_of(results, each) for each in settings["devices"]]
        host = reports_of(results, settings["host"])
        if not host.one_thread:
            raise ReportError(f"{settings['host']['folder']}: reports of several threads, expected of one")
        new = {"docs/performance.md": page(read(perf, "performance_page.md"), devices, host, settings["peers"],
                                             os.path.join(arguments.root, "docs", "images")),
               "README.md": readme(read(arguments.root, "README.md"), devices)}
    except (ReportError, KeyError, OSError) as error:
        sys.exit(f"performance_page.py: {error!r}" if isinstance(error, KeyError) else f"performance_page.py: {error}")
    different = 0
    for name, text in new.items():
        path = os.path.join(arguments.root, name)
        old = read(path) if os.path.exists(path) else ""
        if old == text:
            continue
        different += 1
        if arguments.check:
            sys.stderr.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), name,
                                                       f"{name} of the reports"))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{name}: written")
    if arguments.check and different:
        sys.exit("performance_page.py: run perf/performance_page.py")


if __name__ == "__main__":
    main()
