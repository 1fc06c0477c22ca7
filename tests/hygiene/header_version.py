#!/usr/bin/env python3
"""Prints the version that the public header declares, the only place where it is written."""
import re
import sys

text = open(sys.argv[1], encoding='utf-8').read()
print('.'.join(re.search(r'GSAMPLE_VERSION_%s (\d+)' % part, text).group(1) for part in ('MAJOR', 'MINOR', 'PATCH')))
