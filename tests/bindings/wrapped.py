#!/usr/bin/env python3
"""Every function of the header is called by every binding. Those of Python and Rust that only the library's own lifetime needs are named
here."""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'hygiene'))
from header import Header  # noqa: E402

BINDINGS = {
    # language: where its wrappers are, the raw layer apart, and what it has no use for
    'cpp': ('cpp/include', set()),
    # Python counts its references itself, as does Rust those of a vocabulary; Python's picks are all by rows; all link by symbol
    'python': ('python/gsample', {'gsample_pick', 'gsample_vocab_retain', 'gsample_grammar_retain', 'gsample_get_api'}),
    'rust': ('rust/gsample/src', {'gsample_vocab_retain', 'gsample_get_api'}),
    'go': ('go', {'gsample_get_api'}),
}
failed = False
functions = Header(os.path.join(ROOT, 'include', 'gsample', 'gsample.h')).functions
for language, (folder, unused) in BINDINGS.items():
    text = ''
    for path, _, names in os.walk(os.path.join(ROOT, 'bindings', folder)):
        for name in names:
            if name.endswith(('.hpp', '.py', '.rs', '.go', '.c')) and name != '_raw.py':
                with open(os.path.join(path, name), encoding='utf-8') as file:
                    text += file.read()
    called = set(re.findall(r'\bgsample_\w+', text))
    for function in functions:
        if function not in called and function not in unused:
            print('%s: %s is not wrapped' % (language, function))
            failed = True
sys.exit(1 if failed else 0)
