// SPDX-License-Identifier: BSD-3-Clause
// Somebody else initializes Kokkos and finalizes it while there are objects: these end with it, calls with them are
// refused, and they can be destroyed. Exit code 0 where all is so.
#include "c_cases.hpp"

#include <filesystem>
#include <iostream>
#include <string>

using namespace parhelion::Testing;

namespace {

int failures = 0;

void expect(int line, int status, int expected, std::string const& message) {
  if (status == expected && (expected == 0 || last_error().find(message) != std::string::npos)) return;
  std::cerr << "line " << line << ": status " << status << ", '" << last_error() << "', expected status " << expected
            << " and '" << message << "'\n";
  ++failures;
}
#define EXPECT(CALL, STATUS, MESSAGE) expect(__LINE__, CALL, STATUS, MESSAGE)

template <class Case>
struct Kept {
  Case c;
  typename Case::Handle* handle = nullptr;

  explicit Kept(Case the_case) : c(std::move(the_case)) {}

  void use() {
    EXPECT(c_create(&c.options, &handle), PARHELION_SUCCESS, "");
    c.describe();
    EXPECT(c_solve(handle, &c.input, &c.output), PARHELION_SUCCESS, "");
  }

  void after() {
    EXPECT(c_solve(handle, &c.input, &c.output), PARHELION_ERROR_STATE, "Kokkos, which has been finalized");
    EXPECT(c_bytes(handle, nullptr, nullptr), PARHELION_ERROR_STATE, "finalized");
    EXPECT(c_destroy(handle), PARHELION_SUCCESS, "");
    EXPECT(c_solve(handle, &c.input, &c.output), PARHELION_ERROR_STATE, "destroyed");
    EXPECT(c_create(&c.options, &handle), PARHELION_ERROR_STATE, "finalized");
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto const folder = std::filesystem::temp_directory_path() / ("parhelion_their_kokkos_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Kokkos::initialize(argc, argv);
  std::string const control = write_control(folder.string());
  Kept longwave(longwave_case<double>(3, 5, "", CloudsOf::none, {}));
  Kept adding(adding_case(sunny_profiles(3, 4, 2, true), {}));
  Kept spectra(spectra_case(control, small_atmosphere({"CO2", "H2O"}), some_rays(), {}));
  Kept boxes(monte_carlo_case(small_box(), {}));
  longwave.use();
  adding.use();
  spectra.use();
  boxes.use();
  EXPECT(parhelion_finalize(), PARHELION_SUCCESS, "");  // which is not ours to finalize
  if (!Kokkos::is_initialized()) ++failures;
  Kokkos::finalize();
  longwave.after();
  adding.after();
  spectra.after();
  boxes.after();
  std::filesystem::remove_all(folder);
  if (failures == 0) std::cout << "as it should be\n";
  return failures == 0 ? 0 : 1;
}
