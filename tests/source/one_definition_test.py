#!/usr/bin/env python3
"""No two files that are linked into one program define the same type or inline constant.

C++ keeps one of two such definitions, whichever the linker meets first; code compiled against the other then reads
memory that means something else. No compiler warns. This test reads the sources as text: types (struct, class, union,
enum) and inline constants at namespace scope, outside unnamed namespaces, by their qualified names. What is linked
together comes from the CMakeLists.txt files: sources and DEPENDS of every target, and what the sources include.
"""
import collections
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ('common', 'memory', 'server', 'worker', 'client', 'tests')
TYPE_WORDS = ('struct', 'class', 'union', 'enum')

LITERALS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<delimiter>[^()\s]{0,16})\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'", re.DOTALL)
DIRECTIVES = re.compile(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.MULTILINE)
TOKENS = re.compile(r'[A-Za-z_]\w*|::|\[\[|\]\]|""|[{}()<>;=:,\[\]]')
INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)
TARGETS = re.compile(r'\b(kernelsmith_\w+|add_library|add_executable)\s*\(\s*([\w.-]+)([^()]*)\)')
IS_NAME = re.compile(r'[A-Za-z_]\w*$')


def tokens_of(text):
    text = LITERALS.sub(lambda found: '""' if found.group().endswith('"') else ' ', text)
    return TOKENS.findall(DIRECTIVES.sub('', text))


def without_templates(head):
    """A declaration without `template <...>` in front of it."""
    while head[:2] == ['template', '<']:
        depth = 0
        for end, token in enumerate(head):
            depth += (token == '<') - (token == '>')
            if end > 0 and token == '>' and depth == 0:
                break
        head = head[end + 1:]
    return head


def without_groups(head):
    """Without attributes and arguments: [[...]], alignas(...), MACRO(...)."""
    kept, depth = [], 0
    for token in head:
        depth += token in ('[[', '(')
        if depth == 0:
            kept.append(token)
        depth -= token in (']]', ')')
    return kept


def type_name(head):
    """The name that `struct X : Y` defines, '' if it defines none. Of both: without `template <...>`."""
    if ')' in head[:head.index(':') if ':' in head else len(head)][-2:]:
        return ''  # a function that returns `struct X`
    head = without_groups(head)
    while head and head[0] in ('typedef', 'static', 'inline'):
        head = head[1:]
    if not head or head[0] not in TYPE_WORDS:
        return ''
    if '<' in head[:head.index(':') if ':' in head else len(head)]:
        return ''  # a specialisation: its arguments tell it apart
    words = []
    for token in head[1:]:
        if token in (':', 'final'):
            break
        words.append(token)
    name = ''
    for token in words:  # macros and attributes stand before the name; A::B is one name
        name = name + token if token == '::' or name.endswith('::') else token
    return name if name not in TYPE_WORDS else ''


def constant_name(head):
    """The name that `inline constexpr int kX` defines, '' if it defines none."""
    if 'inline' not in head or not ('constexpr' in head or 'const' in head) or '(' in head:
        return ''
    words = head[:head.index('[')] if '[' in head else head
    return words[-1] if words and IS_NAME.match(words[-1]) else ''


def definitions(text):
    """Qualified names that `text` defines at namespace scope."""
    found, scopes, head, inside = [], [], [], 0
    for token in tokens_of(text):
        if inside:  # a body or an initialiser
            inside += (token == '{') - (token == '}')
            continue
        if token == '{':
            opening, head = head, []
            plain = [word for word in opening if word != 'inline']
            if plain[:1] == ['namespace']:
                scopes.append(''.join(plain[1:]))
                continue
            if plain == ['extern', '""']:
                scopes.append(None)
                continue
            opening = without_templates(opening)
            name = '' if '=' in opening else type_name(opening) or constant_name(opening)
            if name and '' not in scopes:
                found.append('::'.join([scope for scope in scopes if scope] + [name]))
            inside = 1
            head = ['}']  # what follows up to ';' belongs to it: a variable, or nothing
        elif token == '}':
            if scopes:
                scopes.pop()
            head = []
        elif token == ';':
            head = without_templates(head)
            if '=' in head and head[0] != '}':
                name = constant_name(head[:head.index('=')])
                if name and '' not in scopes:
                    found.append('::'.join([scope for scope in scopes if scope] + [name]))
            head = []
        else:
            if head[:1] == ['}'] and token in TYPE_WORDS + ('namespace', 'template', 'inline', 'constexpr', 'static'):
                head = []  # a function's body ends without ';'
            head.append(token)
    return found


