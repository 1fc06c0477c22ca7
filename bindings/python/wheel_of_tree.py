"""The build backend (PEP 517, PEP 660). There is nothing to compile: a wheel is the files of gsample/ and three of metadata. So pip
installs from the tree without fetching a build tool."""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _project(key):
    with open(os.path.join(HERE, 'pyproject.toml'), encoding='utf-8') as file:
        return re.search(r'^%s = "(.*)"$' % key, file.read(), flags=re.M).group(1)


def _write(folder, files):
    """A wheel of {path: bytes}; returns its name."""
    name, version = _project('name'), _project('version')
    info = '%s-%s.dist-info' % (name, version)
    with open(os.path.join(HERE, 'README.md'), encoding='utf-8') as file:
        readme = file.read()
    files = dict(files)
    files[info + '/METADATA'] = ('Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: MIT\nRequires-Python: %s\n'
                                 'Description-Content-Type: text/markdown\n\n%s' % (name, version, _project('description'),
                                                                                   _project('requires-python'), readme)).encode()
    files[info + '/WHEEL'] = b'Wheel-Version: 1.0\nGenerator: gsample\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    record = ''
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        record += '%s,sha256=%s,%d\n' % (path, digest, len(data))
    files[info + '/RECORD'] = ('%s%s/RECORD,,\n' % (record, info)).encode()
    wheel = '%s-%s-py3-none-any.whl' % (name, version)
    with zipfile.ZipFile(os.path.join(folder, wheel), 'w', zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, 'gsample'))):
        if name.endswith('.py') or name == 'py.typed' or name.startswith('libgsample.so'):
            with open(os.path.join(HERE, 'gsample', name), 'rb') as file:
                files['gsample/' + name] = file.read()
    return _write(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {'gsample.pth': HERE.encode() + b'\n'})
