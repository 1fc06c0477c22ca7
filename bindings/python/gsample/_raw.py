"""gsample.h for ctypes, written by bindings/raw.py: constants, structs, and FUNCTIONS as {name: (result, arguments)}. Pointers
are addresses; what the declarations mean stands in gsample.h."""
from ctypes import (CFUNCTYPE, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)

GSAMPLE_VERSION_MAJOR = 1
GSAMPLE_VERSION_MINOR = 0
GSAMPLE_VERSION_PATCH = 0
GSAMPLE_VERSION_NUMBER = (GSAMPLE_VERSION_MAJOR << 16 | GSAMPLE_VERSION_MINOR << 8 | GSAMPLE_VERSION_PATCH)
GSAMPLE_ABI_MAJOR = GSAMPLE_VERSION_MAJOR
GSAMPLE_SEMANTICS = 1
GSAMPLE_OK = 0
GSAMPLE_ERROR_INVALID_ARGUMENT = (-1)
GSAMPLE_ERROR_OUT_OF_MEMORY = (-2)
GSAMPLE_ERROR_NO_CANDIDATE = (-10)
GSAMPLE_ERROR_NOT_A_NUMBER = (-11)
GSAMPLE_ERROR_REFUSED = (-12)
GSAMPLE_ERROR_INEXACT = (-13)
GSAMPLE_ERROR_SYNTAX = (-20)
GSAMPLE_ERROR_UNSUPPORTED = (-21)
GSAMPLE_ERROR_FORMAT = (-22)
GSAMPLE_ERROR_LIMIT = (-23)
GSAMPLE_ERROR_BUFFER = (-24)
GSAMPLE_ERROR_IO = (-25)
GSAMPLE_ERROR_CALLBACK = (-30)
GSAMPLE_STAGE_PENALTIES = 1
GSAMPLE_STAGE_DRY = 2
GSAMPLE_STAGE_TOP_N_SIGMA = 3
GSAMPLE_STAGE_TOP_K = 4
GSAMPLE_STAGE_TYPICAL_P = 5
GSAMPLE_STAGE_TOP_P = 6
GSAMPLE_STAGE_MIN_P = 7
GSAMPLE_STAGE_XTC = 8
GSAMPLE_STAGE_TEMPERATURE = 9
GSAMPLE_STAGE_MIROSTAT = 10
GSAMPLE_STAGE_ADAPTIVE_P = 11
GSAMPLE_STAGE_CUSTOM = 64
GSAMPLE_PENALTY_WINDOW = 0
GSAMPLE_PENALTY_ANSWER = 1
GSAMPLE_NAN_ERROR = 0
GSAMPLE_NAN_BANNED = 1
GSAMPLE_CONSTRAINT_LAZY = 0
GSAMPLE_CONSTRAINT_MASK_FIRST = 1
GSAMPLE_CONSTRAINT_MASK_LAST = 2
GSAMPLE_F32 = 0
GSAMPLE_F16 = 1
GSAMPLE_BF16 = 2
GSAMPLE_LOGPROB_NONE = 0
GSAMPLE_LOGPROB_RAW = 1
GSAMPLE_LOGPROB_RAW_LOGIT = 2
GSAMPLE_LOGPROB_PROCESSED = 3
GSAMPLE_TOKEN_TEXT = 0
GSAMPLE_TOKEN_CONTROL = 1
GSAMPLE_TOKEN_STOP = 2
GSAMPLE_TOKEN_UNUSED = 3


class gsample_error(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('status', c_int32),
        ('line', c_int32),
        ('column', c_int32),
        ('message', c_char * 256),
    ]


class gsample_params(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('top_k', c_int32),
        ('seed', c_uint64),
        ('temperature', c_float),
        ('top_p', c_float),
        ('min_p', c_float),
        ('typical_p', c_float),
        ('top_n_sigma', c_float),
        ('xtc_probability', c_float),
        ('xtc_threshold', c_float),
        ('dynatemp_range', c_float),
        ('dynatemp_exponent', c_float),
        ('mirostat_tau', c_float),
        ('mirostat_eta', c_float),
        ('adaptive_target', c_float),
        ('adaptive_decay', c_float),
        ('penalty_repeat', c_float),
        ('penalty_freq', c_float),
        ('penalty_present', c_float),
        ('dry_multiplier', c_float),
        ('dry_base', c_float),
        ('mirostat', c_int32),
        ('penalty_style', c_int32),
        ('penalty_last_n', c_int32),
        ('dry_allowed_length', c_int32),
        ('dry_last_n', c_int32),
        ('min_keep', c_int32),
        ('nan_policy', c_int32),
        ('constraint_mode', c_int32),
        ('order', c_int32 * 32),
    ]


