// gsample.h for Rust, written by bindings/raw.py. What the declarations mean stands in gsample.h.

pub const GSAMPLE_VERSION_MAJOR: u32 = 1;
pub const GSAMPLE_VERSION_MINOR: u32 = 0;
pub const GSAMPLE_VERSION_PATCH: u32 = 0;
pub const GSAMPLE_VERSION_NUMBER: u32 = GSAMPLE_VERSION_MAJOR << 16 | GSAMPLE_VERSION_MINOR << 8 | GSAMPLE_VERSION_PATCH;
pub const GSAMPLE_ABI_MAJOR: u32 = GSAMPLE_VERSION_MAJOR;
pub const GSAMPLE_SEMANTICS: u32 = 1;
pub const GSAMPLE_OK: i32 = 0;
pub const GSAMPLE_ERROR_INVALID_ARGUMENT: i32 = -1;
pub const GSAMPLE_ERROR_OUT_OF_MEMORY: i32 = -2;
pub const GSAMPLE_ERROR_NO_CANDIDATE: i32 = -10;
pub const GSAMPLE_ERROR_NOT_A_NUMBER: i32 = -11;
pub const GSAMPLE_ERROR_REFUSED: i32 = -12;
pub const GSAMPLE_ERROR_INEXACT: i32 = -13;
pub const GSAMPLE_ERROR_SYNTAX: i32 = -20;
pub const GSAMPLE_ERROR_UNSUPPORTED: i32 = -21;
pub const GSAMPLE_ERROR_FORMAT: i32 = -22;
pub const GSAMPLE_ERROR_LIMIT: i32 = -23;
pub const GSAMPLE_ERROR_BUFFER: i32 = -24;
pub const GSAMPLE_ERROR_IO: i32 = -25;
pub const GSAMPLE_ERROR_CALLBACK: i32 = -30;
pub const GSAMPLE_STAGE_PENALTIES: i32 = 1;
pub const GSAMPLE_STAGE_DRY: i32 = 2;
pub const GSAMPLE_STAGE_TOP_N_SIGMA: i32 = 3;
pub const GSAMPLE_STAGE_TOP_K: i32 = 4;
pub const GSAMPLE_STAGE_TYPICAL_P: i32 = 5;
pub const GSAMPLE_STAGE_TOP_P: i32 = 6;
pub const GSAMPLE_STAGE_MIN_P: i32 = 7;
pub const GSAMPLE_STAGE_XTC: i32 = 8;
pub const GSAMPLE_STAGE_TEMPERATURE: i32 = 9;
pub const GSAMPLE_STAGE_MIROSTAT: i32 = 10;
pub const GSAMPLE_STAGE_ADAPTIVE_P: i32 = 11;
pub const GSAMPLE_STAGE_CUSTOM: i32 = 64;
pub const GSAMPLE_PENALTY_WINDOW: i32 = 0;
pub const GSAMPLE_PENALTY_ANSWER: i32 = 1;
pub const GSAMPLE_NAN_ERROR: i32 = 0;
pub const GSAMPLE_NAN_BANNED: i32 = 1;
pub const GSAMPLE_CONSTRAINT_LAZY: i32 = 0;
pub const GSAMPLE_CONSTRAINT_MASK_FIRST: i32 = 1;
pub const GSAMPLE_CONSTRAINT_MASK_LAST: i32 = 2;
pub const GSAMPLE_F32: u32 = 0;
pub const GSAMPLE_F16: u32 = 1;
pub const GSAMPLE_BF16: u32 = 2;
pub const GSAMPLE_LOGPROB_NONE: u32 = 0;
pub const GSAMPLE_LOGPROB_RAW: u32 = 1;
pub const GSAMPLE_LOGPROB_RAW_LOGIT: u32 = 2;
pub const GSAMPLE_LOGPROB_PROCESSED: u32 = 3;
pub const GSAMPLE_TOKEN_TEXT: u8 = 0;
pub const GSAMPLE_TOKEN_CONTROL: u8 = 1;
pub const GSAMPLE_TOKEN_STOP: u8 = 2;
pub const GSAMPLE_TOKEN_UNUSED: u8 = 3;

