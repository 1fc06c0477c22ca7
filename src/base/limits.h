// Every bound that hostile input meets, in one place. Going over one is GSAMPLE_ERROR_LIMIT, and the message says which.
// They are far above what real files hold (named beside each) and low enough that no input costs much time or memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gsample::limits {

// A sized struct of any version to come; a larger size is a field that was never set.
constexpr uint32_t struct_bytes = 4096;

// GGUF: a 262144-token vocabulary with merges and scores is about 20 MB of metadata in some 50 keys.
constexpr size_t gguf_bytes = size_t{256} << 20;
constexpr uint64_t gguf_values = 65536;
constexpr uint64_t gguf_key_bytes = 65535;  // the format's own bound
constexpr int gguf_array_depth = 4;         // arrays of arrays are legal and unused

// Vocabularies: the largest known has 262144 tokens, the longest token of a real one 128 bytes (runs of spaces: 512).
constexpr uint32_t vocab_tokens = 1u << 24;
constexpr uint32_t token_bytes = 65535;
constexpr size_t vocab_bytes = size_t{256} << 20;
constexpr size_t tokenizer_json_bytes = size_t{256} << 20;  // real ones reach 35 MB
constexpr uint64_t sparse_ids = 65536;  // in tokenizer.json an id is below this or the file's length in bytes: else most ids are holes
constexpr int json_depth = 64;                              // real ones nest 8 deep

// Grammars: real ones have up to a few hundred rules and 100 KB; a schema with 100,000 literals makes some million expressions.
constexpr size_t grammar_bytes = size_t{4} << 20;
constexpr int grammar_nesting = 500;
constexpr uint32_t grammar_nodes = 1u << 22;     // of the parsed text
constexpr uint32_t grammar_positions = 1u << 21;  // symbols of the rules that are not regular
constexpr uint32_t grammar_closure = 1u << 22;   // left corners of all rules together
constexpr uint64_t compile_work = 3u << 23;      // steps of some ten nanoseconds each, as all that is called work
constexpr uint32_t expression_depth = 1000;
constexpr uint32_t expressions = 3u << 19;
constexpr size_t optional_parts = 1024;     // one behind the other, where each may be missing
constexpr size_t emptiness_steps = 1u << 14;  // until an intersection or complement is known to match something
constexpr uint32_t repetitions = 1u << 30;  // the counts of nested repetitions multiplied

// What one grammar's tables may take in memory, and one matcher's stacks.
constexpr size_t automaton_bytes = size_t{144} << 20;
constexpr size_t grammar_tables_bytes = size_t{64} << 20;  // with the automata; beyond, masks are worked out each time
constexpr size_t matcher_bytes = size_t{64} << 20;
constexpr size_t configurations = 4096;      // of one state
constexpr uint64_t step_work = 1u << 16;     // continuations followed for one byte
constexpr uint64_t call_work = 3u << 23;     // of one question to a matcher, or one token accepted
constexpr uint64_t warm_work = 1u << 24;     // then the rest is left to the first masks
constexpr size_t table_key_bytes = 16384;    // of a table shared between grammars
constexpr size_t table_cache_bytes = size_t{64} << 20;  // of a vocabulary

}  // namespace gsample::limits
