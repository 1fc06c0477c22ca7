#!/usr/bin/env python3
"""One version everywhere: the header's, and so the build's, the shared object's, the pkg-config file's, the map's, the news' and every
binding's.

  check_versions.py ROOT VERSION LIBRARY PC READELF COMMAND...    COMMAND prints the version of the library it is linked to
"""
import os
import re
import subprocess
import sys

root, version, library, pc, readelf, *command = sys.argv[1:]
major, minor, _ = version.split('.')


def found(path, pattern, directory=root):
    with open(os.path.join(directory, path), encoding='utf-8') as file:
        match = re.search(pattern, file.read(), flags=re.M)
    return match.group(1) if match else None


def soname():
    dynamic = subprocess.run([readelf, '-W', '-d', library], check=True, capture_output=True, text=True).stdout
    return re.search(r'soname: \[(.*)\]', dynamic).group(1)


facts = [
    ('the linked library', subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip(), version),
    ('the soname', soname(), 'libgsample.so.' + major),
    ('the file name of the library', os.path.basename(library), 'libgsample.so.' + version),
    (pc, found(pc, r'^Version: (\S+)$', '.'), version),
    ('the newest node of src/gsample.map', found('src/gsample.map', r'GSAMPLE_([\d.]+) \{'), major + '.' + minor),
    ('the newest entry of NEWS.md', found('NEWS.md', r'^## (\d+\.\d+\.\d+)'), version),
]
for path, pattern in (
    ('bindings/rust/gsample/Cargo.toml', r'^version = "(.*)"$'),
    ('bindings/rust/gsample-sys/Cargo.toml', r'^version = "(.*)"$'),
    ('bindings/python/pyproject.toml', r'^version = "(.*)"$'),
):
    if os.path.exists(os.path.join(root, path)):
        facts.append((path, found(path, pattern), version))

wrong = [fact for fact in facts if fact[1] != fact[2]]
for what, is_, should in wrong:
    print('%s: %s, not %s' % (what, is_, should))
sys.exit(1 if wrong else 0)
