"""Python sources as what they compute: top-level definitions, what each refers to, and their canonical text.

Comments, formatting, docstrings, annotations, texts of errors and lines for the log do not count. The
canonical text does not depend on the version of Python that reads it.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field

# What a method's decorator says of it that changes no result.
SAID_ONLY = frozenset({"version", "doi", "smoke", "cost", "empty", "estimator", "not_configurable", "tasks"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEFT_OUT = frozenset({"ctx", "type_comment", "kind"})


@dataclass
class Names:
    """What a piece of code refers to.

    Attributes
    ----------
    plain : set of str
        Names that it does not bind itself.
    imported : set of (str, str)
        Module and name of each import inside it.
    texts : set of str
        Its strings, which may be names of files.
    """

    plain: set[str] = field(default_factory=set)
    imported: set[tuple[str, str]] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


class Module:
    """One Python file.

    Parameters
    ----------
    text : str
        Its source.
    name : str
        Its dotted name.
    is_package : bool
        Whether it is the ``__init__`` of a package, to which relative imports are relative.

    Attributes
    ----------
    definitions : dict of str to list of ast.stmt
        The top-level statements that bind each name, reduced to what counts.
    imports : dict of str to (str, str)
        Module and name behind each name that is imported at the top level; the name is "" for a module.
    effects : list of ast.stmt
        Top-level statements that bind no name: whatever they do counts for every definition.
    text_of : callable
        The canonical text of a definition and of the effects, by its name.
    names_of : callable
        What that text refers to, as `Names`, by the definition's name.
    """

    def __init__(self, text: str, name: str, is_package: bool = False) -> None:
        self.name, self.is_package = name, is_package
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self.effects: list[ast.stmt] = []
        self.text_of = functools.cache(self._text_of)
        self.names_of = functools.cache(self._names_of)
        for statement in ast.parse(text).body:
            self._take(statement)

    def _take(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self.imports.update(imports_of(statement, self))
            return
        if isinstance(statement, ast.If) and _only_for_types(statement.test):
            return
        reduced = _Reduction().visit(statement)
        if reduced is None:
            return
        if isinstance(statement, ast.If | ast.Try):
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    self.imports.update(imports_of(inner, self))
        names = list(_bound_at_top(reduced))
        for name in names:
            self.definitions.setdefault(name, []).append(reduced)
        if not names and not isinstance(reduced, ast.If | ast.Try | ast.Pass):
            self.effects.append(reduced)

    def _text_of(self, name: str) -> str:
        return "\n".join(map(canonical, [*self.definitions[name], *self.effects]))

    def _names_of(self, name: str) -> Names:
        found = Names()
        for statement in (*self.definitions[name], *self.effects):
            _References(found, self).visit(statement)
        return found


def imports_of(statement: ast.stmt, module: Module) -> dict[str, tuple[str, str]]:
    """Return the module and the name (or "") behind each name that an import statement binds."""
    found: dict[str, tuple[str, str]] = {}
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            # `import a.b` binds a; what is used of it is not told apart, so that all of a.b counts.
            found[alias.asname or alias.name.split(".")[0]] = (alias.name, "")
    elif isinstance(statement, ast.ImportFrom):
        source = statement.module or ""
        if statement.level:
            parts = module.name.split(".")
            base = parts[: len(parts) - statement.level + module.is_package]
            source = ".".join([*base, *filter(None, [statement.module])])
        for alias in statement.names:
            found[alias.asname or alias.name] = (source, alias.name)
    return found


def canonical(node: object) -> str:
    """Return one text for all ways of writing a syntax tree, the same under every version of Python."""
    if isinstance(node, ast.JoinedStr):
        return f"JoinedStr({canonical(_joined(node.values))})"
    if isinstance(node, ast.AST):
        fields = sorted((name, value) for name, value in ast.iter_fields(node) if name not in _LEFT_OUT)
        # Fields that only newer versions know are empty in what older ones can read.
        words = [f"{name}={canonical(value)}" for name, value in fields if value is not None and value != []]
        return f"{type(node).__name__}({','.join(words)})"
    if isinstance(node, list):
        return f"[{','.join(map(canonical, node))}]"
    return repr(node)


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of an f-string with neighbouring constants in one."""
    parts: list[ast.expr] = []
    for value in values:
        last = parts[-1] if parts else None
        if isinstance(value, ast.Constant) and isinstance(last, ast.Constant):
            parts[-1] = ast.Constant(str(last.value) + str(value.value))
        elif not (isinstance(value, ast.Constant) and value.value == ""):
            parts.append(value)
    return parts


def _only_for_types(test: ast.expr) -> bool:
    return (test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")) == "TYPE_CHECKING"


def _bound_at_top(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a top-level statement binds, not those inside functions and classes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    if isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
        yield statement.id
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (*_FUNCTIONS, *_COMPREHENSIONS)):
            yield from _bound_at_top(child)  # type: ignore[arg-type]
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child.name


class _Reduction(ast.NodeTransformer):
    """Takes away what changes no result."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant):
            return None  # a docstring
        if isinstance(node.value, ast.Call) and _speaks(node.value):
            return None
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        # What is raised counts, its text does not.
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ast.Raise(exc=raised, cause=None)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if _only_for_types(node.test) else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(arg=node.arg, annotation=None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # The fields of a data class have no value, and still count in their order.
        value = self.visit(node.value) if node.value is not None else None
        return ast.AnnAssign(
            target=node.target, annotation=ast.Constant(ast.unparse(node.annotation)), value=value, simple=1
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        if isinstance(called, ast.Name) and called.id == "UserError":
            return called  # as where it is raised
        if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") == "register":
            node.keywords = [word for word in node.keywords if word.arg not in SAID_ONLY]
        return self.generic_visit(node)


def _speaks(call: ast.Call) -> bool:
    """Whether a call prints to standard error."""
    to = next((word.value for word in call.keywords if word.arg == "file"), None)
    return getattr(call.func, "id", "") == "print" and getattr(to, "attr", "") == "stderr"


class _References(ast.NodeVisitor):
    """Collects the names that a statement uses without binding them."""

    def __init__(self, found: Names, module: Module) -> None:
        self._found, self._module = found, module
        self._scopes: list[dict[str, tuple[str, str] | None]] = []

    def visit_Name(self, node: ast.Name) -> None:
        for scope in reversed(self._scopes):
            if node.id in scope:
                source = scope[node.id]
                if source is not None:
                    self._found.imported.add(source)
                return
        self._found.plain.add(node.id)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._found.texts.add(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        for decorator in getattr(node, "decorator_list", ()):
            self.visit(decorator)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        body = node.body if isinstance(node.body, list) else [node.body]
        self._scopes.append(_bound_in(node, self._module))
        for inner in body:
            self.visit(inner)
        self._scopes.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function


def _bound_in(node: ast.AST, module: Module) -> dict[str, tuple[str, str] | None]:
    """Return what a function binds: the source of its imports, None for parameters and variables."""
    bound: dict[str, tuple[str, str] | None] = {}
    outside: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            bound[inner.arg] = None
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            bound.setdefault(inner.id, None)
        elif isinstance(inner, ast.Import | ast.ImportFrom):
            bound.update(imports_of(inner, module))
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            outside.update(inner.names)
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and inner is not node:
            bound[inner.name] = None
    return {name: source for name, source in bound.items() if name not in outside}
