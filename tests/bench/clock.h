// Medians of times taken one by one: on a machine that is shared, a mean says more about the neighbours.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

class Times {
 public:
  template <class Call>
  double take(Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    times_.push_back(ns);
    return ns;
  }
  double at(double share) {
    if (times_.empty()) return 0;
    const auto place = times_.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times_.size() - 1));
    std::nth_element(times_.begin(), place, times_.end());
    return *place;
  }
  double median() { return at(0.5); }

 private:
  std::vector<double> times_;
};
