"""Steps: threads, drafts, failures, and what a call from Python costs beside the work."""
import time
import unittest
from array import array

import gsample
from cases import Rule, recipe
from gsample._library import lib

N, WIDTH = 16, 1000


def matrix(n, width):
    rows = array('f')
    for i in range(n):
        rows.extend(recipe('cubic', width, 3, i))
    return memoryview(rows).cast('B').cast('f', (n, width))


class Steps(unittest.TestCase):
    def test_threads_change_nothing(self):
        rows, tokens = matrix(N, WIDTH), []
        with gsample.Threads(4) as threads:
            for executor in (None, threads):
                samplers = [gsample.Sampler(seed=i) for i in range(N)]
                with gsample.Step(samplers, executor) as step:
                    tokens.append([step.decide(rows) for _ in range(3)])
        self.assertEqual(*tokens)

    def test_a_failure_is_one_sequences(self):
        samplers = [gsample.Sampler(temperature=0) for _ in range(3)]
        samplers[1].constrain(Rule(2, 0))
        step = gsample.Step(samplers)
        self.assertEqual([token is None for token in step.decide(matrix(3, 50))], [False, True, False])
        self.assertEqual(step.errors[1].status, gsample.Status.NO_CANDIDATE)
        samplers[1].constrain(None)
        self.assertNotIn(None, step.decide(matrix(3, 50)))
        self.assertFalse(step.errors)
        with self.assertRaises(gsample.Error):
            gsample.Step([samplers[0], samplers[0]]).decide(matrix(2, 50))
        self.assertIsInstance(samplers[0].pick(recipe('flat', 50, 1, 1)), int)  # and it is free again
        with self.assertRaises(ValueError):
            gsample.Step(samplers).decide(matrix(2, 50))

    def test_masks(self):
        samplers, rows = [gsample.Sampler(temperature=0) for _ in range(2)], matrix(2, 50)
        step = gsample.Step(samplers)
        self.assertEqual(step.decide(rows, gsample.mask([5], 50)), [5, 5])
        both = gsample.mask([5], 50) + gsample.mask([6], 50)
        both = memoryview(both).cast('B').cast('I', (2, 2))
        self.assertEqual(step.decide(rows, both), [5, 6])

    def test_broken_executor(self):
        class Broken:
            n_workers = 1

            def parallel_for(self, n, body):
                raise KeyError('no threads')
        step = gsample.Step([gsample.Sampler()], Broken())
        try:
            self.assertEqual(step.decide(matrix(1, 50)), [None])
            error = step.errors[0]
        except gsample.Error as raised:
            error = raised
        self.assertEqual((error.status, type(error.__cause__)), (gsample.Status.CALLBACK, KeyError))

    def test_drafts_change_nothing(self):
        row = [recipe('cubic', WIDTH, 9, i) for i in range(3)]
        rows = memoryview(row[0] + row[1] + row[2]).cast('B').cast('f', (3, WIDTH))
        plain = gsample.Sampler(seed=5)
        expected = [plain.pick(r) for r in row]
        samplers = [gsample.Sampler(seed=5) for _ in range(3)]
        right, wrong, idle = gsample.Step(samplers).verify([rows, rows, None], [expected[:2], [expected[0], expected[1] + 1], []],
                                                           mode=gsample.LogprobMode.RAW, n_top=2)
        self.assertEqual(right.tokens, expected)
        self.assertEqual((wrong.tokens, idle.tokens), (expected[:2], []))
        self.assertEqual([choice.token for choice in right.choices], expected)
        self.assertEqual([len(choice.top) for choice in right.choices], [2, 2, 2])

    def test_drafts_from_a_distribution(self):
        rows = matrix(2, WIDTH)
        with gsample.Sampler(seed=5) as sampler, gsample.Dist() as dist:
            dist.from_row(sampler, rows[0:1].cast('B').cast('f'))
            draft = dist.ids[0]
            outcome, = gsample.Step([sampler]).verify([rows], [[draft]], [[dist]])
            self.assertEqual(outcome.tokens[0], draft)  # p = q: the draft always stands
            self.assertEqual(len(outcome.tokens), 2)
            with self.assertRaises(ValueError):
                gsample.Step([sampler]).verify([rows], [[draft]], [[]])

    def test_call_cost(self):
        n, width = 32, 128256
        rows = matrix(1, width)
        rows = memoryview(array('f', rows.tobytes()) * n).cast('B').cast('f', (n, width))
        samplers = [gsample.Sampler(temperature=0.8, top_k=40, seed=i) for i in range(n)]
        step, best = gsample.Step(samplers), {}
        step.decide(rows)

        def bare():
            handles = [sampler._cell[0] for sampler in samplers]
            for sequence, handle in zip(step._sequences, handles):
                sequence.sampler = handle
            workspace = step._workspace._cell[0]
            start = time.perf_counter()
            lib.gsample_decide(step._sequences, n, None, workspace)
            return time.perf_counter() - start

        def python():
            start = time.perf_counter()
            step.decide(rows)
            return time.perf_counter() - start
        for round_ in range(500):  # the machine may be busy
            for call in (bare, python):
                best[call] = min(best.get(call, 1e9), call())
            if round_ >= 20 and best[python] < best[bare] * 1.05:
                break
        row, sampler = gsample.Row(array('f', [1, 3, 2])), samplers[0]
        start = time.perf_counter()
        for _ in range(2000):
            sampler.pick(row)
        single = (time.perf_counter() - start) / 2000
        print('python: a step of %d x %d takes %.0f us in C and %.0f us here; a pick from 3 logits %.1f us' % (
            n, width, best[bare] * 1e6, best[python] * 1e6, single * 1e6))
        self.assertLess(best[python], best[bare] * 1.1)