class Tree:
    def __init__(self, root, folders=FOLDERS):
        self.root = root
        self.texts, self.targets = {}, {}
        for folder in folders:
            for path, _, names in sorted(os.walk(os.path.join(root, folder))):
                for name in sorted(names):
                    whole = os.path.join(path, name)
                    if name.endswith(('.h', '.cc')):
                        self.texts[os.path.relpath(whole, root)] = self.read(whole)
                    elif name == 'CMakeLists.txt':
                        self.add_targets(os.path.relpath(path, root), self.read(whole))

    @staticmethod
    def read(path):
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()

    def add_targets(self, folder, text):
        text = re.sub(r'#[^\n]*', '', text)
        for kind, name, rest in TARGETS.findall(text):
            words = rest.split()
            sources = [os.path.normpath(os.path.join(folder, word)) for word in words if word.endswith('.cc')]
            if sources or 'DEPENDS' in words:
                is_program = kind not in ('kernelsmith_library', 'add_library')
                self.targets[name] = (is_program, sources, [word for word in words if not word.endswith('.cc')])
        for name, rest in re.findall(r'target_(?:link_libraries|sources)\s*\(\s*([\w.-]+)([^()]*)\)', text):
            if name in self.targets:
                words = rest.split()
                self.targets[name][1].extend(
                    os.path.normpath(os.path.join(folder, word)) for word in words if word.endswith('.cc'))
                self.targets[name][2].extend(words)

    def included_by(self, file):
        for name in INCLUDES.findall(self.texts[file]):
            for place in (name, os.path.join(os.path.dirname(file), name)):
                if os.path.normpath(place) in self.texts:
                    yield os.path.normpath(place)
                    break

    def files_of(self, target):
        """Sources of a target and of what it depends on, and all that they include."""
        targets, files, waiting = set(), set(), [target]
        while waiting:
            name = waiting.pop()
            if name in targets or name not in self.targets:
                continue
            targets.add(name)
            _, sources, words = self.targets[name]
            waiting.extend(words)
            open_files = [file for file in sources if file in self.texts]
            while open_files:
                file = open_files.pop()
                if file not in files:
                    files.add(file)
                    open_files.extend(self.included_by(file))
        return files

    def repeated(self):
        """(qualified name, file, file, program) for every name that two files of one program define."""
        places = collections.defaultdict(list)
        for file, text in self.texts.items():
            for name in set(definitions(text)):
                places[name].append(file)
        suspects = {name: files for name, files in places.items() if len(files) > 1}
        if not suspects:
            return []
        found = {}
        for program in sorted(name for name, (is_program, _, _) in self.targets.items() if is_program):
            linked = self.files_of(program)
            for name, files in suspects.items():
                together = [file for file in files if file in linked]
                if len(together) > 1:
                    found.setdefault((name, together[0], together[1]), program)
        return [(*where, program) for where, program in sorted(found.items())]


class OneDefinitionTest(unittest.TestCase):
    def test_nothing_is_defined_twice_in_one_program(self):
        tree = Tree(ROOT)
        self.assertGreater(len(tree.texts), 500, 'the sources were not found')
        self.assertGreater(sum(is_program for is_program, _, _ in tree.targets.values()), 50, 'no programs were found')
        lines = [f'{name}: in {one} and in {other}, both linked into {program}; rename one of them, or give it an '
                 f'unnamed namespace' for name, one, other, program in tree.repeated()]
        self.assertEqual(lines, [], '\n' + '\n'.join(lines))


class DefinitionsTest(unittest.TestCase):
    def test_finds_types_and_inline_constants_by_their_qualified_names(self):
        text = '''
          #define BRACE {
          namespace a::b {
          // struct InComment {};
          struct Plain { struct Nested {}; enum { kInner }; };
          class ABSL_LOCKABLE Marked final : public Base<int> { int x = 0; };
          template <typename T, class U = std::map<int, T>> struct Generic { T value; };
          enum class Colour : int { kRed, kBlue };
          class Outer::Inner { };
          inline constexpr int kOne = 1;
          inline constexpr char kWord[] = "struct InText {";
          inline const std::array<int, 2> kPair{1, 2};
          constexpr int kPrivateToEachFile = 2;
          struct Forward;
          struct Plain MakePlain(const struct Plain& plain) { struct Local {}; return {}; }
          struct Plain Plain::Copy() const { return *this; }
          inline constexpr int Twice(int x) { return 2 * x; }
          namespace { struct Hidden {}; inline constexpr int kHidden = 3; }
          extern "C" { struct FromC { int x; }; }
          }  // namespace a::b
          template <> struct std::hash<a::b::Plain> { };
          struct Global {};
        '''
        self.assertEqual(sorted(definitions(text)), [
            'Global', 'a::b::Colour', 'a::b::FromC', 'a::b::Generic', 'a::b::Marked', 'a::b::Outer::Inner',
            'a::b::Plain', 'a::b::kOne', 'a::b::kPair', 'a::b::kWord'])

    def test_names_two_files_of_one_program_and_no_others(self):
        with tempfile.TemporaryDirectory() as root:
            files = {
                'common/CMakeLists.txt': 'kernelsmith_library(lib\n SOURCES a.cc\n DEPENDS other)',
                'common/a.h': 'namespace n { struct Twice { int a; }; struct Once {}; }',
                'common/a.cc': '#include "common/a.h"\nnamespace n { namespace { struct Mine {}; } }',
                'memory/CMakeLists.txt': 'kernelsmith_program(together SOURCES main.cc DEPENDS lib)\n'
                                         'kernelsmith_program(apart SOURCES alone.cc)',
                'memory/main.cc': 'namespace n { struct Twice { char b; }; namespace { struct Mine {}; } }',
                'memory/alone.cc': 'namespace n { struct Once { int c; }; }',
            }
            for name, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                with open(os.path.join(root, name), 'w', encoding='utf-8') as file:
                    file.write(text)
            self.assertEqual(Tree(root).repeated(), [('n::Twice', 'common/a.h', 'memory/main.cc', 'together')])


if __name__ == '__main__':
    sys.exit(unittest.main())
