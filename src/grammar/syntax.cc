#include "grammar/syntax.h"

#include "grammar/code_points.h"

namespace gsample {

uint32_t TextCursor::take_code_point() {
  int32_t c = read_utf8(text_, n_, at_);
  if (c < 0) refuse("these bytes are not UTF-8");
  return static_cast<uint32_t>(c);
}

uint32_t TextCursor::take_hex(int digits) {
  uint32_t value = 0;
  for (int i = 0; i < digits; i++, at_++) {
    char c = peek(), lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') value = value << 4 | static_cast<uint32_t>(c - '0');
    else if (lower >= 'a' && lower <= 'f') value = value << 4 | static_cast<uint32_t>(lower - 'a' + 10);
    else
      refuse(digits == 1   ? "expecting a hexadecimal digit"
             : digits == 2 ? "expecting 2 hexadecimal digits"
             : digits == 4 ? "expecting 4 hexadecimal digits"
                           : "expecting 8 hexadecimal digits");
  }
  return value;
}

void TextCursor::place(size_t at, int32_t& line, int32_t& column) const {
  line = 1, column = 1;
  for (size_t i = 0; i < at && i < n_; i++) text_[i] == '\n' ? (line++, column = 1) : column++;
}

void TextCursor::refuse_at(size_t at, int32_t status, const char* what) const {
  int32_t line, column;
  place(at, line, column);
  fail_at(status, line, column, "line %d, column %d: %s", line, column, what);
}

}  // namespace gsample
