#!/usr/bin/env python3
"""Writes the C program that README.md shows, exactly as it stands there.

  readme_program.py README OUTPUT
"""
import re
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    programs = re.findall(r'^```c\n(.*?)^```', file.read(), flags=re.S | re.M)
if len(programs) != 1:
    sys.exit('README.md shows %d C programs, not one' % len(programs))
with open(sys.argv[2], 'w', encoding='utf-8') as out:
    out.write(programs[0])
