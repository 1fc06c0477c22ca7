"""Finds and loads the shared library, and turns its statuses into exceptions."""
import ctypes
import os
from enum import IntEnum
from typing import Any, List, Optional

from . import _raw as raw


def _load() -> ctypes.CDLL:
    """The library that GSAMPLE_LIBRARY names, else the one in this package's folder, else the system's."""
    name = 'libgsample.so.%d' % raw.GSAMPLE_ABI_MAJOR
    beside = os.path.join(os.path.dirname(__file__), name)
    path = os.environ.get('GSAMPLE_LIBRARY') or (beside if os.path.exists(beside) else name)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError('%s; set GSAMPLE_LIBRARY to the path of %s' % (error, name)) from None
    library.gsample_version.restype = ctypes.c_uint32
    version = library.gsample_version()
    if version >> 16 != raw.GSAMPLE_ABI_MAJOR or version >> 8 < raw.GSAMPLE_VERSION_NUMBER >> 8:
        raise ImportError('%s is gsample %d.%d, and this package needs %d.%d' % (
            path, version >> 16, version >> 8 & 255, raw.GSAMPLE_VERSION_MAJOR, raw.GSAMPLE_VERSION_MINOR))
    for function, (result, arguments) in raw.FUNCTIONS.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


lib = _load()


class Status(IntEnum):
    OK = raw.GSAMPLE_OK
    INVALID_ARGUMENT = raw.GSAMPLE_ERROR_INVALID_ARGUMENT
    OUT_OF_MEMORY = raw.GSAMPLE_ERROR_OUT_OF_MEMORY
    NO_CANDIDATE = raw.GSAMPLE_ERROR_NO_CANDIDATE
    NOT_A_NUMBER = raw.GSAMPLE_ERROR_NOT_A_NUMBER
    REFUSED = raw.GSAMPLE_ERROR_REFUSED
    INEXACT = raw.GSAMPLE_ERROR_INEXACT
    SYNTAX = raw.GSAMPLE_ERROR_SYNTAX
    UNSUPPORTED = raw.GSAMPLE_ERROR_UNSUPPORTED
    FORMAT = raw.GSAMPLE_ERROR_FORMAT
    LIMIT = raw.GSAMPLE_ERROR_LIMIT
    BUFFER = raw.GSAMPLE_ERROR_BUFFER
    IO = raw.GSAMPLE_ERROR_IO
    CALLBACK = raw.GSAMPLE_ERROR_CALLBACK


class Error(Exception):
    """A call failed. `status` says how, str() in words; `line` and `column` are a place in a text that was read, from 1, or 0. An
    exception that a callback raised is the __cause__."""

    def __init__(self, status: int, message: str = '', line: int = 0, column: int = 0):
        super().__init__(message or lib.gsample_status_name(status).decode())
        self.status = status
        self.line = line
        self.column = column


class Words(raw.gsample_error):
    """Room for the words of a C call."""

    def __init__(self) -> None:
        super().__init__(ctypes.sizeof(raw.gsample_error))

    @property
    def text(self) -> str:
        return self.message.decode('utf-8', 'replace')

    def check(self, result: int) -> int:
        if result < 0:
            raise Error(result, self.text, self.line, self.column)
        return result


def failure(status: int, mail: List[BaseException]) -> BaseException:
    """What to raise for a status, with what callbacks raised meanwhile."""
    error = Error(status)
    if mail:
        cause = mail.pop()
        mail.clear()
        if not isinstance(cause, Exception):  # KeyboardInterrupt and its like are not ours to wrap
            return cause
        error.__cause__ = cause
    return error


def fetch(call: Any) -> bytes:
    """The two calls by which bytes of unknown length are fetched: ask, then read."""
    n = call(None, 0)
    if n < 0:
        raise Error(n)
    buffer = ctypes.create_string_buffer(n)
    n = call(buffer, n)
    if n < 0:
        raise Error(n)
    return buffer.raw


class Owner:
    """Owns a handle. The handle is taken out for the time of each call, so that using one object from two threads at once, from within its
    own callbacks or after close() is an error and nothing worse."""

    __slots__ = ('_cell', '_closed', '__weakref__')

    def __init__(self, handle: Optional[int]):
        self._closed = False
        self._cell = [handle]

    def _free(self, handle: Optional[int]) -> None:
        raise NotImplementedError

    def _take(self) -> Optional[int]:
        try:
            return self._cell.pop()
        except IndexError:
            state = 'closed' if self._closed else 'in use by another call'
            raise Error(Status.INVALID_ARGUMENT, 'the %s is %s' % (type(self).__name__, state)) from None

    def _call(self, function: Any, *arguments: Any) -> Any:
        """function(handle, *arguments)"""
        handle = self._take()
        try:
            return function(handle, *arguments)
        finally:
            self._cell.append(handle)

    def close(self) -> None:
        """Frees what is owned. A second close does nothing."""
        if self._closed:
            return
        handle = self._take()
        self._closed = True
        self._free(handle)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except (AttributeError, TypeError, Error):  # half made, or the interpreter is ending: the memory ends with the process
            pass


def version() -> str:
    """The version of the library that is running."""
    return lib.gsample_version_string().decode()


def target() -> str:
    """The vector instructions in use."""
    return lib.gsample_target().decode()
