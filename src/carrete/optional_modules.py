"""Libraries, and parts of libraries, that would be loaded along with others though we never use them there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import RLock
from typing import Any


@contextmanager
def without_modules(*names: str) -> Iterator[None]:
    """An import of these fails inside the block, as if they were not installed. Those that are loaded already stay."""
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(hidden))  # None in `sys.modules` is Python's own sign for it
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]


def init_on_first_use(*packages: str) -> None:
    """For packages whose `__init__` loads far more than the few modules of them that we import.

    Their modules can be imported as usual. `__init__` runs when code uses a name that only it defines, as
    `from redis import Redis` does. A package that is loaded already stays as it is. To be called, and such names to be
    asked for first, before there are threads: one that imports a module of the package and one that asks for a name
    would wait for each other."""
    for name in packages:
        if name not in sys.modules:
            _register_without_init(name)


def _register_without_init(name: str) -> None:
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    package, loader = module_from_spec(spec), spec.loader
    lock = RLock()
    started: list[bool] = []

    def find_name(wanted: str) -> Any:
        """Python calls it for names that the package does not have (yet). Other threads wait while `__init__` runs."""
        if not wanted.startswith("__") and find_spec(f"{name}.{wanted}"):
            return import_module(f"{name}.{wanted}")
        with lock:
            if not started:
                started.append(True)
                try:
                    loader.exec_module(package)
                except BaseException:
                    started.clear()  # the next import raises the same error
                    raise
        try:
            return vars(package)[wanted]
        except KeyError:
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}") from None

    package.__getattr__ = find_name  # type: ignore[method-assign]
    sys.modules[name] = package
