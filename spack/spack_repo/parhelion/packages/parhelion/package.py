# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *

# What the user says of the source of a release, until there is a public address.
SOURCE = os.environ.get("PARHELION_SPACK_SOURCE", f"file://{os.getcwd()}/parhelion-0.1.0.tar.gz")
CHECKSUM = os.environ.get("PARHELION_SPACK_SHA256", "")


class Parhelion(CMakePackage, CudaPackage, ROCmPackage):
    """Performance-portable radiative transfer in participating media."""

    url = SOURCE  # PUBLIC ADDRESS: that of the releases comes here, and then manual_download goes
    # The checkout that the recipe lies in, for the version main; a copy of the recipe has none.
    git = str(pathlib.Path(__file__).resolve().parents[5])
    manual_download = True

    license("BSD-3-Clause")
    test_requires_compiler = True

    version("main", branch="main")
    # Without a checksum Spack wants --no-checksum.
    version("0.1.0", **({"sha256": CHECKSUM} if CHECKSUM else {}))

    variant("openmp", default=True, description="Run on the host's cores with OpenMP")
    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=False, description="Share the work of the program among processes")
    variant("fortran", default=False, description="Fortran module, drop-ins for RRTMG_LW and RRTMG_SW")
    variant("python", default=False, description="Python module")
    variant("netcdf", default=True, description="Read netCDF-3 files: AER's rrtmg_lw.nc and ecCKD's definitions")
    variant("tests", default=False, description="Build the tests and benchmarks")

    conflicts("+cuda", when="+rocm", msg="Kokkos builds for one kind of GPU at a time")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU, for example cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm", msg="name the GPU, for example amdgpu_target=gfx90a")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type=("build", "test"))
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")  # makes the manual page

    # Threads of a host program each have an instance of Serial.
    depends_on("kokkos@4.6: +serial cxxstd=20")
    depends_on("kokkos-kernels@4.6: +serial")
    for backend in ("openmp", "cuda"):
        depends_on(f"kokkos+{backend}", when=f"+{backend}")
        depends_on(f"kokkos~{backend}", when=f"~{backend}")
        depends_on(f"kokkos-kernels+{backend}", when=f"+{backend}")
        depends_on(f"kokkos-kernels~{backend}", when=f"~{backend}")
    for arch in CudaPackage.cuda_arch_values:
        with when(f"+cuda cuda_arch={arch}"):
            depends_on(f"kokkos cuda_arch={arch}")
            depends_on(f"kokkos-kernels cuda_arch={arch}")
    # Kokkos Kernels has no variants of ROCm: it takes them from Kokkos.
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    depends_on("kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    depends_on("kokkos+wrapper", when="+cuda %gcc")
    # The C interface is a shared library, whatever the others are.
    depends_on("kokkos+pic", when="^kokkos~shared")

    depends_on("hdf5@1.10: +hl")
    depends_on("hdf5+mpi", when="+mpi")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("mpi", when="+mpi")
    depends_on("eigen@3.3:", type="build")
    depends_on("random123@1.13:")
    depends_on("fmt@9:")
    depends_on("cli11@2:")
    with when("+netcdf"):
        depends_on("netcdf-c")
        depends_on("netcdf-c+mpi", when="+mpi")
        depends_on("netcdf-c~mpi", when="~mpi")
    with when("+python"):
        extends("python")
        depends_on("python@3.9:", type=("build", "link", "run"))
        depends_on("py-pybind11", type="build")
        depends_on("py-numpy", type=("build", "run"))
    with when("+tests"):
        depends_on("googletest@1.12:")
        depends_on("benchmark@1.7:")
        depends_on("py-h5py", type=("build", "test"))

    @property
    def download_instr(self):
        return (
            "parhelion has no public address yet. Name the archive of a release in the environment, "
            "PARHELION_SPACK_SOURCE=file:///path/to/parhelion-0.1.0.tar.gz (and its checksum, PARHELION_SPACK_SHA256), "
            "put it into the working folder or a mirror of Spack's, or build a checkout: "
            "spack develop --path /path/to/checkout parhelion@main"
        )

    def setup_build_environment(self, env):
        # A cache of the host's compiler is none of Spack's.
        env.set("CCACHE_DISABLE", "1")

    def cmake_args(self):
        spec = self.spec
        devices = {"openmp": "OPENMP", "cuda": "CUDA", "rocm": "HIP"}
        required = ["SERIAL"] + [device for name, device in devices.items() if spec.satisfies(f"+{name}")]
        arguments = [
            self.define("Kokkos_ROOT", spec["kokkos"].prefix),
            self.define("KokkosKernels_ROOT", spec["kokkos-kernels"].prefix),
            self.define("HDF5_ROOT", spec["hdf5"].prefix),
            self.define("HDF5_PREFER_PARALLEL", spec.satisfies("+mpi")),
            self.define("PARHELION_REQUIRED_DEVICES", required),
            self.define("PARHELION_CCACHE", ""),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PARHELION_ENABLE_MPI", "mpi"),
            self.define_from_variant("PARHELION_ENABLE_FORTRAN", "fortran"),
            self.define_from_variant("PARHELION_ENABLE_PYTHON", "python"),
            self.define_from_variant("PARHELION_ENABLE_TESTS", "tests"),
            self.define_from_variant("PARHELION_ENABLE_BENCHMARKS", "tests"),
            # The examples are built and run against the installation, see test_examples.
            self.define("PARHELION_ENABLE_EXAMPLES", False),
            self.define("PARHELION_ENABLE_DOCS", False),
        ]
        # All libraries, the program and the C interface.
        for part in ("FLUXES", "ADDING", "EGA", "MONTE_CARLO", "RETRIEVAL", "IO", "APPS", "C"):
            arguments.append(self.define(f"PARHELION_ENABLE_{part}", True))
        if spec.satisfies("~netcdf"):
            arguments.append(self.define("PARHELION_NETCDF", False))
        if spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if spec.satisfies("+rocm"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return arguments

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        """What was installed starts, finds its libraries, is imported, and links with a program as a model does."""
        Executable(self.prefix.bin.parhelion)("--version")
        for folder in (self.prefix.lib, self.prefix.lib64):
            if not os.path.isdir(folder):
                continue
            for name in sorted(os.listdir(folder)):
                if name.startswith("libparhelion") and name.endswith(".so"):
                    missing = Executable("ldd")(os.path.join(folder, name), output=str, error=str)
                    if "not found" in missing:
                        raise InstallError(f"{name} does not find its libraries:\n{missing}")
        if self.spec.satisfies("+python"):
            packages = pathlib.Path(self.prefix).rglob("parhelion/__init__.py")
            path = os.pathsep.join(str(package.parent.parent) for package in packages)
            self["python"].command("-c", "import parhelion", extra_env={"PYTHONPATH": path})
        described = [str(file.parent) for file in pathlib.Path(self.prefix).rglob("parhelion-c.pc")]
        path = os.pathsep.join([*described, os.environ.get("PKG_CONFIG_PATH", "")])
        with working_dir(os.path.join(self.stage.path, "relink"), create=True):
            flags = Executable("pkg-config")("--cflags", "--libs", "parhelion-c", output=str,
                                             extra_env={"PKG_CONFIG_PATH": path})
            source = os.path.join(self.stage.source_path, "examples", "longwave.c")
            Executable(os.environ["CC"])(source, "-o", "relinked", *flags.split(), "-lm")
            Executable("./relinked")()

    @run_after("install")
    def keep_examples(self):
        """Keeps the examples for `spack test run`."""
        cache_extra_test_sources(self, ["examples"])

    def test_examples(self):
        """build and run the examples against the installation"""
        cmake = Executable(self.spec["cmake"].prefix.bin.cmake)
        ctest = Executable(self.spec["cmake"].prefix.bin.ctest)
        with working_dir(os.path.join(self.test_suite.current_test_cache_dir, "examples")):
            arguments = ["-S", ".", "-B", "build", self.define("parhelion_ROOT", self.prefix)]
            arguments.append(self.define("CMAKE_PREFIX_PATH", get_cmake_prefix_path(self)))
            compiler = self["kokkos"].kokkos_cxx if self.spec.satisfies("+cuda") else os.environ["CXX"]
            if self.spec.satisfies("+rocm"):
                compiler = self.spec["hip"].hipcc
            arguments.append(self.define("CMAKE_CXX_COMPILER", compiler))
            cmake(*arguments)
            cmake("--build", "build")
            ctest("--test-dir", "build", "--output-on-failure")
