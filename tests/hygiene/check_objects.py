#!/usr/bin/env python3
"""No code of ours runs when the library is loaded, and none keeps global state: the objects have no initialisers and no writable data.

  check_objects.py ARCHIVE READELF
"""
import re
import subprocess
import sys

# .data.rel.ro is constant once relocated; .fini_array is how the C++ runtime's memory is given back on unloading.
INITIALISER = re.compile(r'\.(init_array|ctors|preinit_array)')
WRITABLE = re.compile(r'\.(data(?!\.rel\.ro)|bss|tdata|tbss)')


def main():
    archive, readelf = sys.argv[1:]
    listing = subprocess.run([readelf, '-SW', archive], check=True, capture_output=True, text=True).stdout
    errors, member, members = [], '', 0
    for line in listing.splitlines():
        if line.startswith('File: '):
            member, members = line[6:], members + 1
            continue
        section = re.match(r'\s*\[ *\d+\] (\.\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)', line)
        if not section or int(section.group(2), 16) == 0:
            continue
        if INITIALISER.match(section.group(1)):
            errors.append('%s: %s: something is initialised when the library is loaded' % (member, section.group(1)))
        elif WRITABLE.match(section.group(1)):
            errors.append('%s: %s: %d bytes of global state' % (member, section.group(1), int(section.group(2), 16)))
    for error in errors:
        print(error)
    if errors or not members:
        sys.exit(1)
    print('%d objects' % members)


main()
