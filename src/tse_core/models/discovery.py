"""Plug-ins: kinds of models that installed packages add by entry points.

An entry point of the group `PLUGINS` names a `Backend`::

    [project.entry-points."tse_core.backends"]
    frequencies = "my_package:backend"

This project's own package of further models is found in the same way.
"""

from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, PackageNotFoundError, entry_points
from importlib.metadata import distribution as installed
from typing import NamedTuple

from tse_core.errors import InputError, warn
from tse_core.models.backend import Backend, NamedModel, Source

PLUGINS = "tse_core.backends"
PACKAGE = "tse-core"  # as pip knows it
NOBODY_S = "no model has this name"  # a source that takes it would take every name


class Plugin(NamedTuple):
    """A backend, and what messages call it."""

    description: str
    backend: Backend


def entries_of(group: str) -> EntryPoints:
    """The entry points of a group; warns where this project's own are missing."""
    _check_installation()
    return entry_points(group=group)


@cache
def _check_installation() -> None:
    """Warn where the installation is older than its code, and so knows none of its own plug-ins."""
    try:
        own_entries = installed(PACKAGE).entry_points
    except PackageNotFoundError:
        own_entries = EntryPoints()
    if not own_entries.select(group=PLUGINS):
        warn(
            f"the installation of {PACKAGE} is older than its code, and lacks kinds of models and "
            "commands; renew it in the project's folder: pip install -e ."
        )


@cache
def plugins() -> tuple[Plugin, ...]:
    """The backends of installed packages; warns of each that cannot be loaded."""
    loaded = []
    for entry in entries_of(PLUGINS):
        description = _description(entry)
        try:
            loaded.append(Plugin(description, _backend(entry)))
        except Exception as error:  # whatever another package raises
            reason = f"{type(error).__name__}: {error}"
            warn(f"{description} cannot be loaded ({reason})")
    return tuple(loaded)


def _backend(entry: EntryPoint) -> Backend:
    """The backend that an entry point names. Raises whatever its package raises."""
    backend = entry.load()
    if not isinstance(backend, Backend):
        raise TypeError(f"{entry.value} is no Backend")
    if backend.source and backend.pattern is None:
        source = backend.source(NOBODY_S, None)
        if source is not None:
            raise InputError("its source takes every name; it must give None for others' models")
    return backend


def _description(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist else "unknown"
    return f"the plug-in {entry.name} of the package {package}"


def backend_of(name: str) -> Backend | None:
    """The backend of a plug-in that has this name, or whose pattern takes it; None: no plug-in's.

    Raises InputError where several do.
    """
    taking = [plugin for plugin in plugins() if plugin.backend.takes(name)]
    _check_single(name, [plugin.description for plugin in taking])
    return taking[0].backend if taking else None


def source_of_plugin(name: str, revision: str | None) -> Source | None:
    """The source that a plug-in gives for a name; None where none knows it.

    The plug-in that takes the name is asked, or else each one without a pattern. Raises InputError
    where several know it.
    """
    backend = backend_of(name)
    if backend and backend.source:
        return backend.source(name, revision)
    sources = {}
    for plugin in plugins():
        if plugin.backend.source and plugin.backend.pattern is None:
            source = plugin.backend.source(name, revision)
            if source is not None:
                sources[plugin.description] = source
    _check_single(name, list(sources))
    return next(iter(sources.values()), None)


def _check_single(name: str, descriptions: list[str]) -> None:
    """Raise InputError where several plug-ins take a name."""
    if len(descriptions) > 1:
        packages = " and ".join(sorted(descriptions))
        raise InputError(f"{name} is taken by {packages}; uninstall all but one of them")


def named_models() -> dict[str, NamedModel]:
    """The models that plug-ins open by names of their own."""
    models: dict[str, NamedModel] = {}
    for plugin in plugins():
        models |= plugin.backend.names()
    return models


def examples() -> list[str]:
    """How the names that plug-ins take are written."""
    return [plugin.backend.example for plugin in plugins() if plugin.backend.example]
