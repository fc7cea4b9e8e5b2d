# SPDX-License-Identifier: BSD-3-Clause
"""Changes that spoil a command line: options, values, paths, the environment and where output goes."""
import os

# Options of a subcommand, with values that are good. None: a flag. "path": a file is read, "out": one is written.
EVERYWHERE = {"--real": ("float", "double"), "--space": ("OpenMP", "openmp", "Serial", "Cuda"), "--quiet": None,
              "--help": None, "--threads": ("1", "2"), "--device": ("0",), "--dry-run": None}
OPTIONS = {
    "fluxes": {"--output": "out", "--gas-optics": ("rrtmg", "rrtmgp", "ecckd", "simple"), "--coefficients": "path",
               "--transmittance": ("exact", "table"), "--experiment": ("all", "1", "2"), "--derivative": None,
               "--bands": None, "--overlap": ("random", "maximum-random", "maximum", "exponential"),
               "--seed": ("0", "18446744073709551615"), "--decorrelation-length": ("2000", "latitude"),
               "--day": ("1", "366"), "--ice-optics": ("fu", "streamer"), "--liquid-optics": ("hu-stamnes",),
               "--clip": None, "--extra-layer": None, "--chunk": ("1", "2", "1000000"), "--devices": ("0", "1"),
               "--out-of-range": ("refuse", "clip", "extrapolate"), "--cloud-optics": "path",
               "--aerosol-optics": "path", "--angles": ("1", "4", "optimal"),
               "--scattering": ("none", "rescaling", "two-stream"), "--ice-roughness": ("1", "3"),
               "--droplet-scattering": "path", "--ice-scattering": "path", "--cloud-averaging": ("thick", "thin"),
               "--level-temperatures": ("file", "interpolate"), "--albedo": ("0", "0.15"), "--mu0": ("0.5", "-1")},
    "adding": {"--output": "out", "--group": ("all", "a", "b"), "--strategy": ("auto", "sweep", "team-scan"),
               "--levels": None, "--tangent": None, "--adjoint": None, "--chunk": ("1", "2", "1000000")},
    "ega": {"--control": "path", "--atmosphere": "path", "--observation": "path", "--output": "out", "--kernel": "out",
            "--jacobian": ("differences", "analytic"), "--los": "out", "--los-ray": ("0", "1"), "--tables": "path",
            "--continua": "path", "--table-slopes": ("double", "float"), "--allow-missing-tables": None,
            "--digits": ("1", "6", "17"), "--memory": ("1", "0.001"), "--chunk": ("1", "1000000"),
            "--out-of-range": ("refuse", "clip", "extrapolate")},
    "retrieve": {"--control": "path", "--atmosphere": "path", "--observation": "path", "--output": "out",
                 "--noise": ("1", "0.1", "path"), "--prior-error": ("temperature=5,10", "H2O=50%,5"), "--tables": "path",
                 "--continua": "path", "--iterations": ("1", "5"), "--out-of-range": ("refuse", "clip")},
    "tables": {"--to": ("text", "scatter", "reference", "hdf5"), "--gas": ("CO2", "X"), "--wavenumber": ("792",),
               "--control": "path", "--base": "path", "--gases": ("CO2", "CO2,H2O"), "--channels": ("792", "792,2350"),
               "--tables": "path", "--allow-missing-tables": None, "--output": "out"},
    "monte-carlo": {"--case": ("case02",), "--output": "out", "--spectrum": ("grey:1", "wsgg"), "--cells": ("2", "2,3,4"),
                    "--stretch": ("0", "2"), "--rays": ("8", "16"), "--repetitions": ("2", "4"),
                    "--target-error": ("50",), "--seed": ("0", "5"), "--sampling": ("random", "sobol"),
                    "--directions": ("shared", "tiles"), "--order": ("table", "hilbert"), "--launch": ("centre",),
                    "--reconstruction": ("constant",), "--grids": ("0", "1", "12"), "--coarse": ("mean",),
                    "--steps": ("1", "3"), "--absorbed": ("0.5", "0.5,0.4"), "--absorbed-by": ("planck", "band"),
                    "--tolerance": ("0.001",), "--no-walls": None, "--checkpoint": "out", "--resume": "path",
                    "--devices": ("0", "1")},
}
VALUES = ("", " ", "0", "-1", "-0", "+5", " 5", "5 ", "0x10", "1e3", "1.5", "nan", "inf", "-inf", "1e400", "1e-400",
          "99999999999999999999", "2147483648", "-2147483649", "abc", "a b", "'", '"', "$HOME", "%s", "{}", "{:d}", "--",
          "-", "-x", "--quiet", ",", "1,", ",1", "1,2", "1,2,3,4", "٣", "é", b"\xff\xfe", "line\nbreak", "\x1b[31mred",
          "x" * 5000, "/", ".", "..", "all", "ALL", "All", "true", "\u202e", "1" * 400, "in.nc", "wsgg", "grey:",
          "grey:-1", "grey:nan", "grey:1e400", "grey:abc", "grey:1 ", "1,-1,1", "0,0,0", "1048577")
