#!/usr/bin/env python3
"""What the objects of the library show of its manners: nothing runs when it is loaded, nothing is global state, and nothing is called that
writes to a stream, ends the process, obeys the locale, reads the environment or the clock, makes threads, or rounds as it likes.

  check_objects.py ARCHIVE READELF
"""
import re
import subprocess
import sys

# .data.rel.ro and the compiler's own references to type information are constant once relocated; .fini_array is how the C++ runtime's memory is given back on unloading.
INITIALISER = re.compile(r'\.(init_array|ctors|preinit_array)')
WRITABLE = re.compile(r'\.(data(?!\.rel\.ro|\.rel\.local\.DW\.ref)|bss|tdata|tbss)')

# Which kernels the machine runs: found out at first use, the same ever after. And nlohmann_json's lexer, which reads the locale's decimal
# point to undo it.
EXCEPTIONS = {('row_target.cc.o', '.bss'), ('files_generation_config.cc.o', 'strtod'), ('files_tokenizer_json.cc.o', 'strtod')}
FORBIDDEN_CALLS = re.compile(
    r'stdout|stderr|v?f?printf|f?puts|f?putc|putchar|perror|__(v?f?printf)_chk|_ZSt4c(out|err|log)|'
    r'abort|_?exit|quick_exit|__assert_fail|raise|signal|longjmp|'
    r'setlocale|strto(d|f|ld)|ato(f|i|l)|sscanf|to(upper|lower)|is(alpha|alnum|digit|space)|_ZNSt6localeC.*|'
    r'(secure_)?getenv|time|clock_gettime|s?rand|pthread_create|'
    # libm: functions whose last bit differs between libraries: what reaches bits comes from base/real.h
    r'(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|cbrt|hypot|fma)[fl]?')


def excepted(member, what):
    return (re.sub(r'.*\((.*)\)', r'\1', member), what) in EXCEPTIONS


def undefined(archive, readelf):
    """(member, symbol) for every symbol that a member of the archive takes from elsewhere."""
    listing = subprocess.run([readelf, '-sW', archive], check=True, capture_output=True, text=True).stdout
    member = ''
    for line in listing.splitlines():
        if line.startswith('File: '):
            member = line[6:]
        symbol = re.match(r'\s*\d+: \S+ +\d+ \w+ +(?:GLOBAL|WEAK) +\w+ +UND (\S+)', line)
        if symbol:
            yield member, symbol.group(1)


def main():
    archive, readelf = sys.argv[1:]
    listing = subprocess.run([readelf, '-SW', archive], check=True, capture_output=True, text=True).stdout
    errors, member, members = [], '', 0
    for line in listing.splitlines():
        if line.startswith('File: '):
            member, members = line[6:], members + 1
            continue
        section = re.match(r'\s*\[ *\d+\] (\.\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)', line)
        if not section or int(section.group(2), 16) == 0 or excepted(member, section.group(1)):
            continue
        if INITIALISER.match(section.group(1)):
            errors.append('%s: %s: something is initialised when the library is loaded' % (member, section.group(1)))
        elif WRITABLE.match(section.group(1)):
            errors.append('%s: %s: %d bytes of global state' % (member, section.group(1), int(section.group(2), 16)))
    for member, symbol in undefined(archive, readelf):
        if FORBIDDEN_CALLS.fullmatch(symbol) and not excepted(member, symbol):
            errors.append('%s uses %s' % (member, symbol))
    for error in errors:
        print(error)
    if errors or not members:
        sys.exit(1)
    print('%d objects' % members)


main()
