# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command and says what is wrong with what it did: nothing, where it succeeded or refused as it should."""
import hashlib
import os
import pickle
import re
import resource
import signal
import stat
import subprocess
import sys

import h5py
import numpy as np

STEFAN_BOLTZMANN = 5.670374e-8  # [W m-2 K-4]
# Words that only those who wrote the program know: an error of the library, of Kokkos or of HDF5 that reached the user.
INSIDE = re.compile(r"bad_alloc|max_size|vector::|length_error|out_of_range\b.*::|basic_string|stoi|stod|std::|terminate|"
                    r"Kokkos::|kokkos|_M_|bad_variant|bad_optional|filesystem error|regex_error|mdspan|Traceback|"
                    r"Assertion|runtime error:|AddressSanitizer|LeakSanitizer|what\(\):|unordered_map|bad_function_call|"
                    r"recursive_directory|cannot create std|invalid argument: |H5[A-Z]\w+\(|compute_\w+:|check:|"
                    r"stretched_faces|basic_format")
LOUD = re.compile(r"runtime error:|AddressSanitizer|LeakSanitizer|terminate called|Traceback|Kokkos::|HDF5-DIAG")
# What `ega` says before it computes.
NEWS = re.compile(r"^[^\n]*: not used: |^[0-9.]+ [kMGT]?B on the device: |^parhelion: warning: ")
NOT_NEGATIVE = re.compile(r"^(flux_(up|dn)(_clear|_band)?|rl[ud](_clear)?|rad_up|full_(up|dn)|radiance|transmittance|"
                          r"brightness_temperature|incident_radiation|.*_error)$")


class Outcome:
    def __init__(self, code, out, err, timed_out):
        self.code, self.out, self.err, self.timed_out = code, out, err, timed_out


def run(arguments, folder, timeout, memory, environment=None, streams=""):
    """Runs a command in a folder; `memory` is the limit of its address space in bytes, 0 for none."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        closed = {"stdout closed": (1,), "stderr closed": (2,), "stdin closed": (0,), "all closed": (0, 1, 2)}
        for descriptor in closed.get(streams, ()):
            os.close(descriptor)

    def opened(which):
        return open("/dev/full", "wb") if streams == which + " full" else subprocess.PIPE

    variables = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false"}
    for name in ("PARHELION_DATA", "KOKKOS_NUM_THREADS"):
        variables.pop(name, None)
    variables.update(environment or {})
    process = subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=opened("stdout"),
                               stderr=opened("stderr"), env=variables, preexec_fn=limits, start_new_session=True)
    timed_out = False
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Outcome(process.returncode, out or b"", err or b"", timed_out)


class Lost(Exception):
    """A call that ended its process or did not end."""


def in_a_child(seconds, work, *arguments):
    """What a function returns that reads or changes files which may be damaged: they end HDF5, or keep it for ever."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            os.close(reading)
            try:
                answer = (work(*arguments), None)
            except Exception as error:
                answer = (None, f"{type(error).__name__}: {error}")
            with os.fdopen(writing, "wb") as to:
                to.write(pickle.dumps(answer))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answered:
        answer = answered.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0 or not answer:
        raise Lost(f"signal {-status}")
    value, error = pickle.loads(answer)
    if error:
        raise RuntimeError(error)
    return value


def snapshot(folder):
    """What is in a folder: kind and content of everything."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            about = os.lstat(path)
            content = ""
            if stat.S_ISREG(about.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.md5(file.read()).hexdigest()
            elif stat.S_ISLNK(about.st_mode):
                content = os.readlink(path)
            found[os.path.relpath(path, folder)] = (stat.S_IFMT(about.st_mode), content)
    return found


# --- messages ----------------------------------------------------------------------------------------------------


def message_problem(outcome):
    """What is wrong with the message of a refusal."""
    text = outcome.err.decode("utf-8", "replace")
    lines = text.split("\n")
    if lines[-1] != "":
        return "message without an end of line"
    lines = [line for line in lines[:-1] if not NEWS.match(line)]
    expected = 2 if outcome.code == 2 else 1
    if len(lines) != expected:
        return f"{len(lines)} lines on standard error, expected {expected}"
    if not lines[0].startswith("parhelion: "):
        return "message does not begin with 'parhelion: '"
    if outcome.code == 2 and not lines[1].startswith("Try "):
        return "second line does not begin with 'Try '"
    if found := INSIDE.search(lines[0].replace("--kokkos", "")):
        return f"message of the inside: {found.group(0)}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", lines[0]):
        return "control characters in the message"
    if re.search(r"\d{60}", lines[0]) and not re.search(r"1{60}", lines[0]):
        return "a number of 60 digits in the message"
    if len(lines[0]) > 2000:
        return "message of more than 2000 characters"
    if lines[0].rstrip().endswith(":"):
        return "message without an end"
    return None


# --- results -----------------------------------------------------------------------------------------------------


HOTTEST = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], 'r') as file:
    names = ('tlay', 'tlev', 'tsfc', 'temp_layer', 'temp_level', 'surface_temperature')
    print(max(float(np.max(file[name][()])) for name in names if name in file))
"""


