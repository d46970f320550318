"""Draw the pictures of docs/architecture.md: the package by its imports, and the workflow by its rules.

    python docs/architecture.py

Both are Mermaid diagrams between comments in the page, so that a change of either shows as text.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "mlsieve"
PAGE = ROOT / "docs" / "architecture.md"
Graph = dict[str, set[str]]


def module_files() -> dict[str, Path]:
    """Return the Python files of the package by the names of their modules."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a file imports, also inside functions; those for type checkers alone aside."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        yield from imported(node)


def module_graph() -> Graph:
    """Return which modules of the package each module imports."""
    files = module_files()

    def known(name: str) -> str | None:
        return name if name in files else name.rpartition(".")[0]

    return {
        module: {
            name
            for each in imported(ast.parse(path.read_text(encoding="utf-8")))
            if (name := known(each)) in files and name != module
        }
        for module, path in files.items()
    }


def room(module: str) -> str:
    """Return the package, or the module at the root, to which a module belongs."""
    return ".".join(module.split(".")[1:2])


def room_graph(modules: Mapping[str, set[str]]) -> Graph:
    """Return which rooms import which."""
    graph: Graph = {room(module): set() for module in modules if room(module) not in ("", "__main__")}
    for module, names in modules.items():
        for name in names:
            if room(module) in graph and room(name) in graph and room(name) != room(module):
                graph[room(module)].add(room(name))
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the sets of nodes that reach each other."""
    reached = {node: _reachable(graph, node) for node in graph}
    groups = {frozenset(other for other in reached[node] if node in reached[other]) for node in graph}
    return [set(group) for group in groups if len(group) > 1]


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found, ahead = set(), list(graph[start])
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += graph.get(node, ())
    return found


def reduced(graph: Graph) -> Graph:
    """Return the graph without the arrows that follow from others; it has no circle."""
    return {
        node: {
            name
            for name in names
            if not any(name in _reachable(graph, other) for other in names if other != name)
        }
        for node, names in graph.items()
    }


def package_diagram() -> str:
    """Return the rooms and their imports, those that follow from others left out."""
    arrows = reduced(room_graph(module_graph()))
    lines = [f"  {node} --> {name}" for node in sorted(arrows) for name in sorted(arrows[node])]
    return "\n".join(["graph TD", *lines])


def rule_diagram() -> str:
    """Return the rules that the default study runs, as Snakemake sees them."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = dict(re.findall(r'(id\d+)\["?(\w+)"?\]', done.stdout))
    arrows = re.findall(r"(id\d+) -->(?:\|[^|]*\|)? (id\d+)", done.stdout)
    return "\n".join(["graph LR", *sorted(f"  {names[a]} --> {names[b]}" for a, b in set(arrows))])


def page_with(text: str, name: str, diagram: str) -> str:
    """Return the page's text with a diagram between its comments."""
    block = f"<!-- {name} -->\n```mermaid\n{diagram}\n```\n<!-- end of {name} -->"
    return re.sub(rf"<!-- {name} -->.*?<!-- end of {name} -->", lambda _: block, text, flags=re.S)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    for name, diagram in (("package", package_diagram()), ("rules", rule_diagram())):
        page = page_with(page, name, diagram)
    PAGE.write_text(page, encoding="utf-8")
