// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/distributed.hpp>

#include "repeat.hpp"

#include <vector>

namespace parhelion::monte_carlo {

namespace {

void succeeded(int code, char const* call) {
  if (code != MPI_SUCCESS) throw Error("compute_distributed", fmt::format("{} failed with code {}", call, code));
}

// See Impl::Alone.
struct Ranks {
  MPI_Comm communicator;
  int rank = 0;
  int size = 1;
  std::size_t* nitem;

  Share share(std::size_t n) const {
    *nitem = n;
    return share_of_rank(n, rank, size);
  }

  void gather(double* array, std::size_t first, std::size_t n) const {
    if (n == 0) return;
    std::vector<int> count, offset;
    for (int r = 0; r < size; ++r) {
      Share const part = share_of_rank(*nitem, r, size);
      std::size_t const begin = std::clamp(part.begin, first, first + n);
      std::size_t const end = std::clamp(part.end, first, first + n);
      count.push_back(static_cast<int>(end - begin));
      offset.push_back(static_cast<int>(begin - first));
    }
    succeeded(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array, count.data(), offset.data(), MPI_DOUBLE,
                             communicator),
              "MPI_Allgatherv");
  }

  template <class Question>
  bool decide(Question const& question) const {
    int answer = rank == 0 && question() ? 1 : 0;
    succeeded(MPI_Bcast(&answer, 1, MPI_INT, 0, communicator), "MPI_Bcast");
    return answer != 0;
  }
};

}  // namespace

Share share_of_rank(std::size_t nitem, int rank, int size) {
  auto const r = static_cast<std::size_t>(rank);
  auto const n = static_cast<std::size_t>(size);
  auto const cut = [&](std::size_t i) { return nitem / n * i + std::min(i, nitem % n); };
  return {cut(r), cut(r + 1)};
}

Results compute_distributed(MPI_Comm communicator, Problem const& problem, Options const& options,
                            HostMonteCarloOptions const& host, HostMonteCarloReport* report) {
  std::size_t nitem = 0;
  Ranks ranks{communicator, 0, 1, &nitem};
  succeeded(MPI_Comm_rank(communicator, &ranks.rank), "MPI_Comm_rank");
  succeeded(MPI_Comm_size(communicator, &ranks.size), "MPI_Comm_size");
  return Impl::compute_by(ranks, problem, options, host, report);
}

}  // namespace parhelion::monte_carlo