def most_flux(path, found):
    """Whether a flux is more than what is hottest in an atmosphere can emit [W m-2]."""
    if found < STEFAN_BOLTZMANN * 320**4:  # hotter than any atmosphere that was not spoiled
        return False
    # A damaged file might end h5py: elsewhere then.
    outcome = run([sys.executable, "-c", HOTTEST, str(path)], path.parent, 60, 0)
    return outcome.code == 0 and found > 1.02 * STEFAN_BOLTZMANN * float(outcome.out)**4


def planck(wavenumber, temperature):
    """Radiance of a black body [W m-2 sr-1 (cm-1)-1]."""
    with np.errstate(all="ignore"):
        return 1.19104259e-8 * wavenumber**3 / np.expm1(1.43877506 * wavenumber / temperature)


def hottest_of_case(folder, command):
    """The highest temperature of an atmosphere for rays [K]; 0 where radiances may be larger than it emits."""
    control = (folder / command[command.index("--control") + 1]).read_text("utf-8", "replace").upper()
    if re.search(r"FOV|SFTYPE\s*=\s*3|WRITE_BBT\s*=\s*1|\r", control):
        return 0
    most = 0.0
    for line in (folder / command[command.index("--atmosphere") + 1]).read_text("utf-8-sig", "replace").splitlines():
        try:
            row = [float(word) for word in line.split("#")[0].split()]
        except ValueError:  # a number that the program takes and Python does not
            return 0
        most = max([most] + row[5:6] + (row[11:12] if len(row) == 14 else []))
    return most


def least_of(name, values):
    """What may be left below zero: rounding, where a field of view adds up radiances and lines drawn on from them."""
    return -1e-9 * np.max(np.abs(values), initial=0) if name in ("radiance", "transmittance") else 0


def hdf5_problem(path, atmosphere=None, most_temperature=0):
    """What is wrong with a result in HDF5."""
    problems = []

    def look(name, thing):
        for key, value in thing.attrs.items():
            values = [value] if isinstance(value, (bytes, str)) else np.asarray(value).reshape(-1)
            for each in values:
                if isinstance(each, bytes):
                    each.decode("utf-8")
                elif isinstance(each, str):
                    each.encode("utf-8")
        if not isinstance(thing, h5py.Dataset) or thing.shape is None:
            return
        if h5py.check_string_dtype(thing.dtype):
            for each in np.asarray(thing[()]).reshape(-1):
                (each if isinstance(each, bytes) else each.encode("utf-8")).decode("utf-8")
            return
        if thing.dtype.kind not in "iuf" or str(thing.attrs.get("NAME", b"")).count("This is a netCDF dimension"):
            return
        values = thing[()]
        short = name.split("/")[-1]
        parent = name.split("/")[0]
        masked = b"NaN: " in np.bytes_(thing.attrs.get("comment", b""))  # which says when it may be
        if not np.all(np.isfinite(values) | (masked & np.isnan(values))):
            problems.append(f"{name} is not finite")
        elif NOT_NEGATIVE.match(short) and parent != "ad_out" and np.any(values < least_of(short, values)):
            problems.append(f"{name} is negative")
        elif short == "transmittance" and np.any(values > 1 + 1e-6):
            problems.append(f"{name} is above 1")
        elif atmosphere and re.match(r"^(flux_(up|dn)(_clear)?|rl[ud])$", short) and most_flux(atmosphere, np.max(values)):
            problems.append(f"{name} is more than a black body emits")
        elif name == "radiance" and most_temperature and np.any(
                values > 1.02 * planck(thing.file["wavenumber"][()], most_temperature)):
            problems.append(f"{name} is more than a black body emits")
        elif name.split("/")[-1] in ("lat", "latitude") and np.any(np.abs(values) > 90):
            problems.append(f"{name} is no latitude")

    try:
        with h5py.File(path, "r") as file:
            look("/", file)
            file.visititems(look)
    except UnicodeDecodeError:
        return "text that is not UTF-8 in the result"
    except UnicodeEncodeError:
        return "text that is not UTF-8 in the result"
    except Exception as error:
        return f"the result cannot be read: {type(error).__name__} {str(error)[:80]}"
    return problems[0] if problems else None


