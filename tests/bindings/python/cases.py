"""The project's vectors (tests/golden/vectors.json, described in tests/golden/vectors_file.h) through the Python binding, and rows for the
other tests."""
import json
import os
import struct
import unittest
from array import array

import gsample

M64 = (1 << 64) - 1
VECTORS = os.path.join(os.path.dirname(__file__), '..', '..', 'golden', 'vectors.json')


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & M64
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & M64
    return x ^ x >> 31



ROUND = struct.Struct('f')


def rounded(x):
    """To f32. Python rounded the product to f64 first; that changes nothing, as f64 has more than twice the bits of f32."""
    return ROUND.unpack(ROUND.pack(x))[0]


def cubic(u):
    return rounded(rounded(rounded(rounded(u * u) * u) * 24) - 6)


def peaked(u):
    for _ in range(4):
        u = rounded(u * u)
    return rounded(rounded(u * 60) - 20)


KINDS = {'cubic': cubic, 'flat': lambda u: u * 0.5, 'ties16': lambda u: u * 16 // 1 - 8, 'peaked': peaked}


def recipe(kind, n, row_seed, pick):
    seed, function = splitmix64(row_seed + pick), KINDS[kind]
    return array('f', [function((splitmix64(seed + i & M64) >> 40) * 2.0 ** -24) for i in range(n)])


class Rule(gsample.Constraint):
    """Allows token t iff t % m < r."""

    def __init__(self, m, r):
        self.m, self.r = m, r

    def allows(self, token):
        return token % self.m < self.r

    def accept(self, token):
        pass


def row_of(case, pick):
    n, dtype = case['n_vocab'], case['dtype']
    if case['kind'] == 'raw':
        seed, bits = splitmix64(case['row_seed'] + pick), 0xcfff if dtype == gsample.Dtype.F16 else 0xc1ff
        words = array('H', [splitmix64(seed + i & M64) >> 48 & bits for i in range(n)])
    else:
        words = array('I', recipe(case['kind'], n, case['row_seed'], pick).tobytes())
    for column, bits in case['patch']:
        words[column] = bits
    if dtype == gsample.Dtype.F32:
        words = array('f', words.tobytes())
    mask = gsample.mask((i for i in range(n) if splitmix64(case['mask_seed'] + i) & 3), n) if case['mask_seed'] else None
    return gsample.Row(words, mask, gsample.Dtype(dtype))


def play(case):
    """The tokens and the generator's next number."""
    params = gsample.Params()
    for key, value in case['params']:
        params.set(key, value)
    with gsample.Sampler(params) as sampler:
        sampler.bias({token: ROUND.unpack(struct.pack('I', bits))[0] for token, bits in case['bias']})
        for breaker in case['breakers']:
            sampler.dry_breaker(breaker)
        sampler.seed(case['prompt'])
        if case['rule']:
            sampler.constrain(Rule(*case['rule']), case['after'])
        tokens = []
        for pick in range(len(case['tokens'])):
            forced = case['forced'][pick] if pick < len(case['forced']) else -1
            if forced >= 0:
                try:
                    sampler.accept(forced)
                except gsample.Error:
                    pass
            try:
                tokens.append(sampler.pick(row_of(case, pick)))
            except gsample.Error as error:
                tokens.append(error.status)
        return tokens, int(sampler.uniform() * 2 ** 53)


class Vectors(unittest.TestCase):
    def test_vectors(self):
        with open(VECTORS, encoding='utf-8') as file:
            all_ = json.load(file)
        self.assertEqual(all_['semantics'], gsample.SEMANTICS)
        fold = 1469598103934665603
        for case in all_['vectors']:
            tokens, following = play(case)
            self.assertEqual((tokens, following), (case['tokens'], case['next']), case['name'])
            for token in tokens:
                fold = (fold ^ token & 0xffffffff) * 1099511628211 & M64
        self.assertEqual(fold, int(all_['fold64'], 16))