class gsample_row(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('dtype', c_uint32),
        ('n_vocab', c_uint32),
        ('reserved', c_uint32),
        ('logits', c_void_p),
        ('mask', c_void_p),
    ]


class gsample_row_report(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('n_nan', c_uint32),
        ('n_pos_inf', c_uint32),
        ('n_neg_inf', c_uint32),
        ('first_bad', c_int32),
        ('min', c_float),
        ('max', c_float),
        ('reserved', c_uint32),
    ]


class gsample_logprob(Structure):
    _fields_ = [
        ('logprob', c_double),
        ('token', c_int32),
        ('rank', c_int32),
    ]


class gsample_choice(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('logprob_mode', c_uint32),
        ('n_top', c_uint32),
        ('n_written', c_uint32),
        ('token', c_int32),
        ('rank', c_int32),
        ('logprob', c_double),
        ('top', c_void_p),
    ]


gsample_constraint_allows = CFUNCTYPE(c_int32, c_void_p, c_int32)
gsample_constraint_accept = CFUNCTYPE(c_int32, c_void_p, c_int32)
gsample_constraint_first_bytes = CFUNCTYPE(c_int32, c_void_p, c_void_p)
gsample_constraint_first_byte = CFUNCTYPE(c_int32, c_void_p, c_int32)
gsample_constraint_mask = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)
gsample_constraint_can_stop = CFUNCTYPE(c_int32, c_void_p)
gsample_constraint_clone = CFUNCTYPE(c_int32, c_void_p, c_void_p)
gsample_constraint_destroy = CFUNCTYPE(None, c_void_p)


class gsample_constraint(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('n_after', c_uint32),
        ('user', c_void_p),
        ('after', c_void_p),
        ('allows', gsample_constraint_allows),
        ('accept', gsample_constraint_accept),
        ('first_bytes', gsample_constraint_first_bytes),
        ('first_byte', gsample_constraint_first_byte),
        ('mask', gsample_constraint_mask),
        ('can_stop', gsample_constraint_can_stop),
        ('clone', gsample_constraint_clone),
        ('destroy', gsample_constraint_destroy),
    ]


gsample_custom_apply = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_size_t)
gsample_custom_clone = CFUNCTYPE(c_int32, c_void_p, c_void_p)
gsample_custom_destroy = CFUNCTYPE(None, c_void_p)


class gsample_custom(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('reserved', c_uint32),
        ('user', c_void_p),
        ('apply', gsample_custom_apply),
        ('clone', gsample_custom_clone),
        ('destroy', gsample_custom_destroy),
    ]


class gsample_sequence(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('dtype', c_uint32),
        ('n_vocab', c_uint32),
        ('n_rows', c_uint32),
        ('sampler', c_void_p),
        ('logits', c_void_p),
        ('row_stride', c_int64),
        ('masks', c_void_p),
        ('mask_stride', c_int64),
        ('drafts', c_void_p),
        ('draft_dists', c_void_p),
        ('tokens', c_void_p),
        ('choices', c_void_p),
        ('n_drafts', c_uint32),
        ('n_tokens', c_uint32),
        ('status', c_int32),
        ('reserved', c_int32),
    ]


gsample_executor_parallel_for = CFUNCTYPE(c_int32, c_void_p, c_size_t, c_void_p, c_void_p)


class gsample_executor(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('n_workers', c_uint32),
        ('user', c_void_p),
        ('parallel_for', gsample_executor_parallel_for),
    ]


class gsample_vocab_desc(Structure):
    _fields_ = [
        ('size', c_uint32),
        ('n_vocab', c_uint32),
        ('n_tokens', c_uint32),
        ('reserved', c_uint32),
        ('bytes', c_void_p),
        ('offsets', c_void_p),
        ('kinds', c_void_p),
    ]


