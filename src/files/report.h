// What a file asks for and gsample does not do. A reader goes on behind such a key, counts it and names it; the caller gets the
// count as a status above 0 and the names as the error's message.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "params/params.h"

namespace gsample {

class Report {
 public:
  // Names that no longer fit are counted all the same; the message then ends with three dots.
  void add(std::string_view key) {
    append(failure_.status++ ? ", " : "not honoured: ");
    append(key);
  }

  // Status and message in the form that an error takes; 0 and "" where there is nothing to say.
  const Failure& summary() const { return failure_; }

 private:
  void append(std::string_view text) {
    constexpr size_t room = sizeof failure_.message - 1;
    size_t used = std::strlen(failure_.message);
    size_t n = std::min(text.size(), room - used);
    std::memcpy(failure_.message + used, text.data(), n);
    failure_.message[used + n] = '\0';
    if (n < text.size()) std::memcpy(failure_.message + room - 3, "...", 3);
  }

  Failure failure_{GSAMPLE_OK};
};

// Sets what a file says of one parameter, where the stage that reads it is in the order; else the key is reported.
inline void set_or_report(gsample_params& params, const Param& param, std::string_view key, std::string_view value, Report& report) {
  gsample_params next = params;
  set_param(next, param, key, value);
  std::copy(std::begin(params.order), std::end(params.order), next.order);
  if (asks_for_absent_stage(next, param)) report.add(key);
  else params = next;
}

}  // namespace gsample
