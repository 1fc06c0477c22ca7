#!/usr/bin/env python3
"""Says where the C compiler puts every field of the header's structs, for the bindings that declare them once more.

  layout.py OUTPUT.txt OUTPUT.rs    lines of "struct field offset size" (the field "." is the whole); the same as Rust assertions
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tests', 'hygiene'))
from header import Header  # noqa: E402

header = Header(os.path.join(ROOT, 'include', 'gsample', 'gsample.h'))
program = ['#include <gsample/gsample.h>', '#include <stdio.h>', 'int main(void) {']
for struct, fields in header.structs.items():
    if struct == 'gsample_api':
        continue
    program.append('printf("%s . 0 %%zu\\n", sizeof(%s));' % (struct, struct))
    for _, field, _ in fields:
        program.append('printf("%s %s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' % (struct, field, struct, field, struct, field))
program.append('return 0; }')
with tempfile.TemporaryDirectory() as folder:
    source, binary = os.path.join(folder, 'layout.c'), os.path.join(folder, 'layout')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('\n'.join(program))
    subprocess.run([os.environ.get('CC', 'cc'), source, '-o', binary, '-I' + os.path.join(ROOT, 'include')], check=True)
    lines = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
with open(sys.argv[1], 'w', encoding='utf-8') as file:
    file.write(lines)
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    file.write('{\n')
    for struct, field, offset, size in (line.split() for line in lines.splitlines()):
        what = 'size_of::<%s>()' % struct if field == '.' else 'offset_of!(%s, %s)' % (struct, field)
        file.write('assert_eq!(std::mem::%s, %s, "%s");\n' % (what, size if field == '.' else offset, struct + ' ' + field))
    file.write('}\n')
