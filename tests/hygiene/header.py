"""Reads the C declarations of the public header: constants, structs and functions, in order, without comments and spacing."""
import re


class Header:
    """constants: {name: value text}; structs: {name: [(type, field, array suffix)]}; functions: {name: (result, parameters)}; every
    mapping in the order of the file. function_pointers: the struct members that are functions, as {struct: {field: (result, parameters)}}."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.text = file.read()
        code = re.sub(r'/\*.*?\*/', ' ', self.text, flags=re.S)
        code = re.sub(r'//[^\n]*', ' ', code)
        code = code.replace('\\\n', ' ')
        self.constants = {name: tidy(value) for name, value in re.findall(r'^#define (\w+)[ \t]+(\S[^\n]*)$', code, flags=re.M)}
        code = re.sub(r'^\s*#[^\n]*$', '', code, flags=re.M)
        code = re.sub(r'extern "C" \{', '', code)
        self.opaque, self.structs, self.function_pointers, self.functions = [], {}, {}, {}
        for declaration in split(code):
            self.declare(declaration)

    def declare(self, declaration):
        body = re.fullmatch(r'(?:typedef )?struct (\w+) \{(.*)\}\s*(\w*)', declaration)
        if body:
            self.struct(body.group(1), body.group(2))
            return
        opaque = re.fullmatch(r'typedef struct (\w+) (\w+)', declaration)
        if opaque:
            self.opaque.append(opaque.group(1))
            return
        function = re.fullmatch(r'(.*?)(\w+)\((.*)\)', declaration)
        if not function:
            raise SystemExit('cannot read the declaration: ' + declaration)
        self.functions[function.group(2)] = (tidy(function.group(1)), tidy(function.group(3)))

    def struct(self, name, body):
        fields, pointers = [], {}
        for member in split(body):
            function = re.fullmatch(r'(.*?)\(\*(\w+)\)\((.*)\)', member)
            if function:
                pointers[function.group(2)] = (tidy(function.group(1)), tidy(function.group(3)))
                fields.append(('function', function.group(2), ''))
                continue
            base = re.match(r'((?:const )?\w+) ?', member)
            for declarator in member[base.end():].split(','):
                parts = re.fullmatch(r'([*\w ]*?)(\w+)((?:\[\d+\])*)', declarator.strip())
                fields.append((tidy(base.group(1) + ' ' + parts.group(1)), parts.group(2), parts.group(3)))
        self.structs[name] = fields
        self.function_pointers[name] = pointers


def tidy(text):
    """One space between words, none around punctuation."""
    return re.sub(r' ?([*(),]) ?', r'\1', ' '.join(text.split())).strip()


def split(code):
    """The declarations of a piece of code: what lies between semicolons outside braces."""
    depth, start, out = 0, 0, []
    for i, character in enumerate(code):
        depth += (character == '{') - (character == '}')
        if character == ';' and depth == 0:
            out.append(' '.join(code[start:i].split()))
            start = i + 1
    return out
