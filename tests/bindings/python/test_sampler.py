"""Ownership, callbacks, state, grammars and distributions through the Python binding."""
import gc
import math
import threading
import weakref

import gsample
from gsample import callbacks
from test_values import ROW, Checks, greedy


class Even(gsample.Constraint):
    def __init__(self, accepted=()):
        self.accepted = list(accepted)

    def allows(self, token):
        return token % 2 == 0

    def accept(self, token):
        self.accepted.append(token)

    def clone(self):
        return Even(self.accepted)


class Fast(Even):
    def mask(self, words):
        for i in range(len(words)):
            words[i] = 0x55555555

    def first_bytes(self):
        return b'ab'

    def first_byte(self, token):
        return b'aXbY'[token] if token < 3 else None

    def can_stop(self):
        return True


class Raises(gsample.Constraint):
    def __init__(self, error):
        self.error = error

    def allows(self, token):
        raise self.error

    def accept(self, token):
        raise self.error

    def clone(self):
        raise self.error


class Ownership(Checks):
    def test_use_after_close_is_an_error(self):
        sampler, dist, step = greedy(), gsample.Dist(), gsample.Step([])
        sampler.close()
        sampler.close()
        for call in (lambda: sampler.pick(ROW), sampler.uniform, sampler.clone, sampler.save, lambda: sampler.constrain(Even()),
                     lambda: dist.from_row(sampler, ROW), lambda: gsample.Step([sampler]).decide(memoryview(ROW).cast('B').cast('f', (1, 4)))):
            self.assertIn('closed', str(self.fails(gsample.Status.INVALID_ARGUMENT, call)))
        dist.close()
        self.fails(gsample.Status.INVALID_ARGUMENT, dist.chance, 1)
        step.close()
        self.assertFalse(callbacks._holders)

    def test_use_from_a_callback_is_an_error(self):
        sampler = greedy()

        class Nosy(Even):
            def allows(self, token):
                sampler.close()
        sampler.constrain(Nosy())
        error = self.fails(gsample.Status.INVALID_ARGUMENT, sampler.pick, ROW)
        self.assertIn('in use', str(error.__cause__))
        sampler.constrain(None)
        self.assertEqual(sampler.pick(ROW), 1)

    def test_collection_frees(self):
        constraint = Even()
        gone = weakref.ref(constraint)
        sampler = greedy()
        sampler.constrain(constraint)
        del constraint, sampler
        gc.collect()
        self.assertIsNone(gone())

    def test_a_sampler_may_move_between_threads(self):
        sampler, got = greedy(), []
        sampler.constrain(Even())
        thread = threading.Thread(target=lambda: got.append(sampler.pick(ROW)))
        thread.start()
        thread.join()
        self.assertEqual(got, [2])


class Callbacks(Checks):
    def test_constraint(self):
        for mode in gsample.ConstraintMode:
            for made in (Even(), Fast()):
                with gsample.Sampler(temperature=0, constraint_mode=mode) as sampler:
                    sampler.constrain(made, after=[1])
                    self.assertEqual([sampler.pick(ROW), sampler.pick(ROW)], [1, 2])
                    self.assertEqual(made.accepted, [2])
                    with sampler.clone() as copy:
                        copy.accept(0)
                    self.assertEqual(made.accepted, [2])
                    self.fails(gsample.Status.REFUSED, sampler.accept, 3)
        self.assertFalse(callbacks._holders)

    def test_what_a_callback_raises_is_the_cause(self):
        for error, status in ((KeyError('x'), gsample.Status.CALLBACK), (gsample.Error(gsample.Status.LIMIT, 'enough'), gsample.Status.LIMIT)):
            with greedy() as sampler:
                sampler.constrain(Raises(error))
                self.assertIs(self.fails(status, sampler.pick, ROW).__cause__, error)
                self.assertIs(self.fails(status, sampler.clone).__cause__, error)
                with gsample.Threads(2) as threads, gsample.Step([sampler], threads) as step:
                    self.assertEqual(step.decide(memoryview(ROW).cast('B').cast('f', (1, 4))), [None])
                self.assertIs(step.errors[0].__cause__, error)
                sampler.constrain(None)
                self.assertEqual(sampler.pick(ROW), 1)
        with greedy() as sampler:
            sampler.constrain(Raises(KeyboardInterrupt()))
            with self.assertRaises(KeyboardInterrupt):
                sampler.pick(ROW)

    def test_without_clone_a_sampler_cannot_be_cloned(self):
        class Plain(gsample.Constraint):
            def allows(self, token):
                return True

            def accept(self, token):
                pass
        with greedy() as sampler:
            sampler.constrain(Plain())
            self.fails(gsample.Status.UNSUPPORTED, sampler.clone)

    def test_memory_of_a_callback_ends_with_it(self):
        kept = []

        class Keeps(Fast):
            def mask(self, words):
                super().mask(words)
                kept.append(words)
        with gsample.Sampler(constraint_mode=gsample.ConstraintMode.MASK_FIRST) as sampler:
            sampler.constrain(Keeps())
            self.assertIn(sampler.pick(ROW), (0, 2))
        with self.assertRaises(ValueError):
            kept[0][0] = 1

    def test_custom_stage(self):
        class Only(gsample.CustomStage):
            def apply(self, tokens, logits):
                for i, token in enumerate(tokens):
                    if token != 3:
                        logits[i] = -math.inf

            def clone(self):
                return Only()
        params = gsample.Params(top_k=0, top_p=1, order=[gsample.Stage.CUSTOM, gsample.Stage.TEMPERATURE])
        with gsample.Sampler(params) as sampler:
            sampler.set_custom(Only())
            with sampler.clone() as copy:
                self.assertEqual((sampler.pick(ROW), copy.pick(ROW)), (3, 3))
            sampler.set_custom(None)


