#!/usr/bin/env python3
"""What holds for every file in src/: who may include whom, and what a library must not contain.

  check_sources.py SRC
"""
import os
import re
import sys

BASE = {'base'}
MAY_INCLUDE = {
    'base': set(),
    'rng': BASE,
    'params': BASE,
    'row': BASE,
    'candidates': BASE | {'row'},
    'constraint': BASE,
    'vocab': BASE,
    'dist': BASE | {'candidates', 'row', 'rng'},
    'stages': BASE | {'candidates', 'dist', 'rng', 'params'},
    'chain': BASE | {'stages', 'dist', 'constraint', 'candidates', 'row', 'rng', 'params'},
    'grammar': BASE | {'constraint', 'vocab'},
    'files': BASE | {'vocab', 'params'},
}
MAY_INCLUDE['abi'] = set(MAY_INCLUDE)
SHARED_STAGE_HEADERS = {'stages/history.h', 'stages/stages.h'}
ONLY_IN = {'hwy/': {'row'}, 'nlohmann/': {'files', 'grammar'}, 'immintrin.h': {'row', 'abi'}, 'arm_neon.h': {'row'}, 'xmmintrin.h': {'abi'},
           'cpuid.h': {'row'}}
FORBIDDEN_HEADERS = {'iostream', 'ostream', 'istream', 'sstream', 'fstream', 'iomanip', 'locale', 'clocale', 'regex', 'thread', 'future',
                     'cctype', 'ctype.h', 'random', 'cassert', 'assert.h', 'iosfwd', 'format', 'print'}
FORBIDDEN_WORDS = [
    (r'\bhn::(Neg)?Mul(Add|Sub)\s*\(', 'is rounded differently from machine to machine'),
    (r'\bhn::Approximate\w+\s*\(', 'is rounded differently from machine to machine'),
    (r'\blong double\b', 'differs between machines'),
    (r'\b(TODO|FIXME|XXX|HACK)\b|\bnot implemented\b|\bplaceholder\b', 'is a leftover'),
]
MAX_LINES = 500


def include_error(src, name, room, included, bracket):
    for prefix, rooms in ONLY_IN.items():
        if included.startswith(prefix):
            return None if room in rooms else '<%s> belongs to %s' % (included, ', '.join(sorted(rooms)))
    if bracket == '<':
        return '<%s> is not for this library' % included if included in FORBIDDEN_HEADERS else None
    if included == 'gsample/gsample.h':
        return None
    other = included.split('/')[0]
    if not os.path.exists(os.path.join(src, included)):
        return '"%s" does not exist' % included
    if included.count('/') != 1 or other not in MAY_INCLUDE:
        return '"%s" is not of the form "room/file.h"' % included
    if other != room:
        return None if other in MAY_INCLUDE[room] else '%s/ may not include %s/ ("%s")' % (room, other, included)
    own = os.path.splitext(name)[0] + '.h'
    if room == 'stages' and included not in SHARED_STAGE_HEADERS | {own}:
        return 'stages do not know each other ("%s")' % included
    return None


def check(src, name):
    room = name.split('/')[0]
    if name.count('/') != 1 or room not in MAY_INCLUDE:
        yield 0, 'is in no room of the design'
        return
    with open(os.path.join(src, name), encoding='utf-8') as file:
        text = file.read()
    lines = text.split('\n')
    if len(lines) > MAX_LINES:
        yield 0, 'has %d lines: more than one job?' % len(lines)
    if not text.startswith('//') and not text.startswith('#include "' + os.path.splitext(name)[0] + '.h"'):
        yield 1, 'does not open with a comment on its one job'
    if name.endswith('.h') and '#pragma once' not in text:
        yield 1, 'has no #pragma once'
    for number, line in enumerate(lines, 1):
        include = re.match(r'#include\s+([<"])([^>"]+)[>"]', line)
        if include:
            error = include_error(src, name, room, include.group(2), include.group(1))
            if error: yield number, error
        for pattern, reason in FORBIDDEN_WORDS:
            found = re.search(pattern, line)
            if found: yield number, '%s %s' % (found.group(0), reason)


def main():
    src, failed, files = sys.argv[1], False, 0
    for folder, _, names in sorted(os.walk(src)):
        for name in sorted(names):
            if not name.endswith(('.cc', '.h', '.def')):
                continue
            path = os.path.relpath(os.path.join(folder, name), src)
            files += 1
            for number, error in check(src, path):
                print('src/%s:%d: %s' % (path, number, error))
                failed = True
    print('%d files' % files)
    sys.exit(1 if failed or not files else 0)


main()
