#!/usr/bin/env python3
"""Writes the raw layers of the bindings, which repeat include/gsample/gsample.h declaration by declaration.

  raw.py           writes bindings/python/gsample/_raw.py and bindings/rust/gsample-sys/src/raw.rs
  raw.py --check   fails if one of them is not what it would write

C++ and Go read the header itself and need none.
"""
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, 'tests', 'hygiene'))
from header import Header  # noqa: E402

PYTHON = {'int32_t': 'c_int32', 'uint32_t': 'c_uint32', 'int64_t': 'c_int64', 'uint64_t': 'c_uint64', 'uint8_t': 'c_uint8',
          'size_t': 'c_size_t', 'float': 'c_float', 'double': 'c_double', 'char': 'c_char', 'void': 'None'}
RUST = {'int32_t': 'i32', 'uint32_t': 'u32', 'int64_t': 'i64', 'uint64_t': 'u64', 'uint8_t': 'u8', 'size_t': 'usize', 'float': 'f32',
        'double': 'f64', 'char': 'c_char', 'void': 'c_void'}
# The field or argument that takes a constant says its type; constants that are not here are i32, as statuses and parameters are.
RUST_CONSTANTS = [(r'_VERSION_|_ABI_|_SEMANTICS$|_B?F\d+$|_LOGPROB_', 'u32'), (r'_TOKEN_', 'u8')]


def parameters(text):
    """[(type, name)] of a parameter list; the type of a callback is (result, its parameters)."""
    depth, start, items = 0, 0, []
    for i, character in enumerate(text + ','):
        depth += (character == '(') - (character == ')')
        if character == ',' and depth == 0:
            items.append(text[start:i])
            start = i + 1
    return [parameter(item) for item in items if item not in ('', 'void')]


def parameter(text):
    callback = re.fullmatch(r'(.*?)\(\*(\w+)\)\((.*)\)', text)
    if callback:
        return (callback.group(1), parameters(callback.group(3))), callback.group(2)
    ctype, name, array = re.fullmatch(r'(.*?)(\w+)(\[\d*\])?', text).groups()
    return ctype.strip() + ('*' if array else ''), name


def functions_of(header, struct):
    return {name: (result, parameters(text)) for name, (result, text) in header.function_pointers[struct].items()}


def python_type(ctype, header):
    if isinstance(ctype, tuple):
        return 'c_void_p'
    if ctype == 'const char*':
        return 'c_char_p'
    return 'c_void_p' if '*' in ctype else PYTHON.get(ctype, ctype)


def python(header):
    out = ['"""gsample.h for ctypes, written by bindings/raw.py: constants, structs, and FUNCTIONS as {name: (result, arguments)}. Pointers',
           'are addresses; what the declarations mean stands in gsample.h."""', '']
    out += ['%s = %s' % constant for constant in header.constants.items()]
    for name, fields in header.structs.items():
        if name == 'gsample_api':
            continue
        callbacks = functions_of(header, name)
        for field, (result, items) in callbacks.items():
            types = ', '.join(python_type(t, header) for t, _ in items)
            out += ['\n'] * (field == next(iter(callbacks)))
            out.append('%s_%s = CFUNCTYPE(%s, %s)' % (name, field, python_type(result, header), types))
        out += ['', '', 'class %s(Structure):' % name, '    _fields_ = [']
        for ctype, field, array in fields:
            ctype = '%s_%s' % (name, field) if ctype == 'function' else python_type(ctype, header)
            out.append("        ('%s', %s)," % (field, ctype + array.replace('[', ' * ').replace(']', '')))
        out.append('    ]')
    out += ['', '', 'FUNCTIONS = {']
    for name, (result, text) in header.functions.items():
        types = ', '.join(python_type(t, header) for t, _ in parameters(text))
        result = 'c_void_p' if result != 'const char*' and '*' in result else python_type(result, header)
        out.append("    '%s': (%s, [%s])," % (name, result, types))
    text = '\n'.join(out + ['}', '']).replace('\n\n\n\n', '\n\n\n')
    names = ['CFUNCTYPE', 'Structure'] + sorted(set(re.findall(r'\bc_\w+', text)))
    return text.replace('\n\n', '\n' + textwrap.fill('from ctypes import (%s)' % ', '.join(names), 130, subsequent_indent=' ' * 20) + '\n\n', 1)


def rust_type(ctype):
    if isinstance(ctype, tuple):
        return rust_function(*ctype)
    base = re.match(r'(?:const )?(\w+)', ctype).group(1)
    out, mutability = RUST.get(base, base), 'const' if ctype.startswith('const ') else 'mut'
    for stars in re.findall(r'\*(const)?', ctype):
        out, mutability = '*%s %s' % (mutability, out), stars or 'mut'
    return out


def rust_arguments(items):
    return ', '.join('%s: %s' % (name, rust_type(ctype)) for ctype, name in items)


def rust_result(result):
    return '' if result == 'void' else ' -> ' + rust_type(result)


def rust_function(result, items):
    return 'Option<unsafe extern "C" fn(%s)%s>' % (rust_arguments(items), rust_result(result))


def rust(header):
    out = ['// gsample.h for Rust, written by bindings/raw.py. What the declarations mean stands in gsample.h.', '']
    for name, value in header.constants.items():
        kind = next((kind for pattern, kind in RUST_CONSTANTS if re.search(pattern, name)), 'i32')
        out.append('pub const %s: %s = %s;' % (name, kind, re.sub(r'^\((.*)\)$', r'\1', value)))
    for name in header.opaque:
        if name in header.structs:
            continue
        out += ['', '#[repr(C)]', 'pub struct %s {' % name, '    _opaque: [u8; 0],', '    _marker: PhantomData<(*mut u8, PhantomPinned)>,', '}']
    for name, fields in header.structs.items():
        callbacks = functions_of(header, name)
        out += ['', '#[repr(C)]', '#[derive(Clone, Copy, Debug)]', 'pub struct %s {' % name]
        for ctype, field, array in fields:
            kind = rust_function(*callbacks[field]) if ctype == 'function' else rust_type(ctype)
            out.append('    pub %s: %s,' % (field, '[%s; %s]' % (kind, array.strip('[]')) if array else kind))
        out.append('}')
    out += ['', 'extern "C" {']
    for name, (result, text) in header.functions.items():
        out.append('    pub fn %s(%s)%s;' % (name, rust_arguments(parameters(text)), rust_result(result)))
    return '\n'.join(out + ['}', ''])


def main():
    header = Header(os.path.join(ROOT, 'include', 'gsample', 'gsample.h'))
    stale = []
    for path, text in (('python/gsample/_raw.py', python(header)), ('rust/gsample-sys/src/raw.rs', rust(header))):
        full = os.path.join(HERE, path)
        if sys.argv[1:] != ['--check']:
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        elif not os.path.exists(full) or open(full, encoding='utf-8').read() != text:
            stale.append(path)
    for path in stale:
        print('bindings/%s is not what gsample.h declares: run bindings/raw.py' % path)
    sys.exit(1 if stale else 0)


main()
