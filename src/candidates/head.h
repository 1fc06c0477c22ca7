// The head: the one thing that stages work on. It is the current set of tokens in C1 order, of which only a prefix is held; the rest is
// still in the row and is found when somebody asks for it. A set whose rest was never needed costs one reading of the row.
//
// An open head has such a rest ("everything after what is held"); a closed head holds its whole set. Cutting closes it. Softmax,
// entropy and moments are those of the whole set either way, as semantics define them: in C1 order up to 1024 tokens, by blocks of the
// row above.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "candidates/order.h"
#include "row/scan.h"

namespace gsample {

// The memory behind a head, kept from pick to pick.
struct Scratch {
  Maxima maxima;
  Sums sums;
  std::vector<uint32_t> chunks;
  std::vector<Key> keys, raised, pending, sort;
  std::vector<float> values, dense;  // dense: a closed set of many tokens laid out as a row
  std::vector<double> exps;

  // Room for rows of n_vocab of which at most n_tokens are ever held; `whole`: and for what is said of a whole row.
  void reserve(size_t n_vocab, size_t n_tokens, bool whole);
  size_t bytes() const;
};

// Asked about tokens in C1 order, each once; what it refuses does not exist for the head.
using Filter = std::function<bool(uint32_t id)>;

class Head {
 public:
  explicit Head(Scratch& scratch) : s_(scratch) {}

  // Opens on a whole row. `want` says what the first reading shall add up along the way. filter may be NULL; it outlives the head.
  void open(const Source& source, const Want& want, const Filter* filter);
  // Opens on the row that `other` was opened on, where other's sums are those of the row as given; what it read is not read again.
  bool open_as_given(const Head& other);
  // Of an open head, just opened: makes its set the row's +infinity tokens, each with logit 0. False where there is none.
  bool open_infinite();
  // Closed from the start, on these tokens of a row of n_vocab, in any order. The keys are the scratch's own.
  void open_list(uint32_t n_vocab);

  // The head is the row as it was opened on, but for a division: then by what, else 0.
  float whole_over() const { return open_ && !filter_ && first_ == 0 && floor_ <= -kFloatMax && transform_.shift == 0 ? transform_.divisor : 0; }
  const Source& source() const { return source_; }
  uint32_t row_width() const { return source_.row.n; }
  const Maxima& maxima() const { return s_.maxima; }

  // Tokens, by their place in C1 order. A place must have been reached.
  bool reach(size_t i);  // false: the set has no place i
  size_t size();         // of the whole set
  uint32_t id(size_t i) const { return id_of(s_.keys[first_ + i]); }
  Key key(size_t i) const { return s_.keys[first_ + i]; }
  float value(size_t i) const { return s_.values[first_ + i]; }
  size_t held() const { return s_.keys.size() - first_; }

  // What becomes of the set.
  void keep(size_t n);         // the first n, or all where there are fewer
  // Those whose value satisfies a test that holds down to some value and not below; at least min_keep (1 or more).
  template <class Test>
  void keep_while(size_t min_keep, Test&& test);
  void drop_first(size_t n);   // n of them are held
  void close();                // holds all of it
  void divide(float temperature);
  void keep_marked(std::span<const uint8_t> marks);  // of what is held: those with a mark, one per token; closes
  // New values from adjust(id, value); the set is sorted by them if any differs. Closes. Weight 0 stays weight 0.
  template <class Adjust>
  void adjust(Adjust&& adjust);
  std::span<float> values();                         // of a closed head, to change them; then one of the next two
  void values_changed();                             // the order stays, though values may not fall along it any more
  void reorder();                                    // the values are the new logits

  bool descending() const { return descending_; }  // values fall along C1 order

  // Softmax over the whole set. max is the largest value; weight = e^(value - max); p = weight / total, each as float.
  float max();
  double total();
  float weight(size_t i) { return static_cast<float>(exp(i)); }
  float p(size_t i) {
    const double sum = total();
    return static_cast<float>(static_cast<double>(weight(i)) / sum);
  }
  float p_of(float v);  // of a token that has this value
  double entropy();
  double deviation();  // standard deviation of the values above -infinity

 private:
  // What a value is of a logit: (logit - shift) / divisor.
  struct Transform {
    float shift = 0, divisor = 1;
    bool operator==(const Transform&) const = default;
    float operator()(float logit) const { return shift == 0 && divisor == 1 ? logit : (logit - shift) / divisor; }
  };

  double exp(size_t i) {
    if (i >= s_.exps.size()) extend_exps(i + 1);
    return s_.exps[i];
  }
  void extend_exps(size_t n);
  void set_changed();
  void start(const Source& source, const Filter* filter);
  void scan(const Want& want);
  bool settle(bool weighted, bool moments);
  size_t count();
  void leave_dropped_out();
  void sum_list(bool moments);

  void keep_from(float logit);
  void grow(size_t n);
  void widen(float t);
  void select_top(size_t k);
  void append_values();

  Scratch& s_;
  Source source_;
  const Filter* filter_ = nullptr;
  bool open_ = false;
  Transform transform_;            // from the logits of the row to the values

  // How far an open head has come.
  bool exhausted_ = false;         // nothing is left in the row
  float found_from_ = kInfinity;   // every token with a logit of at least this has been found
  float floor_ = -kFloatMax;       // what has a lower logit was cut
  size_t count_ = 0;               // tokens at or above the floor, the dropped ones included; 0: not counted yet
  size_t asked_ = 0, raised_ = 0;  // positions in pending and raised
  size_t first_ = 0;               // keys before this one were dropped

  // The last scan for sums: what it added up, of which values, and how many dropped tokens it leaves out.
  Want summed_;
  size_t left_out_ = 0;

  // Of the set as it is; see set_changed().
  float max_ = 0;
  double total_ = 0;
  bool max_valid_ = false, total_valid_ = false;
  bool descending_ = true;         // values fall along C1 order
};

template <class Test>
void Head::keep_while(size_t min_keep, Test&& test) {
  if (!reach(0)) return;
  if (!test(value(0))) return keep(min_keep);
  if (open_ && !filter_) {
    // The least logit that passes, by bisection over all floats: the order of keys is theirs.
    Key passes = s_.keys[first_] >> 32, fails = (key_of(floor_, 0) >> 32) - 1;
    while (passes - fails > 1) {
      const Key middle = fails + (passes - fails) / 2;
      (test(transform_(logit_of_key(middle << 32))) ? passes : fails) = middle;
    }
    if (min_keep <= 1 || (reach(min_keep - 1) && test(value(min_keep - 1)))) return keep_from(logit_of_key(passes << 32));
  }
  size_t n = 1;
  while (reach(n) && (n < min_keep || test(value(n)))) n++;
  keep(n);
}

template <class Adjust>
void Head::adjust(Adjust&& adjust) {
  close();
  bool changed = false;
  for (size_t i = 0; i < held(); i++) {
    float& v = s_.values[first_ + i];
    const float before = v;
    if (v > -kInfinity) v = adjust(id(i), v);
    changed |= v != before;
  }
  if (changed) reorder();
}

}  // namespace gsample
