#!/usr/bin/env python3
"""The header keeps its own rules, and, where the frozen declarations are at hand, says exactly what they say.

  check_header.py HEADER [FROZEN]
"""
import os
import sys

from header import Header

EXIT_SKIP = 77
ALLOWED_TYPES = {'int32_t', 'uint32_t', 'int64_t', 'uint64_t', 'size_t', 'float', 'double', 'uint8_t', 'char', 'void', 'function'}


def table_errors(header):
    table = header.function_pointers['gsample_api']
    functions = {name: signature for name, signature in header.functions.items() if name != 'gsample_get_api'}
    if list(table) != list(functions):
        yield 'gsample_api does not hold every function in the order of the header: %s' % first_difference(list(table), list(functions))
    for name, signature in table.items():
        if functions.get(name) not in (None, signature):
            yield 'gsample_api.%s is %s, the function %s' % (name, signature, functions[name])
    if [field for _, field, _ in header.structs['gsample_api'][:2]] != ['size', 'abi_major']:
        yield 'gsample_api does not begin with size and abi_major'


def struct_errors(header):
    for name, fields in header.structs.items():
        if name != 'gsample_logprob' and fields[0] != ('uint32_t', 'size', ''):
            yield '%s does not begin with uint32_t size' % name
        for kind, field, _ in fields:
            base = kind.replace('const', '').replace('*', ' ').split()[0]
            by_value = '*' not in kind
            if base not in ALLOWED_TYPES and (by_value or not base.startswith('gsample_')):
                yield '%s.%s has type %s, which may not cross the ABI' % (name, field, kind)


def frozen_errors(header, frozen):
    for what in ('constants', 'structs', 'functions'):
        ours, theirs = getattr(header, what), getattr(frozen, what)
        common = [name for name in ours if name in theirs]
        if sorted(common) != sorted(theirs) or what != 'constants' and common != list(theirs):
            yield '%s: %s' % (what, first_difference(common, list(theirs)))
        for name in common:
            if ours[name] != theirs[name]:
                yield '%s is %s, frozen as %s' % (name, ours[name], theirs[name])
        if what == 'functions':
            for name in ours:
                if name not in theirs:
                    yield '%s is not among the frozen functions' % name
    for name in frozen.structs:
        if header.function_pointers.get(name) != frozen.function_pointers[name]:
            yield '%s: its functions are not the frozen ones' % name
    if header.opaque != frozen.opaque:
        yield 'opaque types: %s' % first_difference(header.opaque, frozen.opaque)


def first_difference(ours, theirs):
    for one, other in zip(ours + [None] * len(theirs), theirs + [None] * len(ours)):
        if one != other:
            return '%s stands where %s should' % (one, other)
    return 'the order differs'


def main():
    header = Header(sys.argv[1])
    errors = list(table_errors(header)) + list(struct_errors(header))
    skip = len(sys.argv) > 2 and not os.path.exists(sys.argv[2])
    if len(sys.argv) > 2 and not skip:
        errors += frozen_errors(header, Header(sys.argv[2]))
    for error in errors:
        print(error)
    if errors:
        sys.exit(1)
    if skip:
        print('skipped: %s is not here' % sys.argv[2])
        sys.exit(EXIT_SKIP)
    print('%d functions, %d structs' % (len(header.functions), len(header.structs)))


main()
