#!/usr/bin/env python3
"""Writes a C program that only compiles if every struct of the header has the layout the ABI promises: fields one after the other
without padding that nobody named, and a size that is a multiple of 8.

  make_layout.py HEADER OUTPUT
"""
import sys

from header import Header

header = Header(sys.argv[1])
lines = ['#include <gsample/gsample.h>', '#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]']
for name, fields in header.structs.items():
    end = '0'
    for _, field, _ in fields:
        lines.append('HOLDS(%s_%s_follows, offsetof(%s, %s) == %s);' % (name, field, name, field, end))
        end = 'offsetof(%s, %s) + sizeof(((%s*)0)->%s)' % (name, field, name, field)
    lines.append('HOLDS(%s_has_no_tail, sizeof(%s) == %s);' % (name, name, end))
    lines.append('HOLDS(%s_is_in_eights, sizeof(%s) %% 8 == 0);' % (name, name))
lines.append('int main(void) { return 0; }')
with open(sys.argv[2], 'w', encoding='utf-8') as out:
    out.write('\n'.join(lines) + '\n')
