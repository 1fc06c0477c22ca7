"""What the Python binding adds to the C ABI: arrays without copies, exceptions, parameters, enumerations."""
import ctypes
import os
import re
import unittest
from array import array

import gsample
from gsample import _buffers, _raw

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

ROW = array('f', [1, 3, 2, 0])


def greedy():
    return gsample.Sampler(temperature=0)


class DLTensor:
    """An array as torch would give it: DLPack and nothing else. Counts how often its memory was handed back."""

    def __init__(self, words, code, bits, shape, strides=None, device=1):
        self.words, self.device, self.released = words, device, 0
        n = len(shape)
        self.shape = (ctypes.c_int64 * n)(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * n)(*strides)
        self.managed = ctypes.create_string_buffer(ctypes.sizeof(_buffers._DLTensor) + 16)
        tensor = _buffers._DLTensor.from_buffer(self.managed)
        tensor.data, tensor.device_type, tensor.ndim, tensor.code, tensor.bits, tensor.lanes = words.buffer_info()[0], device, n, code, bits, 1
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        if self.strides:
            tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        self.destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.release)

    def release(self, _):
        self.released += 1

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b'dltensor', ctypes.cast(self.destructor, ctypes.c_void_p))


class Checks(unittest.TestCase):
    def fails(self, status, call, *arguments):
        with self.assertRaises(gsample.Error) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.status, status, caught.exception)
        return caught.exception


