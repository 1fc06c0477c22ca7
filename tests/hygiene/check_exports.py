#!/usr/bin/env python3
"""The shared object exports what the header declares and the map lists, needs nothing but libc, libm and the loader, and can be unloaded.

  check_exports.py LIBRARY MAP HEADER READELF
"""
import re
import subprocess
import sys

from header import Header

NEEDED = re.compile(r'libc\.so\.\d+|libm\.so\.\d+|ld-[\w.-]+|ld64\.so\.\d+')


def read_map(path):
    """{node: [symbols]} of a version script."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    nodes = {}
    for node, body in re.findall(r'(\w+\.\d+) \{(.*?)\}', text, flags=re.S):
        nodes[node] = re.findall(r'(\w+);', body.split('global:')[1].split('local:')[0]) if 'global:' in body else []
    return nodes


def main():
    library, map_path, header_path, readelf = sys.argv[1:]
    declared = list(Header(header_path).functions)
    nodes = read_map(map_path)
    mapped = [symbol for symbols in nodes.values() for symbol in symbols]
    errors = []

    symbols = subprocess.run([readelf, '-W', '--dyn-syms', library], check=True, capture_output=True, text=True).stdout
    exported = {}
    for line in symbols.splitlines():
        entry = re.match(r'\s*\d+: \S+ +\d+ (\w+) +(\w+) +\w+ +(\S+) (\S+)', line)
        if not entry or entry.group(3) in ('UND', 'ABS'):
            continue
        name, _, node = entry.group(4).partition('@@')
        exported[name] = node
        if entry.group(2) == 'UNIQUE' or entry.group(1) != 'FUNC':
            errors.append('%s is a %s %s: only functions are exported' % (name, entry.group(2), entry.group(1)))
    for name in exported:
        if exported[name] not in nodes or name not in nodes[exported[name]]:
            errors.append('%s is exported in version node %r, not as the map says' % (name, exported[name]))
    for name in sorted(set(declared) | set(mapped) | set(exported)):
        places = [place for place, names in (('header', declared), ('map', mapped), ('exports', exported)) if name not in names]
        if places:
            errors.append('%s is missing in: %s' % (name, ', '.join(places)))
    if mapped != declared:
        errors.append('the map does not list the functions in the order of the header')

    dynamic = subprocess.run([readelf, '-W', '-d', library], check=True, capture_output=True, text=True).stdout
    for needed in re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic):
        if not NEEDED.fullmatch(needed):
            errors.append('the library needs %s' % needed)
    for flaw in ('TEXTREL', 'RPATH', 'RUNPATH', 'NODELETE'):
        if flaw in dynamic:
            errors.append('the dynamic section has %s' % flaw)

    for error in errors:
        print(error)
    if errors:
        sys.exit(1)
    print('%d functions exported' % len(exported))


main()