class State(Checks):
    def test_state(self):
        with gsample.Sampler(seed=7) as sampler:
            sampler.reserve(4, 100)
            sampler.seed([1, 2, 3])
            copy, loaded = sampler.clone(), gsample.Sampler.load(sampler.save())
            for _ in range(20):
                self.assertEqual(len({sampler.pick(ROW), copy.pick(ROW), loaded.pick(ROW)}), 1)
            self.assertEqual(sampler.uniform(), copy.uniform())
            sampler.rng_seed(2 ** 64 - 1)
            copy.assign(sampler)
            self.assertEqual(sampler.uniform(), copy.uniform())
            sampler.reset()
            sampler.set_params(gsample.Params(temperature=0))
            sampler.stop([2])
            sampler.dry_breaker([1, 2])
            self.assertFalse(sampler.shaped())
            sampler.bias({1: -math.inf})
            self.assertTrue(sampler.shaped())
            self.assertEqual(sampler.pick(ROW), 2)
            self.assertGreater(sampler.memory(), 0)
            self.assertGreaterEqual(sampler.candidates_needed(), 0)
            self.fails(gsample.Status.INVALID_ARGUMENT, sampler.bias, {-1: 1.0})
            for call, bad in ((sampler.seed, [1 << 40]), (sampler.accept, 1 << 40), (sampler.rng_seed, -1)):
                with self.assertRaises(OverflowError):
                    call(bad)
        self.fails(gsample.Status.FORMAT, gsample.Sampler.load, b'nothing')

    def test_dist(self):
        with gsample.Sampler() as sampler, gsample.Dist() as p, gsample.Dist() as q:
            self.assertEqual((len(p), p.ids, p.weights), (0, [], []))
            p.from_row(sampler, ROW)
            q.from_candidates(sampler, [3, 2, 1, 0], [0, 2, 3, 1], 4)
            self.assertEqual((p.ids, p.weights), (q.ids, q.weights))
            self.assertAlmostEqual(p.chance(1), p.weights[0] / p.total)
            with sampler.clone() as copy:
                self.assertEqual(p.draw(sampler), copy.pick(ROW))
            q.set({1: 1.0})
            self.assertEqual(p.residual(q).chance(1), 0)
            p.residual(p)
            self.fails(gsample.Status.INVALID_ARGUMENT, q.set, {1: -1.0})

    def test_grammar(self):
        kinds = [gsample.TokenKind.TEXT] * 3 + [gsample.TokenKind.STOP]
        vocab = gsample.Vocab([b'a', b'b', b'c', b''], kinds)
        vocab.set_stop([3])
        self.assertEqual((vocab.bytes(1), vocab.bytes(3), vocab.stops()), (b'b', b'', [3]))
        error = self.fails(gsample.Status.SYNTAX, gsample.Grammar.from_gbnf, vocab, 'root ::=\n "a')
        self.assertEqual(error.line, 2)
        grammar = gsample.Grammar.from_gbnf(vocab, 'start ::= "ab" "c"*', 'start')
        grammar.warm()
        matcher = gsample.Matcher(gsample.Grammar.from_regex(vocab, 'b+a'))
        del vocab
        self.assertEqual(list(matcher.mask(4)), [0b10])
        self.assertEqual((matcher.allows(1), matcher.allows(0), matcher.can_stop()), (True, False, False))
        matcher.accept(1)
        with matcher.clone() as copy:
            copy.accept(0)
            self.assertTrue(copy.can_stop())
            self.fails(gsample.Status.REFUSED, copy.accept, 1)
            copy.rollback(1)
            copy.reset()
        with greedy() as sampler:
            mine = gsample.Matcher(grammar)
            sampler.constrain(mine)
            self.fails(gsample.Status.INVALID_ARGUMENT, mine.reset)
            self.assertEqual([sampler.pick(ROW) for _ in range(4)], [0, 1, 2, 2])
        for call, bad in ((gsample.Vocab.from_gguf, b'no'), (gsample.Vocab.from_gguf_file, '/nowhere'),
                          (gsample.Vocab.from_tokenizer_json, '{')):
            with self.assertRaises(gsample.Error):
                call(bad)
