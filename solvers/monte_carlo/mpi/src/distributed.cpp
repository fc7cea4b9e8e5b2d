// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/monte_carlo/distributed.hpp>

#include "run_repetitions.hpp"

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::monte_carlo {

namespace {

void succeeded(int code, char const* call) {
  if (code != MPI_SUCCESS) throw Error("compute_distributed", fmt::format("{} failed with code {}", call, code));
}

// The ranks of a communicator; see Impl::SingleProcess.
struct Ranks {
  MPI_Comm communicator;
  int rank = 0;
  int size = 1;
  int root;  // the rank that receives gathered arrays; -1: all

  Ranks(MPI_Comm comm, int to) : communicator(comm), root(to) {
    succeeded(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
    succeeded(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  }

  ItemRange items(std::size_t n) const { return items_of_rank(n, rank, size); }

  void gather(double* array, std::size_t first, std::size_t n, std::size_t nitem) const {
    if (n == 0) return;
    std::vector<int> count, offset;
    for (int r = 0; r < size; ++r) {
      ItemRange const part = items_of_rank(nitem, r, size);
      std::size_t const begin = std::clamp(part.begin, first, first + n);
      std::size_t const end = std::clamp(part.end, first, first + n);
      count.push_back(static_cast<int>(end - begin));
      offset.push_back(static_cast<int>(begin - first));
    }
    if (root < 0) {
      succeeded(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array, count.data(), offset.data(), MPI_DOUBLE,
                               communicator),
                "MPI_Allgatherv");
      return;
    }
    auto const own = static_cast<std::size_t>(rank);
    bool const receives = rank == root;
    succeeded(MPI_Gatherv(receives ? MPI_IN_PLACE : array + offset[own], count[own], MPI_DOUBLE, array, count.data(),
                          offset.data(), MPI_DOUBLE, root, communicator),
              "MPI_Gatherv");
  }

  void add_up(std::vector<std::int64_t>& numbers) const {
    succeeded(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_SUM,
                            communicator),
              "MPI_Allreduce");
  }

  void broadcast(double* numbers, std::size_t n) const {
    if (n > 0) succeeded(MPI_Bcast(numbers, static_cast<int>(n), MPI_DOUBLE, 0, communicator), "MPI_Bcast");
  }

  template <class Question>
  bool broadcast_decision(Question const& question) const {
    bool answer = false;
    collectively([&] { answer = rank == 0 && question(); });
    int value = answer ? 1 : 0;
    succeeded(MPI_Bcast(&value, 1, MPI_INT, 0, communicator), "MPI_Bcast");
    return value != 0;
  }

  bool any(bool here) const {
    int value = here ? 1 : 0;
    succeeded(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, communicator), "MPI_Allreduce");
    return value != 0;
  }

  template <class Action>
  void collectively(Action const& action) const {
    std::exception_ptr own;
    std::string message;
    try {
      action();
    } catch (std::exception const& error) {
      own = std::current_exception();
      message = error.what();
    } catch (...) {
      own = std::current_exception();
      message = "an exception without a message";
    }
    int const mine = own ? rank : size;
    int failed = size;
    succeeded(MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    if (failed == size) return;
    // The first rank that failed tells the others why.
    int length = static_cast<int>(message.size());
    succeeded(MPI_Bcast(&length, 1, MPI_INT, failed, communicator), "MPI_Bcast");
    std::string reason = message;
    reason.resize(static_cast<std::size_t>(length));
    succeeded(MPI_Bcast(reason.data(), length, MPI_CHAR, failed, communicator), "MPI_Bcast");
    if (own) std::rethrow_exception(own);
    throw Error("compute_distributed", fmt::format("rank {} failed: {}", failed, reason));
  }

  void require_agreement(std::string_view what, std::initializer_list<double> numbers) const {
    std::vector<double> extremes;  // largest values and, negative, smallest ones
    for (double const number : numbers) extremes.insert(extremes.end(), {number, -number});
    succeeded(MPI_Allreduce(MPI_IN_PLACE, extremes.data(), static_cast<int>(extremes.size()), MPI_DOUBLE, MPI_MAX,
                            communicator),
              "MPI_Allreduce");
    for (std::size_t i = 0; i < extremes.size(); i += 2)
      if (extremes[i] != -extremes[i + 1])
        throw Error("compute_distributed",
                    fmt::format("ranks differ in one of: {}; expected the same call on all", what));
  }
};

}  // namespace

ItemRange items_of_rank(std::size_t nitem, int rank, int size) { return Impl::part_of_range({0, nitem}, rank, size); }

HostResults compute_distributed(MPI_Comm communicator, Problem const& problem, Options const& options,
                                HostMonteCarloOptions const& host, HostMonteCarloReport* report) {
  return Impl::compute_sources_by(Ranks(communicator, -1), problem, options, host, report);
}

void gather_results(MPI_Comm communicator, HostResults const& results, int root) {
  Impl::gather(Ranks(communicator, root), results);
}

}  // namespace parhelion::monte_carlo
