#include "files/token_text.h"

namespace gsample {

namespace {

struct ByteLevelTable {
  int16_t byte_of[0x144];  // by code point; -1 = none
  constexpr ByteLevelTable() : byte_of() {
    for (int16_t& byte : byte_of) byte = -1;
    int next = 0x100;
    for (int byte = 0; byte < 256; byte++) {
      bool self = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
      byte_of[self ? byte : next++] = static_cast<int16_t>(byte);
    }
  }
};

constexpr ByteLevelTable byte_level;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

bool decode_byte_level(std::string_view text, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size(); i++) {
    unsigned c = static_cast<uint8_t>(text[i]);
    if (c >= 0x80) {  // the table's characters take at most two bytes
      if ((c & 0xe0) != 0xc0 || i + 1 >= text.size() || (static_cast<uint8_t>(text[i + 1]) & 0xc0) != 0x80) return false;
      c = (c & 0x1f) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3f);
    }
    if (c >= 0x144 || byte_level.byte_of[c] < 0) return false;
    out.push_back(static_cast<char>(byte_level.byte_of[c]));
  }
  return true;
}

void decode_sentencepiece(std::string_view text, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i, 3) == "\xe2\x96\x81") out.push_back(' '), i += 3;
    else out.push_back(text[i++]);
  }
}

bool is_byte_token(std::string_view text, uint8_t& byte) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>' || hex(text[3]) < 0 || hex(text[4]) < 0) return false;
  byte = static_cast<uint8_t>(hex(text[3]) << 4 | hex(text[4]));
  return true;
}

}  // namespace gsample
