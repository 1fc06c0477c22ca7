#!/usr/bin/env python3
"""Runs several commands, separated by --, and fails unless all succeed and print the same, which must be more than nothing."""
import subprocess
import sys

commands, outputs = [[]], []
for argument in sys.argv[1:]:
    if argument == '--':
        commands.append([])
    else:
        commands[-1].append(argument)
for command in commands:
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode or not run.stdout:
        sys.exit('%s: exit status %d\n%s' % (' '.join(command), run.returncode, run.stderr))
    outputs.append(run.stdout)
if len(set(outputs)) != 1:
    for command, output in zip(commands, outputs):
        print(' '.join(command), output.split(), sep='\n')
    sys.exit(1)
