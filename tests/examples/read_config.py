#!/usr/bin/env python3
"""Writes a generation_config.json and the head of a GGUF file, runs the example on them, and checks what it prints.

  read_config.py EXAMPLE
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

F32, I32, STRING = 6, 5, 8


def string(text):
    return struct.pack('<Q', len(text)) + text.encode()


def gguf(values):
    out = b'GGUF' + struct.pack('<IQQ', 3, 0, len(values))
    for key, kind, value in values:
        out += string(key) + struct.pack('<I', kind)
        out += string(value) if kind == STRING else struct.pack('<f' if kind == F32 else '<i', value)
    return out + b'tensors that nobody reads'


def main():
    with tempfile.TemporaryDirectory() as folder:
        config, model = os.path.join(folder, 'generation_config.json'), os.path.join(folder, 'model.gguf')
        with open(config, 'w', encoding='utf-8') as file:
            json.dump({'do_sample': True, 'temperature': 0.6, 'top_p': 0.9, 'repetition_penalty': 1.05, 'num_beams': 4,
                       'eos_token_id': [2, 7], 'transformers_version': '4.51.0'}, file)
        with open(model, 'wb') as file:
            file.write(gguf([('general.architecture', STRING, 'llama'), ('general.sampling.top_k', I32, 3),
                             ('general.sampling.temp', F32, 0.75), ('general.sampling.xtc_probability', F32, 0.5)]))
        run = subprocess.run([sys.argv[1], config, model], capture_output=True, text=True, check=False)
    sys.stdout.write(run.stdout)
    sys.stderr.write(run.stderr)
    lines = [line.strip() for line in run.stdout.splitlines()]
    expected = [config + ': not honoured: num_beams', model + ': not honoured: general.sampling.xtc_probability', 'temperature=0.75',
                'top_k=3', 'top_p=0.9', 'penalty_repeat=1.05', 'penalty_style=answer', 'xtc_probability=0', 'seed=42',
                'order=penalties,temperature,top_k,top_p,min_p,typical_p']
    missing = [line for line in expected if line not in lines]
    if run.returncode or missing:
        sys.exit('exit status %d, missing: %s' % (run.returncode, missing))
    picks = [int(token) for token in lines[-1].removeprefix('picks:').split()]
    if len(picks) != 8 or not set(picks) <= {1, 3, 6}:
        sys.exit('the three best are 1, 6 and 3')


main()
