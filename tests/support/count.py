#!/usr/bin/env python3
"""Prints how many tests of a meson testlog.json passed, failed and were skipped. A log that is not there is one failure."""
import json
import sys

passed = failed = skipped = 0
try:
    with open(sys.argv[1], encoding='utf-8') as log:
        for line in log:
            result = json.loads(line)['result']
            if result in ('OK', 'EXPECTEDFAIL'):
                passed += 1
            elif result == 'SKIP':
                skipped += 1
            else:
                failed += 1
except OSError:
    failed += 1
print(passed, failed, skipped)
