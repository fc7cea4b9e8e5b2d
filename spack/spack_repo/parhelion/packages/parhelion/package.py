# SPDX-License-Identifier: BSD-3-Clause
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Parhelion(CMakePackage, CudaPackage, ROCmPackage):
    """Performance-portable radiative transfer in participating media."""

    # The recipe comes with the source: it builds the checkout that it lies in.
    git = str(pathlib.Path(__file__).resolve().parents[5])

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="Run on the host's cores with OpenMP")
    variant("shared", default=True, description="Build shared libraries")
    variant("tests", default=False, description="Build the tests and benchmarks")
    variant("mpi", default=False, description="Run the Monte Carlo solver on several processes")
    variant("fortran", default=False, description="Fortran interface (not available yet)")

    conflicts("+fortran", msg="parhelion has no Fortran interface yet")
    conflicts("+cuda", when="+rocm", msg="Kokkos builds for one kind of GPU at a time")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU, for example cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm", msg="name the GPU, for example amdgpu_target=gfx90a")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build")  # makes the manual page
    depends_on("kokkos@4.6: cxxstd=20")
    depends_on("kokkos-kernels@4.6:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos~openmp", when="~openmp")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    depends_on("kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    depends_on("kokkos+wrapper", when="+cuda %gcc")
    depends_on("kokkos+pic", when="+shared ^kokkos~shared")
    depends_on("hdf5@1.10:+hl")
    depends_on("eigen@3.3:", type="build")
    depends_on("random123@1.13:")
    depends_on("fmt@9:")
    depends_on("cli11@2:")
    depends_on("mpi", when="+mpi")
    with when("+tests"):
        depends_on("googletest@1.12:")
        depends_on("benchmark@1.7:")

    def cmake_args(self):
        spec = self.spec
        devices = {"openmp": "OPENMP", "cuda": "CUDA", "rocm": "HIP"}
        required = [device for variant, device in devices.items() if spec.satisfies(f"+{variant}")]
        arguments = [
            self.define("Kokkos_ROOT", spec["kokkos"].prefix),
            self.define("KokkosKernels_ROOT", spec["kokkos-kernels"].prefix),
            self.define("PARHELION_REQUIRED_DEVICES", required),
            self.define("PARHELION_ENABLE_APPS", True),
            self.define("PARHELION_ENABLE_EXAMPLES", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PARHELION_ENABLE_MPI", "mpi"),
            self.define_from_variant("PARHELION_ENABLE_TESTS", "tests"),
            self.define_from_variant("PARHELION_ENABLE_BENCHMARKS", "tests"),
        ]
        if spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if spec.satisfies("+rocm"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return arguments