#[repr(C)]
pub struct gsample_sampler {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
pub struct gsample_dist {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
pub struct gsample_workspace {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
pub struct gsample_vocab {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
pub struct gsample_grammar {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
pub struct gsample_matcher {
    _opaque: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_error {
    pub size: u32,
    pub status: i32,
    pub line: i32,
    pub column: i32,
    pub message: [c_char; 256],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_params {
    pub size: u32,
    pub top_k: i32,
    pub seed: u64,
    pub temperature: f32,
    pub top_p: f32,
    pub min_p: f32,
    pub typical_p: f32,
    pub top_n_sigma: f32,
    pub xtc_probability: f32,
    pub xtc_threshold: f32,
    pub dynatemp_range: f32,
    pub dynatemp_exponent: f32,
    pub mirostat_tau: f32,
    pub mirostat_eta: f32,
    pub adaptive_target: f32,
    pub adaptive_decay: f32,
    pub penalty_repeat: f32,
    pub penalty_freq: f32,
    pub penalty_present: f32,
    pub dry_multiplier: f32,
    pub dry_base: f32,
    pub mirostat: i32,
    pub penalty_style: i32,
    pub penalty_last_n: i32,
    pub dry_allowed_length: i32,
    pub dry_last_n: i32,
    pub min_keep: i32,
    pub nan_policy: i32,
    pub constraint_mode: i32,
    pub order: [i32; 32],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_row {
    pub size: u32,
    pub dtype: u32,
    pub n_vocab: u32,
    pub reserved: u32,
    pub logits: *const c_void,
    pub mask: *const u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_row_report {
    pub size: u32,
    pub n_nan: u32,
    pub n_pos_inf: u32,
    pub n_neg_inf: u32,
    pub first_bad: i32,
    pub min: f32,
    pub max: f32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_logprob {
    pub logprob: f64,
    pub token: i32,
    pub rank: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_choice {
    pub size: u32,
    pub logprob_mode: u32,
    pub n_top: u32,
    pub n_written: u32,
    pub token: i32,
    pub rank: i32,
    pub logprob: f64,
    pub top: *mut gsample_logprob,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_constraint {
    pub size: u32,
    pub n_after: u32,
    pub user: *mut c_void,
    pub after: *const i32,
    pub allows: Option<unsafe extern "C" fn(user: *mut c_void, token: i32) -> i32>,
    pub accept: Option<unsafe extern "C" fn(user: *mut c_void, token: i32) -> i32>,
    pub first_bytes: Option<unsafe extern "C" fn(user: *mut c_void, table: *mut u8) -> i32>,
    pub first_byte: Option<unsafe extern "C" fn(user: *mut c_void, token: i32) -> i32>,
    pub mask: Option<unsafe extern "C" fn(user: *mut c_void, words: *mut u32, n_words: usize) -> i32>,
    pub can_stop: Option<unsafe extern "C" fn(user: *mut c_void) -> i32>,
    pub clone: Option<unsafe extern "C" fn(user: *mut c_void, out: *mut *mut c_void) -> i32>,
    pub destroy: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_custom {
    pub size: u32,
    pub reserved: u32,
    pub user: *mut c_void,
    pub apply: Option<unsafe extern "C" fn(user: *mut c_void, tokens: *const i32, logits: *mut f32, n: usize) -> i32>,
    pub clone: Option<unsafe extern "C" fn(user: *mut c_void, out: *mut *mut c_void) -> i32>,
    pub destroy: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_sequence {
    pub size: u32,
    pub dtype: u32,
    pub n_vocab: u32,
    pub n_rows: u32,
    pub sampler: *mut gsample_sampler,
    pub logits: *const c_void,
    pub row_stride: i64,
    pub masks: *const u32,
    pub mask_stride: i64,
    pub drafts: *const i32,
    pub draft_dists: *const *const gsample_dist,
    pub tokens: *mut i32,
    pub choices: *mut gsample_choice,
    pub n_drafts: u32,
    pub n_tokens: u32,
    pub status: i32,
    pub reserved: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_executor {
    pub size: u32,
    pub n_workers: u32,
    pub user: *mut c_void,
    pub parallel_for: Option<unsafe extern "C" fn(user: *mut c_void, n: usize, body: Option<unsafe extern "C" fn(arg: *mut c_void, worker: u32, i: usize)>, arg: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_vocab_desc {
    pub size: u32,
    pub n_vocab: u32,
    pub n_tokens: u32,
    pub reserved: u32,
    pub bytes: *const u8,
    pub offsets: *const u64,
    pub kinds: *const u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gsample_api {
    pub size: u32,
    pub abi_major: u32,
    pub gsample_version: Option<unsafe extern "C" fn() -> u32>,
    pub gsample_version_string: Option<unsafe extern "C" fn() -> *const c_char>,
    pub gsample_status_name: Option<unsafe extern "C" fn(status: i32) -> *const c_char>,
    pub gsample_target: Option<unsafe extern "C" fn() -> *const c_char>,
    pub gsample_params_init: Option<unsafe extern "C" fn(params: *mut gsample_params) -> i32>,
    pub gsample_params_preset: Option<unsafe extern "C" fn(params: *mut gsample_params, name: *const c_char, error: *mut gsample_error) -> i32>,
    pub gsample_params_set: Option<unsafe extern "C" fn(params: *mut gsample_params, key: *const c_char, value: *const c_char, error: *mut gsample_error) -> i32>,
    pub gsample_params_describe: Option<unsafe extern "C" fn(params: *const gsample_params, text: *mut c_char, capacity: usize) -> i64>,
    pub gsample_params_from_gguf: Option<unsafe extern "C" fn(params: *mut gsample_params, data: *const c_void, n: usize, error: *mut gsample_error) -> i32>,
    pub gsample_params_from_gguf_file: Option<unsafe extern "C" fn(params: *mut gsample_params, path: *const c_char, error: *mut gsample_error) -> i32>,
    pub gsample_params_from_generation_config: Option<unsafe extern "C" fn(params: *mut gsample_params, json: *const c_char, n: usize, error: *mut gsample_error) -> i32>,
    pub gsample_best: Option<unsafe extern "C" fn(row: *const gsample_row) -> i32>,
    pub gsample_row_check: Option<unsafe extern "C" fn(row: *const gsample_row, report: *mut gsample_row_report) -> i32>,
    pub gsample_logprobs: Option<unsafe extern "C" fn(row: *const gsample_row, items: *mut gsample_logprob, n: usize) -> i32>,
    pub gsample_new: Option<unsafe extern "C" fn(params: *const gsample_params, sampler: *mut *mut gsample_sampler, error: *mut gsample_error) -> i32>,
    pub gsample_free: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler)>,
    pub gsample_clone: Option<unsafe extern "C" fn(sampler: *const gsample_sampler, copy: *mut *mut gsample_sampler) -> i32>,
    pub gsample_assign: Option<unsafe extern "C" fn(to: *mut gsample_sampler, from: *const gsample_sampler) -> i32>,
    pub gsample_reset: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler) -> i32>,
    pub gsample_reserve: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, n_vocab: u32, n_tokens: usize) -> i32>,
    pub gsample_memory: Option<unsafe extern "C" fn(sampler: *const gsample_sampler) -> i64>,
    pub gsample_set_params: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, params: *const gsample_params, error: *mut gsample_error) -> i32>,
    pub gsample_rng_seed: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, seed: u64) -> i32>,
    pub gsample_uniform: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler) -> f64>,
    pub gsample_seed: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32>,
    pub gsample_accept: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, token: i32) -> i32>,
    pub gsample_bias: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, tokens: *const i32, biases: *const f32, n: usize) -> i32>,
    pub gsample_stop: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32>,
    pub gsample_dry_breaker: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32>,
    pub gsample_set_custom: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, custom: *const gsample_custom) -> i32>,
    pub gsample_constrain: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, constraint: *const gsample_constraint) -> i32>,
    pub gsample_shaped: Option<unsafe extern "C" fn(sampler: *const gsample_sampler) -> i32>,
    pub gsample_candidates_needed: Option<unsafe extern "C" fn(sampler: *const gsample_sampler) -> i64>,
    pub gsample_save: Option<unsafe extern "C" fn(sampler: *const gsample_sampler, bytes: *mut c_void, capacity: usize) -> i64>,
    pub gsample_load: Option<unsafe extern "C" fn(sampler: *mut *mut gsample_sampler, bytes: *const c_void, n: usize, error: *mut gsample_error) -> i32>,
    pub gsample_pick: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, logits: *const f32, n_vocab: usize) -> i32>,
    pub gsample_pick_row: Option<unsafe extern "C" fn(sampler: *mut gsample_sampler, row: *const gsample_row, choice: *mut gsample_choice) -> i32>,
    pub gsample_workspace_new: Option<unsafe extern "C" fn(n_workers: u32, workspace: *mut *mut gsample_workspace) -> i32>,
    pub gsample_workspace_free: Option<unsafe extern "C" fn(workspace: *mut gsample_workspace)>,
    pub gsample_decide: Option<unsafe extern "C" fn(sequences: *mut gsample_sequence, n: usize, executor: *const gsample_executor, workspace: *mut gsample_workspace) -> i32>,
    pub gsample_dist_new: Option<unsafe extern "C" fn(dist: *mut *mut gsample_dist) -> i32>,
    pub gsample_dist_free: Option<unsafe extern "C" fn(dist: *mut gsample_dist)>,
    pub gsample_dist_set: Option<unsafe extern "C" fn(dist: *mut gsample_dist, tokens: *const i32, weights: *const f64, n: usize) -> i32>,
    pub gsample_dist_from_row: Option<unsafe extern "C" fn(dist: *mut gsample_dist, sampler: *mut gsample_sampler, row: *const gsample_row) -> i32>,
    pub gsample_dist_from_candidates: Option<unsafe extern "C" fn(dist: *mut gsample_dist, sampler: *mut gsample_sampler, tokens: *const i32, logits: *const f32, n: usize, n_vocab: u32, exact: i32) -> i32>,
    pub gsample_dist_size: Option<unsafe extern "C" fn(dist: *const gsample_dist) -> usize>,
    pub gsample_dist_ids: Option<unsafe extern "C" fn(dist: *const gsample_dist) -> *const i32>,
    pub gsample_dist_weights: Option<unsafe extern "C" fn(dist: *const gsample_dist) -> *const f64>,
    pub gsample_dist_total: Option<unsafe extern "C" fn(dist: *const gsample_dist) -> f64>,
    pub gsample_dist_chance: Option<unsafe extern "C" fn(dist: *const gsample_dist, token: i32) -> f64>,
    pub gsample_dist_draw: Option<unsafe extern "C" fn(dist: *const gsample_dist, sampler: *mut gsample_sampler) -> i32>,
    pub gsample_dist_residual: Option<unsafe extern "C" fn(p: *const gsample_dist, q: *const gsample_dist, out: *mut gsample_dist) -> i32>,
    pub gsample_vocab_new: Option<unsafe extern "C" fn(desc: *const gsample_vocab_desc, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32>,
    pub gsample_vocab_from_gguf: Option<unsafe extern "C" fn(data: *const c_void, n: usize, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32>,
    pub gsample_vocab_from_gguf_file: Option<unsafe extern "C" fn(path: *const c_char, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32>,
    pub gsample_vocab_from_tokenizer_json: Option<unsafe extern "C" fn(json: *const c_char, n: usize, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32>,
    pub gsample_vocab_set_stop: Option<unsafe extern "C" fn(vocab: *mut gsample_vocab, tokens: *const i32, n: usize) -> i32>,
    pub gsample_vocab_bytes: Option<unsafe extern "C" fn(vocab: *const gsample_vocab, token: i32, bytes: *mut *const u8, n: *mut usize) -> i32>,
    pub gsample_vocab_stops: Option<unsafe extern "C" fn(vocab: *const gsample_vocab, tokens: *mut i32, capacity: usize) -> i64>,
    pub gsample_vocab_retain: Option<unsafe extern "C" fn(vocab: *mut gsample_vocab) -> *mut gsample_vocab>,
    pub gsample_vocab_free: Option<unsafe extern "C" fn(vocab: *mut gsample_vocab)>,
    pub gsample_grammar_from_gbnf: Option<unsafe extern "C" fn(vocab: *mut gsample_vocab, text: *const c_char, n: usize, root: *const c_char, grammar: *mut *mut gsample_grammar, error: *mut gsample_error) -> i32>,
    pub gsample_grammar_from_regex: Option<unsafe extern "C" fn(vocab: *mut gsample_vocab, text: *const c_char, n: usize, grammar: *mut *mut gsample_grammar, error: *mut gsample_error) -> i32>,
    pub gsample_grammar_warm: Option<unsafe extern "C" fn(grammar: *mut gsample_grammar) -> i32>,
    pub gsample_grammar_retain: Option<unsafe extern "C" fn(grammar: *mut gsample_grammar) -> *mut gsample_grammar>,
    pub gsample_grammar_free: Option<unsafe extern "C" fn(grammar: *mut gsample_grammar)>,
    pub gsample_matcher_new: Option<unsafe extern "C" fn(grammar: *mut gsample_grammar, matcher: *mut *mut gsample_matcher) -> i32>,
    pub gsample_matcher_free: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher)>,
    pub gsample_matcher_clone: Option<unsafe extern "C" fn(matcher: *const gsample_matcher, copy: *mut *mut gsample_matcher) -> i32>,
    pub gsample_matcher_reset: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher) -> i32>,
    pub gsample_matcher_allows: Option<unsafe extern "C" fn(matcher: *const gsample_matcher, token: i32) -> i32>,
    pub gsample_matcher_can_stop: Option<unsafe extern "C" fn(matcher: *const gsample_matcher) -> i32>,
    pub gsample_matcher_accept: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher, token: i32) -> i32>,
    pub gsample_matcher_rollback: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher, n: usize) -> i32>,
    pub gsample_matcher_mask: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher, words: *mut u32, n_words: usize) -> i32>,
    pub gsample_matcher_constraint: Option<unsafe extern "C" fn(matcher: *mut gsample_matcher, constraint: *mut gsample_constraint) -> i32>,
}

extern "C" {
    pub fn gsample_version() -> u32;
    pub fn gsample_version_string() -> *const c_char;
    pub fn gsample_status_name(status: i32) -> *const c_char;
    pub fn gsample_target() -> *const c_char;
    pub fn gsample_params_init(params: *mut gsample_params) -> i32;
    pub fn gsample_params_preset(params: *mut gsample_params, name: *const c_char, error: *mut gsample_error) -> i32;
    pub fn gsample_params_set(params: *mut gsample_params, key: *const c_char, value: *const c_char, error: *mut gsample_error) -> i32;
    pub fn gsample_params_describe(params: *const gsample_params, text: *mut c_char, capacity: usize) -> i64;
    pub fn gsample_params_from_gguf(params: *mut gsample_params, data: *const c_void, n: usize, error: *mut gsample_error) -> i32;
    pub fn gsample_params_from_gguf_file(params: *mut gsample_params, path: *const c_char, error: *mut gsample_error) -> i32;
    pub fn gsample_params_from_generation_config(params: *mut gsample_params, json: *const c_char, n: usize, error: *mut gsample_error) -> i32;
    pub fn gsample_best(row: *const gsample_row) -> i32;
    pub fn gsample_row_check(row: *const gsample_row, report: *mut gsample_row_report) -> i32;
    pub fn gsample_logprobs(row: *const gsample_row, items: *mut gsample_logprob, n: usize) -> i32;
    pub fn gsample_new(params: *const gsample_params, sampler: *mut *mut gsample_sampler, error: *mut gsample_error) -> i32;
    pub fn gsample_free(sampler: *mut gsample_sampler);
    pub fn gsample_clone(sampler: *const gsample_sampler, copy: *mut *mut gsample_sampler) -> i32;
    pub fn gsample_assign(to: *mut gsample_sampler, from: *const gsample_sampler) -> i32;
    pub fn gsample_reset(sampler: *mut gsample_sampler) -> i32;
    pub fn gsample_reserve(sampler: *mut gsample_sampler, n_vocab: u32, n_tokens: usize) -> i32;
    pub fn gsample_memory(sampler: *const gsample_sampler) -> i64;
    pub fn gsample_set_params(sampler: *mut gsample_sampler, params: *const gsample_params, error: *mut gsample_error) -> i32;
    pub fn gsample_rng_seed(sampler: *mut gsample_sampler, seed: u64) -> i32;
    pub fn gsample_uniform(sampler: *mut gsample_sampler) -> f64;
    pub fn gsample_seed(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32;
    pub fn gsample_accept(sampler: *mut gsample_sampler, token: i32) -> i32;
    pub fn gsample_bias(sampler: *mut gsample_sampler, tokens: *const i32, biases: *const f32, n: usize) -> i32;
    pub fn gsample_stop(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32;
    pub fn gsample_dry_breaker(sampler: *mut gsample_sampler, tokens: *const i32, n: usize) -> i32;
    pub fn gsample_set_custom(sampler: *mut gsample_sampler, custom: *const gsample_custom) -> i32;
    pub fn gsample_constrain(sampler: *mut gsample_sampler, constraint: *const gsample_constraint) -> i32;
    pub fn gsample_shaped(sampler: *const gsample_sampler) -> i32;
    pub fn gsample_candidates_needed(sampler: *const gsample_sampler) -> i64;
    pub fn gsample_save(sampler: *const gsample_sampler, bytes: *mut c_void, capacity: usize) -> i64;
    pub fn gsample_load(sampler: *mut *mut gsample_sampler, bytes: *const c_void, n: usize, error: *mut gsample_error) -> i32;
    pub fn gsample_pick(sampler: *mut gsample_sampler, logits: *const f32, n_vocab: usize) -> i32;
    pub fn gsample_pick_row(sampler: *mut gsample_sampler, row: *const gsample_row, choice: *mut gsample_choice) -> i32;
    pub fn gsample_workspace_new(n_workers: u32, workspace: *mut *mut gsample_workspace) -> i32;
    pub fn gsample_workspace_free(workspace: *mut gsample_workspace);
    pub fn gsample_decide(sequences: *mut gsample_sequence, n: usize, executor: *const gsample_executor, workspace: *mut gsample_workspace) -> i32;
    pub fn gsample_dist_new(dist: *mut *mut gsample_dist) -> i32;
    pub fn gsample_dist_free(dist: *mut gsample_dist);
    pub fn gsample_dist_set(dist: *mut gsample_dist, tokens: *const i32, weights: *const f64, n: usize) -> i32;
    pub fn gsample_dist_from_row(dist: *mut gsample_dist, sampler: *mut gsample_sampler, row: *const gsample_row) -> i32;
    pub fn gsample_dist_from_candidates(dist: *mut gsample_dist, sampler: *mut gsample_sampler, tokens: *const i32, logits: *const f32, n: usize, n_vocab: u32, exact: i32) -> i32;
    pub fn gsample_dist_size(dist: *const gsample_dist) -> usize;
    pub fn gsample_dist_ids(dist: *const gsample_dist) -> *const i32;
    pub fn gsample_dist_weights(dist: *const gsample_dist) -> *const f64;
    pub fn gsample_dist_total(dist: *const gsample_dist) -> f64;
    pub fn gsample_dist_chance(dist: *const gsample_dist, token: i32) -> f64;
    pub fn gsample_dist_draw(dist: *const gsample_dist, sampler: *mut gsample_sampler) -> i32;
    pub fn gsample_dist_residual(p: *const gsample_dist, q: *const gsample_dist, out: *mut gsample_dist) -> i32;
    pub fn gsample_vocab_new(desc: *const gsample_vocab_desc, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32;
    pub fn gsample_vocab_from_gguf(data: *const c_void, n: usize, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32;
    pub fn gsample_vocab_from_gguf_file(path: *const c_char, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32;
    pub fn gsample_vocab_from_tokenizer_json(json: *const c_char, n: usize, n_vocab: u32, vocab: *mut *mut gsample_vocab, error: *mut gsample_error) -> i32;
    pub fn gsample_vocab_set_stop(vocab: *mut gsample_vocab, tokens: *const i32, n: usize) -> i32;
    pub fn gsample_vocab_bytes(vocab: *const gsample_vocab, token: i32, bytes: *mut *const u8, n: *mut usize) -> i32;
    pub fn gsample_vocab_stops(vocab: *const gsample_vocab, tokens: *mut i32, capacity: usize) -> i64;
    pub fn gsample_vocab_retain(vocab: *mut gsample_vocab) -> *mut gsample_vocab;
    pub fn gsample_vocab_free(vocab: *mut gsample_vocab);
    pub fn gsample_grammar_from_gbnf(vocab: *mut gsample_vocab, text: *const c_char, n: usize, root: *const c_char, grammar: *mut *mut gsample_grammar, error: *mut gsample_error) -> i32;
    pub fn gsample_grammar_from_regex(vocab: *mut gsample_vocab, text: *const c_char, n: usize, grammar: *mut *mut gsample_grammar, error: *mut gsample_error) -> i32;
    pub fn gsample_grammar_warm(grammar: *mut gsample_grammar) -> i32;
    pub fn gsample_grammar_retain(grammar: *mut gsample_grammar) -> *mut gsample_grammar;
    pub fn gsample_grammar_free(grammar: *mut gsample_grammar);
    pub fn gsample_matcher_new(grammar: *mut gsample_grammar, matcher: *mut *mut gsample_matcher) -> i32;
    pub fn gsample_matcher_free(matcher: *mut gsample_matcher);
    pub fn gsample_matcher_clone(matcher: *const gsample_matcher, copy: *mut *mut gsample_matcher) -> i32;
    pub fn gsample_matcher_reset(matcher: *mut gsample_matcher) -> i32;
    pub fn gsample_matcher_allows(matcher: *const gsample_matcher, token: i32) -> i32;
    pub fn gsample_matcher_can_stop(matcher: *const gsample_matcher) -> i32;
    pub fn gsample_matcher_accept(matcher: *mut gsample_matcher, token: i32) -> i32;
    pub fn gsample_matcher_rollback(matcher: *mut gsample_matcher, n: usize) -> i32;
    pub fn gsample_matcher_mask(matcher: *mut gsample_matcher, words: *mut u32, n_words: usize) -> i32;
    pub fn gsample_matcher_constraint(matcher: *mut gsample_matcher, constraint: *mut gsample_constraint) -> i32;
    pub fn gsample_get_api(abi_major: u32) -> *const gsample_api;
}
