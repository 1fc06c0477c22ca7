#include "corpus.h"

#include <algorithm>
#include <map>

namespace corpus {

namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    uint64_t x = state_ ^ state_ >> 33;
    x *= 0xff51afd7ed558ccd;
    return x ^ x >> 33;
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }

 private:
  uint64_t state_;
};

const char* const words[] = {"the",     "request", "was",    "answered", "in",     "time",  "while", "another",  "server",   "waited",
                             "for",     "its",     "turn",   "and",      "nobody", "saw",   "how",   "quickly",  "it",       "failed",
                             "because", "no",      "token",  "matched",  "what",   "the",   "model", "expected", "tomorrow", "naïve",
                             "größe",   "東京",    "привет", "café",     "résumé", "ünder", "a",     "of",       "value",    "result"};

std::string text_of(Random& r, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; i++) out += (i ? " " : "") + std::string(words[r.below(std::size(words))]);
  return out;
}

const std::string json_grammar = R"(root   ::= value
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= "-"? ([0-9] | [1-9] [0-9]{0,15}) ("." [0-9]+)? ([eE] [-+]? [0-9] [0-9]{0,15})? ws
ws     ::= [ \t\n]*
)";

void json_value(Random& r, int depth, std::string& out) {
  size_t kind = r.below(depth > 3 ? 4 : 7);
  std::string indent = "\n" + std::string(2 * static_cast<size_t>(depth + 1), ' ');
  if (kind == 0) out += std::to_string(r.below(100000));
  else if (kind == 1)
    out += (r.chance(50) ? "-" : "") + std::to_string(r.below(1000)) + "." + std::to_string(r.below(1000)) + (r.chance(20) ? "e-7" : "");
  else if (kind == 2) out += r.chance(40) ? "true" : r.chance(50) ? "false" : "null";
  else if (kind == 3) out += "\"" + text_of(r, 1 + r.below(12)) + (r.chance(20) ? "\\n\\u00e9" : "") + "\"";
  else if (kind < 6) {
    out += "{";
    for (size_t i = 0, n = 1 + r.below(4); i < n; i++) {
      out += (i ? "," : "") + indent + "\"" + words[r.below(std::size(words))] + "\": ";
      json_value(r, depth + 1, out);
    }
    out += "\n" + std::string(2 * static_cast<size_t>(depth), ' ') + "}";
  } else {
    out += "[";
    for (size_t i = 0, n = r.below(5); i < n; i++) {
      out += i ? ", " : "";
      json_value(r, depth + 1, out);
    }
    out += "]";
  }
}

const std::string arithmetic_grammar = R"gbnf(root ::= expr ("=" expr)? "\n"?
expr ::= expr " "* [-+] " "* term | term
term ::= term " "* [*/] " "* power | power
power ::= atom ("^" power)?
atom ::= [0-9]+ ("." [0-9]+)? | [a-z] [a-z0-9]* ("(" expr ("," " "? expr)* ")")? | "(" expr ")" | "-" atom
)gbnf";

void arithmetic(Random& r, int depth, std::string& out) {
  for (size_t i = 0, n = 1 + r.below(4); i < n; i++) {
    if (i) out += r.chance(60) ? " + " : r.chance(50) ? "*" : "^";
    size_t kind = r.below(depth > 3 ? 2 : 4);
    if (kind == 0) out += std::to_string(r.below(100000)) + (r.chance(30) ? ".25" : "");
    else if (kind == 1) out += r.chance(50) ? "x" : "alpha2";
    else if (kind == 2) out += "(", arithmetic(r, depth + 1, out), out += ")";
    else out += "max(", arithmetic(r, depth + 1, out), out += ", ", arithmetic(r, depth + 1, out), out += ")";
  }
}

const std::string c_grammar = R"gbnf(root ::= ws function+
function ::= type " " ws ident ws "(" ws (type " " ws ident ws ("," ws type " " ws ident ws)*)? ")" ws block
type ::= "int" | "float" | "char" | "void" | "unsigned int" | "const char *"
block ::= "{" ws statement* "}" ws
statement ::= "if" ws "(" ws expr ")" ws block ("else" ws block)? | "while" ws "(" ws expr ")" ws block | "return" (" " ws expr)? ws ";" ws |
  type " " ws ident ws ("=" ws expr)? ";" ws | expr ";" ws | comment
comment ::= "//" [^\n]* "\n" ws | "/*" ([^*] | "*"+ [^*/])* "*"+ "/" ws
expr ::= ident ws "=" ws expr | compare
compare ::= compare ("==" | "!=" | "<=" | ">=" | "<" | ">" | "&&" | "||") ws sum | sum
sum ::= sum [-+] ws product | product
product ::= product [*/%] ws unary | unary
unary ::= [-!] ws unary | primary
primary ::= number ws | string ws | ident ws ("(" ws (expr ("," ws expr)*)? ")" ws | "[" ws expr "]" ws)* | "(" ws expr ")" ws
ident ::= [a-zA-Z_] [a-zA-Z0-9_]*
number ::= [0-9]+ ("." [0-9]+)? | "0x" [0-9a-f]+
string ::= "\"" ([^"\\\n] | "\\" [nt"\\0])* "\""
ws ::= [ \t\n]*
)gbnf";