# What would be right, and would take for ever.
LONG = {"--rays": ("2147483648",), "--repetitions": ("2147483648",), "--cells": ("1048577",)}
PATHS = ("no_such_file", "no/such/folder/file", ".", "..", "/", "/dev/null", "/dev/zero", "/dev/full", "/dev/stdin",
         "folder", "fifo", "loop", "link", "dangling", "hard", "", " ", "-", "x" * 300, "line\nbreak", "caf\u00e9",
         b"\xff\xfe", "a b", "empty", "/proc/self/mem", "/proc/self/environ", "in.nc/", "./folder/../in.nc", "tab\there")
KOKKOS = ("--kokkos-num-threads=1", "--kokkos-num-threads=0", "--kokkos-num-threads=-1", "--kokkos-num-threads=x",
          "--kokkos-num-threads", "--kokkos-num-threads=", "--kokkos-num-threads=100000", "--kokkos-device-id=x",
          "--kokkos-device-id=0", "--kokkos-device-id=99", "--kokkos-help", "--kokkos-nonsense", "--kokkos-",
          "--kokkos-print-configuration", "--kokkos-tune-internals", "--kokkos-tools-libs=none.so",
          "--kokkos-map-device-id-by=x", "--kokkos-map-device-id-by=mpi_rank", "--kokkos-disable-warnings=x")
ENVIRONMENT = (("KOKKOS_NUM_THREADS", ("x", "0", "-1", "", "100000", "1")), ("KOKKOS_DEVICE_ID", ("x", "99", "0", "")),
               ("KOKKOS_DISABLE_WARNINGS", ("x", "", "0")), ("KOKKOS_PRINT_CONFIGURATION", ("1", "x")),
               ("KOKKOS_MAP_DEVICE_ID_BY", ("x", "random")), ("KOKKOS_TOOLS_LIBS", ("none.so",)),
               ("PARHELION_DATA", ("", ":", "no_such_folder", "folder", "in.nc", "::.:", "/dev/null", "fifo")),
               ("XDG_DATA_HOME", ("", "no_such_folder", "folder")), ("HOME", ("", "no_such_folder")),
               ("TMPDIR", ("no_such_folder",)), ("LC_ALL", ("C", "de_DE.UTF-8", "nonsense")), ("TERM", ("", "dumb")))


def make_surroundings(folder):
    """Files that are not what a path should lead to."""
    os.mkdir(folder / "folder")
    os.mkfifo(folder / "fifo")
    os.symlink("loop", folder / "loop")
    os.symlink("nowhere", folder / "dangling")
    (folder / "empty").write_bytes(b"")


