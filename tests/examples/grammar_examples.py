#!/usr/bin/env python3
"""Runs the three examples of grammars and checks what they print: grammar_examples.py JSON_ANSWER REGEX_DATE AFTER_THINKING"""

import json
import subprocess
import sys


def printed(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8")


for seed in "abcdefghijklmnopqrstuvwxyz":
    answer = json.loads(printed(sys.argv[1], seed))
    assert isinstance(answer, dict), answer
year, month, day = printed(sys.argv[2]).strip().split("-")
assert 1900 <= int(year) <= 2099 and 1 <= int(month) <= 12 and 1 <= int(day) <= 31, (year, month, day)
assert printed(sys.argv[3]).strip() in ("true", "false", "null")
