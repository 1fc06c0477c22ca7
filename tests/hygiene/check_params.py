#!/usr/bin/env python3
"""The header's manual and the table of parameters say the same: every field of gsample_params has a row, its comment gives the row's
default, and every row has its field.

  check_params.py HEADER PARAMS_DEF
"""
import re
import sys

# What the manual writes in words or leaves to the constants' names.
WORDS = {('penalty_style', 'WINDOW'): '0', ('nan_policy', 'ERROR'): '0', ('constraint_mode', 'LAZY'): '0'}


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        struct = re.search(r'typedef struct gsample_params \{(.*?)\} gsample_params;', file.read(), re.S).group(1)
    with open(sys.argv[2], encoding='utf-8') as file:
        rows = dict(re.findall(r'^PARAM\((\w+), \w+, ([^,]+),', file.read(), re.M))
    fields = dict(re.findall(r'\b(\w+)(?:\[\d+\])?;\s*/\*(.*?)\*/', struct, re.S))
    errors = []
    for name in sorted(set(rows) ^ set(fields)):
        errors.append('%s is not in both' % name)
    for name in sorted(set(rows) & set(fields) - {'order'}):
        said = re.search(r'Default (\S+)', fields[name])
        default = WORDS.get((name, said.group(1)), said.group(1)) if said else 'not said'
        if default != rows[name].rstrip('f'):
            errors.append('%s: the default is %s in the header, %s in the table' % (name, default, rows[name]))
    for error in errors:
        print(error)
    if errors or not rows:
        sys.exit(1)
    print('%d parameters' % len(rows))


main()