def change_command(seed, command, how, folder, rng):
    """Spoils the list `command` and `how` it is run, in place."""
    subcommand = seed.command[0]
    known = {**EVERYWHERE, **OPTIONS.get(subcommand, {})}
    if "tables" in seed.command[:1]:
        known.pop("--real"), known.pop("--space")
    kind = rng.choice(("option", "option", "option", "option", "bad value", "bad value", "bad value", "bad value",
                       "empty value", "twice", "no value", "unknown", "removed", "input path", "input path",
                       "output path", "output path", "output is input", "word", "kokkos", "kokkos", "environment",
                       "environment", "streams", "subcommand", "shuffled"))
    option = rng.choice(sorted(known))
    good = known[option]

    def a_path(inputs):
        word = rng.choice(PATHS)
        if word in ("link", "hard") and inputs:
            target = rng.choice(inputs)
            if not (folder / word).exists():
                os.symlink(target, folder / word) if word == "link" else os.link(folder / target, folder / word)
        return word

    inputs = sorted(seed.targets) or ["empty"]
    if kind == "option":
        value = [] if good is None else [a_path(inputs) if isinstance(good, str) else rng.choice(good)]
        if value == ["fifo"] and good == "path":
            value = ["empty"]
        command += [option] + value
        return f"with {option} {value}"
    if kind in ("bad value", "empty value", "no value"):
        if good is None:
            return None
        value = "" if kind == "empty value" else rng.choice(LONG.get(option, VALUES))
        if option in LONG and kind == "bad value" and rng.random() < 0.7:
            value = rng.choice(("", "0", "-1", "nan", "inf", "abc", "1e400", "99999999999999999999", b"\xff", "1,2"))
        if option in command:
            at = command.index(option)
            del command[at:at + 2]
        if kind == "no value":
            command.append(option)
        elif rng.random() < 0.5:
            command += [option, value]
        else:
            command.append(option.encode() + b"=" + (value if isinstance(value, bytes) else value.encode()))
        return f"{kind}: {option} {value[:40]!r}"
    if kind == "twice":
        value = [] if good is None else [rng.choice(good) if not isinstance(good, str) else rng.choice(inputs)]
        command += [option] + value + [option] + value
        return f"{option} twice"
    if kind == "unknown":
        command.append(rng.choice(("--nonsense", "-z", "--out", "--quie", "--quiet=maybe", "--", "-", "--=", "-o=", "-o",
                                   "--real=", option + "x", option.upper(), option[1:], "@file", "--no-quiet")))
        return f"unknown {command[-1]}"
    if kind == "removed":
        del command[rng.randrange(len(command))]
        return "a word removed"
    if kind == "input path":
        places = [n for n, word in enumerate(command) if word in seed.targets or word in
                  ("case.ctl", "atm.tab", "obs.tab", "continua", "box", "in.h5")]
        if not places:
            return None
        at = rng.choice(places)
        is_hdf5 = seed.targets.get(command[at]) == "hdf5"
        command[at] = a_path(inputs)
        if command[at] == "fifo" and not is_hdf5:
            command[at] = "empty"  # what is read from begin to end may wait for a writer
        return f"word {at} is {command[at][:40]!r}"
    if kind in ("output path", "output is input"):
        places = [n for n, word in enumerate(command) if word in seed.outputs]
        if not places:
            return None
        at = rng.choice(places)
        command[at] = a_path(inputs) if kind == "output path" else rng.choice(inputs)
        return f"output is {command[at][:40]!r}"
    if kind == "word":
        command.insert(rng.randrange(len(command) + 1), rng.choice(VALUES))
        return "a word more"
    if kind == "kokkos":
        command.insert(rng.randrange(len(command) + 1), rng.choice(KOKKOS))
        return "an option of Kokkos"
    if kind == "environment":
        name, values = rng.choice(ENVIRONMENT)
        how["environment"][name] = value = rng.choice(values)
        return f"{name}={value}"
    if kind == "streams":
        how["streams"] = which = rng.choice(("stdout full", "stdout closed", "stderr closed", "stdin closed",
                                             "stderr full", "all closed"))
        if "--quiet" in command and rng.random() < 0.7:
            command.remove("--quiet")
        return which
    if kind == "subcommand":
        command[0] = rng.choice(("", "flux", "help", "FLUXES", "ega", "adding", "tables", "monte-carlo", "fluxes", "--help",
                                 "--version", "monte_carlo", "retrieve", "\u00e9", b"\xff", "line\nbreak", "-h"))
        return f"subcommand {command[0]}"
    if kind == "shuffled":
        rest = command[1:]
        rng.shuffle(rest)
        command[1:] = rest
        return "shuffled"
    return None