std::string c_code(Random& r) {
  std::string out;
  for (size_t f = 0; f < 2 + r.below(2); f++) {
    out += "int compute_" + std::string(words[r.below(10)]) + "(int count, const char * name) {\n";
    out += "  // " + text_of(r, 3 + r.below(8)) + "\n";
    out += "  int total = " + std::to_string(r.below(1000)) + ";\n";
    for (size_t s = 0; s < 2 + r.below(5); s++) {
      size_t kind = r.below(4);
      if (kind == 0)
        out += "  if (count > " + std::to_string(r.below(99)) +
               " && name[0] != 0) {\n    total = total + count * 3;\n  } else {\n    return -1;\n  }\n";
      else if (kind == 1) out += "  while (total < count) {\n    total = total + step(total, \"" + text_of(r, 2) + "\\n\");\n  }\n";
      else if (kind == 2) out += "  printf(\"%d " + text_of(r, 4) + "\\n\", total, (count + 1) / 2);\n";
      else out += "  /* " + text_of(r, 5) + " */\n";
    }
    out += "  return total;\n}\n\n";
  }
  return out;
}

const std::string log_regex =
    R"re(^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z (INFO|WARN|ERROR|DEBUG) \[[a-z][a-z0-9_.]{0,40}\] (GET|POST|PUT|DELETE) /[A-Za-z0-9_/.-]* [1-5]\d{2} \d{1,6}ms "[^"\n\\]{0,200}" \d{1,3}(\.\d{1,3}){3}\n)+$)re";

std::string log_lines(Random& r) {
  std::string out;
  for (size_t i = 0; i < 4; i++) {
    char line[160];
    snprintf(line, sizeof line, "2026-%02d-%02dT%02d:%02d:%02d.%03dZ ", static_cast<int>(1 + r.below(12)),
             static_cast<int>(1 + r.below(28)), static_cast<int>(r.below(24)), static_cast<int>(r.below(60)), static_cast<int>(r.below(60)),
             static_cast<int>(r.below(1000)));
    out += line + std::string(r.chance(50) ? "INFO" : "ERROR") + " [http.server_" + std::to_string(r.below(10)) + "] GET /api/v2/users/" +
           std::to_string(r.below(100000)) + "/profile.json " + (r.chance(80) ? "200 " : "404 ") + std::to_string(r.below(9000)) + "ms \"" +
           text_of(r, 1 + r.below(7)) + "\" 10." + std::to_string(r.below(256)) + "." + std::to_string(r.below(256)) + ".7\n";
  }
  return out;
}

const std::string thinking_grammar = R"(root ::= "<think>\n" thought "</think>" "\n"* answer
thought ::= .*
answer ::= "{" "\"answer\"" ":" " "? ("\"" [^"\\\n]{0,100000} "\"" | [0-9]+) "}"
)";

std::string thinking(Random& r) {
  std::string out = "<think>\n";
  for (size_t i = 0; i < 6; i++) out += text_of(r, 8 + r.below(10)) + (r.chance(30) ? ", 1 < 2.\n" : ".\n");
  return out + "</think>\n\n{\"answer\": \"" + text_of(r, 12) + "\"}";
}

}  // namespace

std::vector<Language> languages() {
  std::vector<Language> out{{"json", json_grammar, false, {}},
                            {"arithmetic", arithmetic_grammar, false, {}},
                            {"c", c_grammar, false, {}},
                            {"log lines", log_regex, true, {}},
                            {"free text, then an ending", thinking_grammar, false, {}}};
  Random r(20260101);
  for (int i = 0; i < 12; i++) {
    std::string json, sum;
    json_value(r, 0, json = "{\"data\": ");
    out[0].texts.push_back(json + "}");
    arithmetic(r, 0, sum);
    out[1].texts.push_back(sum);
    out[2].texts.push_back(c_code(r));
    out[3].texts.push_back(log_lines(r));
    out[4].texts.push_back(thinking(r));
  }
  return out;
}

std::vector<int32_t> split(const std::vector<std::string>& tokens, const std::string& text, uint64_t seed, bool longest) {
  static std::map<std::string_view, int32_t> ids;  // of the vocabulary given last
  static const std::vector<std::string>* of = nullptr;
  if (of != &tokens) {
    ids.clear();
    for (size_t i = tokens.size(); i-- > 0;)
      if (!tokens[i].empty()) ids[tokens[i]] = static_cast<int32_t>(i);
    of = &tokens;
  }
  Random r(seed);
  std::vector<int32_t> out;
  for (size_t at = 0; at < text.size();) {
    std::vector<int32_t> fits;
    for (size_t n = std::min<size_t>(text.size() - at, 64); n > 0; n--)
      if (auto found = ids.find(std::string_view(text).substr(at, n)); found != ids.end()) fits.push_back(found->second);
    if (fits.empty()) return {};
    int32_t token = longest ? fits[0] : fits[r.below(fits.size())];
    out.push_back(token);
    at += tokens[static_cast<size_t>(token)].size();
  }
  return out;
}

}  // namespace corpus
