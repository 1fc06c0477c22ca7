#!/usr/bin/env python3
"""One version everywhere: wherever a binding writes one down, it is the header's."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
PLACES = [
    ('bindings/rust/gsample-sys/Cargo.toml', r'^version = "(.*)"$'),
    ('bindings/rust/gsample/Cargo.toml', r'^version = "(.*)"$'),
    ('bindings/rust/gsample/Cargo.toml', r'gsample-sys = .*version = "=(.*)"'),
    ('bindings/python/pyproject.toml', r'^version = "(.*)"$'),
    ('bindings/README.md', r'gsample@v([\d.]+)'),
    ('bindings/go/README.md', r'gsample@v([\d.]+)'),
    ('tests/bindings/go/go.mod', r'^require gsample v(.*)$'),
]
header = os.path.join(ROOT, 'include', 'gsample', 'gsample.h')
version = subprocess.run([sys.executable, os.path.join(ROOT, 'tests', 'hygiene', 'header_version.py'), header], check=True, capture_output=True,
                         text=True).stdout.strip()
failed = False
for path, pattern in PLACES:
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        found = re.findall(pattern, file.read(), flags=re.M)
    if found != [version]:
        print('%s says %s, and the header %s' % (path, ', '.join(found) or 'nothing', version))
        failed = True
known = {path for path, _ in PLACES}
for path in glob.glob(os.path.join(ROOT, 'bindings', '**', '*'), recursive=True):
    name = os.path.relpath(path, ROOT)
    if os.path.isfile(path) and name not in known and not name.endswith(('Cargo.lock', '.pyc')) and '/target/' not in name:
        with open(path, encoding='utf-8') as file:
            if version in file.read():
                print('%s writes the version down, and nothing compares it' % name)
                failed = True
sys.exit(1 if failed else 0)