def text_problem(path, masked):
    """What is wrong with a result in text."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return "text that is not UTF-8 in the result"
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    if not words:
        return "result without numbers"
    if any("inf" == word.lower().lstrip("-") for word in words):
        return "infinite numbers in the result"
    if not masked and any("nan" == word.lower().lstrip("-") for word in words):
        return "NaN in the result"
    if path.name == "rad.tab":  # ten columns of places, radiances and transmittances of channels
        rows = np.array([[float(word) for word in line.split()] for line in text.splitlines()
                         if line.strip() and not line.startswith("#")])
        channels = (rows.shape[1] - 10) // 2
        if np.any(rows[:, 10:] < 0):
            return "negative numbers in the result"
        if np.any(rows[:, 10 + channels:] > 1 + 1e-5):
            return "transmittances above 1"
    return None


def result_problem(path, folder, command):
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith(b"\x89HDF"):
        atmosphere = None
        if command[0] == "fluxes" and not {"extrapolate", "clip", "--clip"} & set(command):
            atmosphere = next((folder / word for word in command[1:2] if (folder / str(word)).is_file()), None)
        hot = hottest_of_case(folder, command) if command[0] == "ega" and "extrapolate" not in command else 0
        try:
            return in_a_child(60, hdf5_problem, path, atmosphere, hot)
        except Lost as lost:
            return f"the result cannot be read: {lost}"
    if "tables" in command[:1]:
        return None  # read again by the case that converts
    if not head:
        return "the result is empty"
    masked = any("nan" in each.read_text("utf-8", "replace").lower() for each in folder.glob("*.tab") if each != path)
    return text_problem(path, masked)


def problem_of(outcome, before, after, folder, command, streams=""):
    """What is wrong with a run; nothing where it succeeded or refused as it should."""
    asked = set(command)
    # Options of Kokkos may come before the subcommand.
    command = [word for word in command if not os.fsdecode(word).startswith("--kokkos-")] or command
    if outcome.timed_out:
        return "time-out"
    code = outcome.code
    if code < 0:
        return f"signal {-code} ({signal.Signals(-code).name})"
    text = outcome.err.decode("utf-8", "replace")
    if found := LOUD.search(text):
        lines = [line for line in text.split("\n") if LOUD.search(line) or "ERROR:" in line]
        return f"{found.group(0)} {re.sub('0x[0-9a-f]+|==[0-9]+==', '', lines[0])[:120]}"
    allowed = {0, 1, 2}
    if command[0] == "monte-carlo":
        allowed |= {3, 4}
    if command[0] == "retrieve":
        allowed |= {3}
    if code not in allowed:
        return f"exit status {code}"
    changed = sorted(name for name in set(before) | set(after) if before.get(name) != after.get(name))
    if code in (1, 2):
        if changed and "full" not in streams and "closed" not in streams:
            return f"files left or changed by a refusal: {' '.join(re.sub('[0-9]+', 'N', each) for each in changed)}"
        if "stderr" in streams or "all" in streams:
            return None
        return message_problem(outcome)
    if code == 0 and streams == "stdout full" and "--quiet" not in command:
        return "success although standard output is full"
    temporary = [name for name in changed if ".tmp" in name or "/.parhelion" in "/" + name]
    if temporary:
        return "temporary files left"
    removed = [name for name in changed if name not in after]
    if removed:
        return f"files removed: {' '.join(removed)}"
    overwritten = [name for name in changed if name in before and before[name][0] != stat.S_IFLNK]
    written = [os.fsdecode(word) for word in command]
    for name in overwritten:
        # A file that was there may be written only where it is named as an output.
        places = [n for n, word in enumerate(written) if os.path.normpath(word) == name]
        if not places or not all(written[n - 1] in ("-o", "--output", "--kernel", "--los", "--checkpoint")
                                 for n in places):
            return f"an input was changed: {name}"
    # Flags of one letter may be joined: -help is -h and more.
    helps = {"--help", "--version", "--kokkos-help", "help"} & asked or any(word.startswith("-h") for word in written)
    if code == 0 and not helps:
        dry = "--dry-run" in command
        if dry and changed:
            return f"files written by a dry run: {' '.join(changed)}"
        named = [written[n + 1] for n, word in enumerate(written[:-1]) if word in ("-o", "--output", "--kernel", "--los")]
        if not dry and not all((folder / name).exists() for name in named):
            return "success without the result"
    # The list of a file's tables holds names of gases, which may be any.
    summary = outcome.out.decode("utf-8", "replace") if command[:2] != ["tables", "info"] else ""
    if re.search(r"(?<![\w.])-?(nan|inf)(?![\w.])", summary):
        return "nan or inf in the summary"
    for name in changed:
        path = folder / name
        if not path.is_file():
            continue
        if path.is_symlink():
            return "an output became a link"
        if problem := result_problem(path, folder, command):
            return problem
    for line in text.split("\n"):
        if line and not NEWS.match(line) and code == 0:
            return "success with words on standard error"
    return None


# Reads all that it can of a file, as the program might.
LOOK = """
import sys, h5py
def look(group, depth):
    for name in group:
        try:
            thing = group[name]
            dict(thing.attrs)
            if isinstance(thing, h5py.Group) and depth < 4: look(thing, depth + 1)
            if isinstance(thing, h5py.Dataset) and thing.size and thing.size < 10**7: thing[()]
        except Exception: pass
try:
    with h5py.File(sys.argv[1], 'r') as file:
        for key in file.attrs:
            try: file.attrs[key]
            except Exception: pass
        look(file, 0)
except Exception: pass
"""


def shared_with_hdf5(files, timeout, memory):
    """Whether HDF5 itself cannot bear one of the files: h5py or ncdump crash or hang on it, too."""
    for path in files:
        for command in ([sys.executable, "-c", LOOK, str(path)], ["ncdump", str(path)]):
            try:
                outcome = run(command, path.parent, timeout, memory)
            except FileNotFoundError:
                continue
            if outcome.timed_out or outcome.code < 0:
                return True
    return False
