// SPDX-License-Identifier: BSD-3-Clause
// The ranks of MPI. What fails in MPI ends all ranks, as MPI does by itself.
#include "launcher.hpp"
#include "ranks.hpp"
#include "ranks_monte_carlo.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/distributed.hpp>

#include <hdf5.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace parhelion::Apps {

namespace {

// The ranks of this machine.
MPI_Comm machine = MPI_COMM_NULL;

// Counts of MPI are int.
constexpr std::size_t max_bytes = std::size_t(1) << 30;

template <class Transfer>
void in_pieces(std::size_t size, Transfer const& transfer) {
  for (std::size_t at = 0; at < size; at += max_bytes) transfer(at, static_cast<int>(std::min(max_bytes, size - at)));
}

std::vector<double> reduced(std::vector<double> numbers, MPI_Op operation, MPI_Comm communicator) {
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, operation, communicator);
  return numbers;
}

#ifdef H5_HAVE_PARALLEL
// All ranks, by way of MPI's files.
class ParallelHdf5 : public io::FileSharing {
 public:
  io::Part part() const override { return ranks().part(); }
  void collectively(std::function<void()> const& action) const override { ranks().collectively(action); }
  void broadcast(std::string& text) const override { ranks().broadcast(text, 0); }
  void set_properties(std::int64_t access, std::int64_t transfer) const override {
    if (H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) < 0 ||
        H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0)
      throw Error("HDF5", "does not take the ranks of this MPI, expected an HDF5 that was built with it");
  }
};
#endif

}  // namespace

void Ranks::start() {
  if (!find_launcher().there) return;
  // HDF5 cleans up at the end of an MPI that it finds when it starts, which may crash where it has read damaged files.
  H5open();
  // Only the main thread calls MPI.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  m_started = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m_size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, m_rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &m_local_rank);
  MPI_Comm_size(machine, &m_local_size);
}

void Ranks::finish() {
  if (!m_started) return;
  MPI_Comm_free(&machine);
  MPI_Finalize();
}

void Ranks::abort(int status) const {
  if (m_started) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

io::FileSharing const* Ranks::file_sharing() const {
#ifdef H5_HAVE_PARALLEL
  static ParallelHdf5 const all;
  return use_parallel_hdf5(true) && several() ? &all : nullptr;
#else
  use_parallel_hdf5(false);
  return nullptr;
#endif
}

std::vector<double> Ranks::sums(std::vector<double> const& numbers) const {
  return several() ? reduced(numbers, MPI_SUM, MPI_COMM_WORLD) : numbers;
}

std::vector<double> Ranks::largest(std::vector<double> const& numbers) const {
  return several() ? reduced(numbers, MPI_MAX, MPI_COMM_WORLD) : numbers;
}

double Ranks::sum_on_machine(double number) const {
  return several() ? reduced({number}, MPI_SUM, machine).front() : number;
}

int Ranks::cores_of_machine() const {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  if (several()) MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, machine);
  return CPU_COUNT(&cores);
}

int Ranks::smallest(int number) const {
  if (several()) MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return number;
}

void Ranks::broadcast(std::string& text, int from) const {
  auto size = static_cast<unsigned long>(text.size());
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, from, MPI_COMM_WORLD);
  text.resize(size);
  in_pieces(size, [&](std::size_t at, int n) { MPI_Bcast(text.data() + at, n, MPI_CHAR, from, MPI_COMM_WORLD); });
}

void Ranks::send(void const* bytes, std::size_t size, int to) const {
  in_pieces(size, [&](std::size_t at, int n) {
    MPI_Send(static_cast<char const*>(bytes) + at, n, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  });
}

void Ranks::receive(void* bytes, std::size_t size, int from) const {
  in_pieces(size, [&](std::size_t at, int n) {
    MPI_Recv(static_cast<char*>(bytes) + at, n, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

monte_carlo::HostResults compute_sources_by_ranks(monte_carlo::Problem const& problem,
                                                  monte_carlo::Options const& options,
                                                  monte_carlo::HostMonteCarloOptions const& host,
                                                  monte_carlo::HostMonteCarloReport* report) {
  return ranks().several() ? monte_carlo::compute_distributed(MPI_COMM_WORLD, problem, options, host, report)
                           : monte_carlo::compute_sources(problem, options, host, report);
}

}  // namespace parhelion::Apps
