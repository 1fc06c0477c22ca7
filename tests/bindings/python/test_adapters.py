"""The adapters for transformers and vLLM, on numpy arrays, and on torch tensors where torch is installed. The engine here draws as those do:
softmax of what the processor gives."""
import unittest

import gsample
from gsample.adapters import LogitsProcessor, request_processor

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

VOCAB, STOP = 40, 39


def sampler(seed=1):
    vocab = gsample.Vocab([bytes([97 + t % 26]) * (1 + t // 26) for t in range(STOP)] + [b''],
                          [gsample.TokenKind.TEXT] * STOP + [gsample.TokenKind.STOP])
    out = gsample.Sampler(top_k=5, top_p=1, temperature=0.7, penalty_repeat=1.3, seed=seed)
    out.constrain(gsample.Matcher(gsample.Grammar.from_regex(vocab, '[a-f]{3,5}')))
    return out


@unittest.skipUnless(numpy, 'numpy is not installed')
class Adapters(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(1)

    def rows(self, n):
        return self.random.normal(0, 3, (n, VOCAB)).astype(numpy.float32)

    def law(self, made, row):
        """What gsample would draw from, as an array."""
        with gsample.Dist() as dist:
            dist.from_row(made, row)
            out = numpy.zeros(VOCAB)
            out[dist.ids] = numpy.array(dist.weights) / dist.total
        return out

    def softmax(self, scores):
        weights = numpy.exp(numpy.asarray(scores, numpy.float64))
        return weights / weights.sum()

    def test_transformers(self):
        processor = LogitsProcessor(sampler, stop=[STOP])
        ids = numpy.array([[1, 2, 3], [4, 5, 6]])
        own = [sampler(), sampler()]
        for i in range(2):
            own[i].seed(ids[i].tolist())
        for _ in range(3):
            scores = self.rows(2)
            before = scores.copy()
            out = processor(ids, scores)
            self.assertTrue((scores == before).all())
            for i in range(2):
                numpy.testing.assert_allclose(self.softmax(out[i]), self.law(own[i], scores[i]), atol=1e-6)
            picked = [int(self.random.choice(VOCAB, p=self.softmax(row))) for row in out]
            for i in range(2):
                self.assertIn(picked[i] % 26, range(6))
                own[i].accept(picked[i])
            ids = numpy.concatenate([ids, numpy.array(picked)[:, None]], 1)

    def test_transformers_beams(self):
        processor = LogitsProcessor(sampler)
        ids = numpy.array([[1], [1]])
        processor(ids, self.rows(2))
        out = processor(numpy.array([[1, 0], [1, 2]]), self.rows(2))
        both = self.rows(1).repeat(2, 0)
        out = processor(numpy.array([[1, 2, 3], [1, 2, 4]]), both)  # both beams go on from the second
        one = sampler()
        one.seed([1])
        one.accept(2), one.accept(3)
        numpy.testing.assert_allclose(self.softmax(out[0]), self.law(one, both[0]), atol=1e-6)
        with self.assertRaises(ValueError):
            processor(numpy.array([[9, 9, 9, 9], [1, 2, 4, 5]]), both)

    def test_transformers_leaves_finished_rows_alone(self):
        processor = LogitsProcessor(sampler, stop=[STOP])
        ids = [7]
        for token in (0, 1, 2, STOP, 11):  # the last is padding
            processor(numpy.array([ids]), self.rows(1))
            ids.append(token)
        scores = self.rows(1)
        self.assertTrue((processor(numpy.array([ids]), scores) == scores).all())

    def test_vllm(self):
        processor, own = request_processor(sampler(), stop=[STOP]), sampler()
        own.seed([1, 2, 3])
        output = []
        for token in (0, 1, 2, 3):
            row = self.rows(1)[0]
            numpy.testing.assert_allclose(self.softmax(processor([1, 2, 3], output, row)), self.law(own, row), atol=1e-6)
            own.accept(token)
            output.append(token)
        row = self.rows(1)[0]
        self.assertTrue((processor([1, 2, 3], output + [STOP], row) == row).all())

    @unittest.skipUnless(torch, 'torch is not installed')
    def test_torch(self):
        scores = self.rows(1)
        expected = LogitsProcessor(sampler)(numpy.array([[1]]), scores)
        for dtype, tolerance in ((torch.float32, 1e-6), (torch.float16, 1e-2), (torch.bfloat16, 1e-1)):
            got = LogitsProcessor(sampler)(torch.tensor([[1]]), torch.tensor(scores).to(dtype))
            self.assertEqual(got.dtype, dtype)
            numpy.testing.assert_allclose(self.softmax(got.float()), self.softmax(expected[0])[None], atol=tolerance)
