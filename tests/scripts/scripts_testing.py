# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the shell scripts share: a server of files, and get-data.sh with sums of the test's own files."""
import contextlib
import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import sys
import threading

SCRIPTS = pathlib.Path(os.environ["PARHELION_SCRIPTS"])
COEFFICIENTS = "RRTMG_LW_DATA.DBL"
SHORTWAVE = "RRTMG_SW_DATA.DBL"
RFMIP = "rfmip_atmospheres.nc"
# Where the files are on the server; that these are their public homes is what scripts.get_data cannot see from here.
PATHS = {
    COEFFICIENTS: "MPAS-Dev/MPAS-Data/33561790de8b43087ab850be833f51a4e605f1bb/atmosphere/physics_wrf/files/"
                  "RRTMG_LW_DATA.DBL",
    SHORTWAVE: "MPAS-Dev/MPAS-Data/33561790de8b43087ab850be833f51a4e605f1bb/atmosphere/physics_wrf/files/"
               "RRTMG_SW_DATA.DBL",
    RFMIP: "earth-system-radiation/rrtmgp-data/eff0433faf9cbac3ad14fbf608bef0c26ebc4c79/examples/rfmip-clear-sky/inputs/"
           "multiple_input4MIPs_radiation_RFMIP_UColorado-RFMIP-1-2_none.nc"}


def skip_without(*programs):
    """Ends this test as skipped where a program is missing."""
    for program in programs:
        if shutil.which(program) is None:
            print(f"skipped: there is no {program}")
            sys.exit(77)


def copy_get_data(target, contents):
    """A copy of get-data.sh that expects these contents, {name: bytes}."""
    text = (SCRIPTS / "get-data.sh").read_text(encoding="utf-8")
    for name, content in contents.items():
        text, count = re.subn(rf"(get {re.escape(name)}) [0-9a-f]{{64}}", rf"\1 {hashlib.sha256(content).hexdigest()}", text)
        assert count == 1, name
    target.write_text(text, encoding="utf-8")
    target.chmod(0o755)


def put(root, contents):
    """Lays the files out as their homes do."""
    for name, content in contents.items():
        path = root / PATHS[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass


@contextlib.contextmanager
def server(root):
    """Serves a folder on 127.0.0.1; gives the address and the list of paths that were asked for."""
    asked = []

    class Handler(Quiet):
        def do_GET(self):
            asked.append(self.path.lstrip("/"))
            super().do_GET()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=root)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}", asked
        running.shutdown()


def environment(home, mirror=None, **more):
    """That of a user who has set nothing, with a home of the test's own."""
    ours = {key: value for key, value in os.environ.items()
            if not key.lower().endswith("_proxy") and key not in ("XDG_DATA_HOME", "PARHELION_DATA", "PARHELION_DATA_MIRROR")}
    ours.update(HOME=str(home), PARHELION_TEST_DATA="/nonexistent", **more)
    if mirror:
        ours["PARHELION_DATA_MIRROR"] = mirror
    return ours
