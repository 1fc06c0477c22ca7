"""Where the numbers of any array lie: through the buffer protocol (numpy, array, bytes, memoryview) or DLPack (torch, jax and others).
Nothing is copied."""
import ctypes
import sys
from array import array
from typing import Any, Iterable, Optional, Tuple

from . import _raw as raw

Shape = Tuple[int, ...]


class _PyBuffer(ctypes.Structure):
    """Py_buffer of Python's C API."""
    _fields_ = [('buf', ctypes.c_void_p), ('obj', ctypes.py_object), ('len', ctypes.c_ssize_t), ('itemsize', ctypes.c_ssize_t),
                ('readonly', ctypes.c_int), ('ndim', ctypes.c_int), ('format', ctypes.c_char_p),
                ('shape', ctypes.POINTER(ctypes.c_ssize_t)), ('strides', ctypes.POINTER(ctypes.c_ssize_t)),
                ('suboffsets', ctypes.c_void_p), ('internal', ctypes.c_void_p)]


class _DLTensor(ctypes.Structure):
    """DLTensor of dlpack.h."""
    _fields_ = [('data', ctypes.c_void_p), ('device_type', ctypes.c_int32), ('device_id', ctypes.c_int32), ('ndim', ctypes.c_int32),
                ('code', ctypes.c_uint8), ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16),
                ('shape', ctypes.POINTER(ctypes.c_int64)), ('strides', ctypes.POINTER(ctypes.c_int64)),
                ('byte_offset', ctypes.c_uint64)]


_FORMAT_AND_STRIDES = 0x1c  # PyBUF_RECORDS_RO
_DLPACK_CPU = (1, 3)        # kDLCPU, kDLCUDAHost
_DLPACK_TYPES = {(2, 32): 'f4', (2, 16): 'f2', (4, 16): 'bf2', (0, 32): 'i4', (1, 32): 'u4', (0, 16): 'i2', (1, 16): 'u2'}
_BUFFER_TYPES = {('f', 4): 'f4', ('e', 2): 'f2', ('i', 4): 'i4', ('l', 4): 'i4', ('I', 4): 'u4', ('L', 4): 'u4', ('h', 2): 'i2',
                 ('H', 2): 'u2'}

_NATIVE = '@=<' if sys.byteorder == 'little' else '@=>!'

_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_PyBuffer)]
_release_buffer.restype = None
_has_buffer = ctypes.pythonapi.PyObject_CheckBuffer
_has_buffer.argtypes = [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_pointer.restype = ctypes.c_void_p


def _contiguous(shape: Shape, size: int) -> Shape:
    """The strides of an array that lies row by row."""
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= n
    return tuple(reversed(strides))


class View:
    """An array's memory: `address`, `type` ('f4', 'f2', 'bf2', 'i4', 'u4', 'i2', 'u2'), `shape`, and `strides` in bytes. As long as it
    lives, so does the memory."""

    __slots__ = ('address', 'type', 'shape', 'strides', '_owner')

    def __init__(self, source: Any):
        self._owner: Any = None
        if getattr(getattr(source, 'dtype', None), 'name', '') == 'bfloat16' and hasattr(source, 'view') and _has_buffer(source):
            self._from_buffer(source.view('uint16'))  # numpy with ml_dtypes, which the buffer protocol has no letter for
            self.type = 'bf2'
        elif _has_buffer(source):
            self._from_buffer(source)
        elif hasattr(source, '__dlpack__'):
            self._from_dlpack(source)
        else:
            raise TypeError('%s has neither the buffer protocol nor __dlpack__' % type(source).__name__)

    def _from_buffer(self, source: Any) -> None:
        buffer = _PyBuffer()
        _get_buffer(source, buffer, _FORMAT_AND_STRIDES)
        self._owner = buffer
        letter = (buffer.format or b'B').decode()
        self.type = _BUFFER_TYPES.get((letter.lstrip(_NATIVE), buffer.itemsize), letter)
        self.address = buffer.buf or 0
        self.shape = tuple(buffer.shape[:buffer.ndim])
        # ctypes leaves the strides out
        self.strides = tuple(buffer.strides[:buffer.ndim]) if buffer.strides else _contiguous(self.shape, buffer.itemsize)

    def _from_dlpack(self, source: Any) -> None:
        if source.__dlpack_device__()[0] not in _DLPACK_CPU:
            raise TypeError('the array is not in main memory: copy it there first')
        self._owner = source.__dlpack__()
        tensor = _DLTensor.from_address(_capsule_pointer(self._owner, b'dltensor'))
        self.type = _DLPACK_TYPES.get((tensor.code, tensor.bits), 'code %d, %d bits' % (tensor.code, tensor.bits))
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(tensor.shape[:tensor.ndim])
        size = tensor.bits // 8
        self.strides = (tuple(stride * size for stride in tensor.strides[:tensor.ndim]) if tensor.strides else
                        _contiguous(self.shape, size))

    def __del__(self) -> None:
        if isinstance(self._owner, _PyBuffer):
            _release_buffer(self._owner)


_DTYPES = {'f4': (raw.GSAMPLE_F32, 4), 'f2': (raw.GSAMPLE_F16, 2), 'bf2': (raw.GSAMPLE_BF16, 2)}


def logits(source: Any, dtype: Optional[int]) -> Tuple[View, int]:
    """The memory of rows, whose logits stand one after the other, and its dtype. 16-bit integers are halves of the dtype that is given."""
    view = View(source)
    if view.type in ('u2', 'i2') and dtype in (raw.GSAMPLE_F16, raw.GSAMPLE_BF16):
        view.type = 'f2' if dtype == raw.GSAMPLE_F16 else 'bf2'
    if view.type not in _DTYPES or dtype not in (None, _DTYPES[view.type][0]):
        raise TypeError('logits of type %s: f32, f16 and bf16 can be read, and 16-bit integers where `dtype` says what they are' % view.type)
    code, size = _DTYPES[view.type]
    if not view.shape or view.strides[-1] != size and view.shape[-1] > 1:
        raise ValueError('the logits of a row must stand one after the other')
    return view, code


def mask_words(source: Any, n_vocab: int) -> View:
    """The memory of masks: (n_vocab + 31) // 32 words of 32 bits in the last dimension."""
    view = View(source)
    if view.type not in ('u4', 'i4'):
        raise TypeError('a mask of type %s: it is words of 32 bits, see gsample.mask' % view.type)
    if not view.shape or view.shape[-1] != (n_vocab + 31) // 32 or view.strides[-1] != 4 and view.shape[-1] > 1:
        raise ValueError('a mask for %d tokens is %d words' % (n_vocab, (n_vocab + 31) // 32))
    return view


def numbers(letter: str, items: Iterable[Any]) -> 'array[Any]':
    """The items as C numbers of array's type letter; what does not fit is an OverflowError."""
    return array(letter, items)


def address(numbers_: 'array[Any]') -> int:
    return numbers_.buffer_info()[0]


def mask(allowed: Iterable[int], n_vocab: int) -> 'array[int]':
    """The mask of a row of n_vocab logits that allows these tokens and no others."""
    words = array('I', bytes((n_vocab + 31) // 32 * 4))
    for token in allowed:
        if not 0 <= token < n_vocab:
            raise ValueError('token %d of a row of %d' % (token, n_vocab))
        words[token >> 5] |= 1 << (token & 31)
    return words
