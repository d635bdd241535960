"""Replaces module-level constants of a Python file before it runs, by rewriting its syntax tree."""

import ast

from tensors import TaskError


def parse_literal(name, text):
    try:
        expression = ast.parse(text, mode="eval").body
        ast.literal_eval(expression)
    except (SyntaxError, ValueError) as error:
        raise TaskError(f"override {name}={text!r} is no Python literal: {error}") from None
    return expression


def _assignments(tree):
    """(name, setter of the value's expression) of every module-level constant, `A, B = 1, 2` included."""
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, lambda value, s=statement: setattr(s, "value", value)
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, lambda value, s=statement: setattr(s, "value", value)
            elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                for position, element in enumerate(target.elts):
                    if isinstance(element, ast.Name):
                        yield element.id, lambda value, s=statement, p=position: s.value.elts.__setitem__(p, value)


def apply_overrides(tree, overrides):
    """Changes `tree` in place. Every assignment to an overridden name gets the new value."""
    setters = {}
    for name, setter in _assignments(tree):
        setters.setdefault(name, []).append(setter)
    for name, text in overrides.items():
        if name not in setters:
            known = ", ".join(sorted(setters)) or "none"
            raise TaskError(f"override '{name}' names no module-level constant of the file; known are: {known}")
        for setter in setters[name]:
            setter(parse_literal(name, text))
    ast.fix_missing_locations(tree)