class Values(Checks):
    def test_version(self):
        self.assertEqual(gsample.version(), gsample.__version__)
        self.assertTrue(gsample.target())
        pyproject = os.path.join(os.path.dirname(gsample.__file__), '..', 'pyproject.toml')
        if os.path.exists(pyproject):
            with open(pyproject, encoding='utf-8') as file:
                self.assertIn('\nversion = "%s"\n' % gsample.__version__, file.read())

    def test_every_constant_has_a_name(self):
        enumerations = (gsample.Status, gsample.Stage, gsample.PenaltyStyle, gsample.NanPolicy, gsample.ConstraintMode, gsample.Dtype,
                        gsample.LogprobMode, gsample.TokenKind)
        names = {name.replace('_', '') for enumeration in enumerations for name in enumeration.__members__}
        for constant in vars(_raw):
            if constant.startswith('GSAMPLE_') and not re.search('VERSION|ABI|SEMANTICS', constant):
                name = re.sub(r'^GSAMPLE_(ERROR|STAGE|PENALTY|NAN|CONSTRAINT|LOGPROB|TOKEN)_|^GSAMPLE_', '', constant)
                self.assertIn(name.replace('_', ''), names, constant)

    def test_layout_is_the_compilers(self):
        layout = os.environ.get('GSAMPLE_LAYOUT')
        if not layout:
            self.skipTest('GSAMPLE_LAYOUT is not set: run tests/bindings/run')
        with open(layout, encoding='utf-8') as file:
            lines = file.read().split('\n')
        for struct, field, offset, size in (line.split() for line in lines if line):
            type_ = getattr(_raw, struct)
            if field == '.':
                self.assertEqual(ctypes.sizeof(type_), int(size), struct)
            else:
                member = getattr(type_, field)
                self.assertEqual((member.offset, member.size), (int(offset), int(size)), struct + '.' + field)

    def test_params(self):
        params = gsample.Params(temperature=0.5, top_k=7, order=[gsample.Stage.TOP_K, gsample.Stage.TEMPERATURE])
        self.assertEqual((params.top_k, params.order), (7, [gsample.Stage.TOP_K, gsample.Stage.TEMPERATURE]))
        copy = params.copy()
        copy.set('repetition_penalty', 1)
        self.assertEqual(copy.describe(), params.describe())
        self.assertEqual(gsample.Params.preset('hf').top_k, 50)
        with self.assertRaises(AttributeError):
            params.temprature = 1
        with self.assertRaises(OverflowError):
            params.top_k = 1 << 40
        error = self.fails(gsample.Status.INVALID_ARGUMENT, params.set, 'top_k', 'many')
        self.assertIn('top_k', str(error))
        self.fails(gsample.Status.INVALID_ARGUMENT, gsample.Params.preset, 'nobody')
        error = self.fails(gsample.Status.INVALID_ARGUMENT, gsample.Sampler, gsample.Params(top_p=-1))
        self.assertIn('top_p', str(error))

    def test_files(self):
        params = gsample.Params()
        report = params.from_generation_config('{"do_sample": true, "top_k": 9, "num_beams": 4}')
        self.assertEqual((params.top_k, report.left_out), (9, 1))
        self.assertIn('num_beams', report.message)
        error = self.fails(gsample.Status.FORMAT, params.from_generation_config, '{\n  nothing')
        self.assertEqual(error.line, 2)
        self.fails(gsample.Status.IO, params.from_gguf_file, '/nowhere')
        self.fails(gsample.Status.FORMAT, params.from_gguf, b'not a GGUF file at all, by any means')

    def test_buffers(self):
        with greedy() as sampler:
            self.assertEqual(sampler.pick(ROW), 1)
            self.assertEqual(sampler.pick(memoryview(ROW)[::1]), 1)
            self.assertEqual(sampler.pick(memoryview(ROW.tobytes()).cast('f')), 1)  # read-only
            self.assertEqual(sampler.pick((ctypes.c_float * 4)(*ROW)), 1)
            self.assertEqual(gsample.Step([]).decide((ctypes.c_float * 4 * 0)()), [])
            halves = array('H', [0x3c00, 0x4200, 0x4000])
            self.assertEqual(sampler.pick(halves, dtype=gsample.Dtype.F16), 1)
            self.assertEqual(sampler.pick(halves, dtype=gsample.Dtype.BF16), 1)
            self.assertEqual(sampler.pick(ROW, mask=gsample.mask([2, 3], 4)), 2)
            for bad, kind in ((halves, TypeError), (array('d', [1]), TypeError), ([1.0, 2.0], TypeError), (b'abc', TypeError),
                              (memoryview(ROW)[::2], ValueError), (memoryview(ROW).cast('B').cast('f', (2, 2)), ValueError),
                              (ctypes.c_float(1), ValueError)):
                with self.assertRaises(kind):
                    sampler.pick(bad)
            with self.assertRaises(ValueError):
                sampler.pick(ROW, mask=array('I', [1, 1]))
            with self.assertRaises(TypeError):
                sampler.pick(gsample.Row(ROW), mask=gsample.mask([1], 4))
            self.fails(gsample.Status.INVALID_ARGUMENT, sampler.pick, array('f'))

    def test_a_row_sees_what_memory_holds_and_keeps_it(self):
        buffer = array('f', [1, 2])
        row = gsample.Row(buffer)
        self.assertEqual(row.best(), 1)
        buffer[0] = 5
        self.assertEqual(row.best(), 0)
        with self.assertRaises(BufferError):
            buffer.append(1)  # the row holds it
        del row
        buffer.append(1)

    def test_dlpack(self):
        halves = array('H', [0x3c00, 0x4200, 0x4000])
        for words, code, bits in ((ROW, 2, 32), (halves, 2, 16), (halves, 4, 16)):
            tensor = DLTensor(words, code, bits, [len(words)])
            with greedy() as sampler:
                self.assertEqual(sampler.pick(tensor), 1)
            self.assertEqual(tensor.released, 1)
        two = DLTensor(ROW, 2, 32, [2, 2], [2, 1])
        with greedy() as a, greedy() as b:
            self.assertEqual(gsample.Step([a, b]).decide(two), [1, 0])
        with self.assertRaises(TypeError):
            gsample.Row(DLTensor(ROW, 2, 32, [4], device=2))  # CUDA
        with self.assertRaises(TypeError):
            gsample.Row(DLTensor(ROW, 0, 64, [2]))

    @unittest.skipUnless(numpy, 'numpy is not installed')
    def test_numpy(self):
        rows = numpy.array([[1, 3, 2], [9, 3, 2]], numpy.float32)
        with greedy() as sampler:
            self.assertEqual(sampler.pick(rows[0]), 1)
            self.assertEqual(sampler.pick(rows[1].astype(numpy.float16)), 0)
            with self.assertRaises(ValueError):
                sampler.pick(rows[:, 0])
            with self.assertRaises(TypeError):
                sampler.pick(rows[0].astype('>f4'))
            try:
                import ml_dtypes
                self.assertEqual(sampler.pick(rows[1].astype(ml_dtypes.bfloat16)), 0)
            except ImportError:
                pass

    @unittest.skipUnless(torch, 'torch is not installed')
    def test_torch(self):
        with greedy() as sampler:
            for dtype in (torch.float32, torch.float16, torch.bfloat16):
                self.assertEqual(sampler.pick(torch.tensor([1, 3, 2], dtype=dtype)), 1)

    def test_row(self):
        row = gsample.Row(ROW)
        self.assertEqual(row.check().max, 3)
        self.assertEqual([item.rank for item in row.logprobs([1, 3])], [1, 4])
        with greedy() as sampler:
            choice = sampler.choose(row, n_top=9)
        self.assertEqual((choice.token, choice.rank, len(choice.top)), (1, 1, 4))
        self.fails(gsample.Status.INVALID_ARGUMENT, row.logprobs, [4])
