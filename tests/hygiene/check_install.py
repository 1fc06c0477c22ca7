#!/usr/bin/env python3
"""Installs into an empty folder and compiles a program against what is there, by the pkg-config file, dynamically and statically.

  check_install.py BUILD VERSION EXAMPLE SUPPORT MESON...    EXAMPLE is a C program that includes headers of SUPPORT; MESON runs meson
"""
import os
import subprocess
import sys
import tempfile

build, version, example, support, *meson = sys.argv[1:]


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        sys.exit('%s: exit status %d\n%s' % (' '.join(command), done.returncode, done.stderr))
    return done.stdout


with tempfile.TemporaryDirectory() as root:
    run(*meson, 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', root)
    files = {name: folder for folder, _, names in os.walk(root) for name in names}
    expected = {'gsample.h', 'gsample.pc', 'libgsample.a', 'libgsample.so', 'libgsample.so.' + version.split('.')[0],
                'libgsample.so.' + version}
    if set(files) != expected:
        sys.exit('installed are %s, not %s' % (sorted(files), sorted(expected)))
    pkg_config = {'PKG_CONFIG_SYSROOT_DIR': root, 'PKG_CONFIG_LIBDIR': files['gsample.pc']}
    cflags = run('pkg-config', '--cflags', 'gsample', **pkg_config).split()
    libs = run('pkg-config', '--libs', 'gsample', **pkg_config).split()
    # A static link is one with the archive in the library's place.
    static = run('pkg-config', '--static', '--libs', 'gsample', **pkg_config).split()
    static = [files['libgsample.a'] + '/libgsample.a' if flag == '-lgsample' else flag for flag in static]
    outputs = []
    for name, flags in ('dynamic', libs), ('static', static):
        program = os.path.join(root, name)
        run('cc', '-std=c99', example, '-I' + support, '-o', program, *cflags, *flags, '-lm')
        outputs.append(run(program, LD_LIBRARY_PATH=files['libgsample.so']))
    if not outputs[0] or outputs[0] != outputs[1]:
        sys.exit('the static library picks otherwise than the shared one')