FUNCTIONS = {
    'gsample_version': (c_uint32, []),
    'gsample_version_string': (c_char_p, []),
    'gsample_status_name': (c_char_p, [c_int32]),
    'gsample_target': (c_char_p, []),
    'gsample_params_init': (c_int32, [c_void_p]),
    'gsample_params_preset': (c_int32, [c_void_p, c_char_p, c_void_p]),
    'gsample_params_set': (c_int32, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'gsample_params_describe': (c_int64, [c_void_p, c_void_p, c_size_t]),
    'gsample_params_from_gguf': (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    'gsample_params_from_gguf_file': (c_int32, [c_void_p, c_char_p, c_void_p]),
    'gsample_params_from_generation_config': (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p]),
    'gsample_best': (c_int32, [c_void_p]),
    'gsample_row_check': (c_int32, [c_void_p, c_void_p]),
    'gsample_logprobs': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_new': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_free': (None, [c_void_p]),
    'gsample_clone': (c_int32, [c_void_p, c_void_p]),
    'gsample_assign': (c_int32, [c_void_p, c_void_p]),
    'gsample_reset': (c_int32, [c_void_p]),
    'gsample_reserve': (c_int32, [c_void_p, c_uint32, c_size_t]),
    'gsample_memory': (c_int64, [c_void_p]),
    'gsample_set_params': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_rng_seed': (c_int32, [c_void_p, c_uint64]),
    'gsample_uniform': (c_double, [c_void_p]),
    'gsample_seed': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_accept': (c_int32, [c_void_p, c_int32]),
    'gsample_bias': (c_int32, [c_void_p, c_void_p, c_void_p, c_size_t]),
    'gsample_stop': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_dry_breaker': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_set_custom': (c_int32, [c_void_p, c_void_p]),
    'gsample_constrain': (c_int32, [c_void_p, c_void_p]),
    'gsample_shaped': (c_int32, [c_void_p]),
    'gsample_candidates_needed': (c_int64, [c_void_p]),
    'gsample_save': (c_int64, [c_void_p, c_void_p, c_size_t]),
    'gsample_load': (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    'gsample_pick': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_pick_row': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_workspace_new': (c_int32, [c_uint32, c_void_p]),
    'gsample_workspace_free': (None, [c_void_p]),
    'gsample_decide': (c_int32, [c_void_p, c_size_t, c_void_p, c_void_p]),
    'gsample_dist_new': (c_int32, [c_void_p]),
    'gsample_dist_free': (None, [c_void_p]),
    'gsample_dist_set': (c_int32, [c_void_p, c_void_p, c_void_p, c_size_t]),
    'gsample_dist_from_row': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_dist_from_candidates': (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_uint32, c_int32]),
    'gsample_dist_size': (c_size_t, [c_void_p]),
    'gsample_dist_ids': (c_void_p, [c_void_p]),
    'gsample_dist_weights': (c_void_p, [c_void_p]),
    'gsample_dist_total': (c_double, [c_void_p]),
    'gsample_dist_chance': (c_double, [c_void_p, c_int32]),
    'gsample_dist_draw': (c_int32, [c_void_p, c_void_p]),
    'gsample_dist_residual': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_vocab_new': (c_int32, [c_void_p, c_void_p, c_void_p]),
    'gsample_vocab_from_gguf': (c_int32, [c_void_p, c_size_t, c_uint32, c_void_p, c_void_p]),
    'gsample_vocab_from_gguf_file': (c_int32, [c_char_p, c_uint32, c_void_p, c_void_p]),
    'gsample_vocab_from_tokenizer_json': (c_int32, [c_char_p, c_size_t, c_uint32, c_void_p, c_void_p]),
    'gsample_vocab_set_stop': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_vocab_bytes': (c_int32, [c_void_p, c_int32, c_void_p, c_void_p]),
    'gsample_vocab_stops': (c_int64, [c_void_p, c_void_p, c_size_t]),
    'gsample_vocab_retain': (c_void_p, [c_void_p]),
    'gsample_vocab_free': (None, [c_void_p]),
    'gsample_grammar_from_gbnf': (c_int32, [c_void_p, c_char_p, c_size_t, c_char_p, c_void_p, c_void_p]),
    'gsample_grammar_from_regex': (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p, c_void_p]),
    'gsample_grammar_warm': (c_int32, [c_void_p]),
    'gsample_grammar_retain': (c_void_p, [c_void_p]),
    'gsample_grammar_free': (None, [c_void_p]),
    'gsample_matcher_new': (c_int32, [c_void_p, c_void_p]),
    'gsample_matcher_free': (None, [c_void_p]),
    'gsample_matcher_clone': (c_int32, [c_void_p, c_void_p]),
    'gsample_matcher_reset': (c_int32, [c_void_p]),
    'gsample_matcher_allows': (c_int32, [c_void_p, c_int32]),
    'gsample_matcher_can_stop': (c_int32, [c_void_p]),
    'gsample_matcher_accept': (c_int32, [c_void_p, c_int32]),
    'gsample_matcher_rollback': (c_int32, [c_void_p, c_size_t]),
    'gsample_matcher_mask': (c_int32, [c_void_p, c_void_p, c_size_t]),
    'gsample_matcher_constraint': (c_int32, [c_void_p, c_void_p]),
    'gsample_get_api': (c_void_p, [c_uint32]),
}
