"""Models from elsewhere, and sweeps over many of them.

A package like any other that adds to `tse_core`: pyproject.toml names these backends, and the
command of `sweep`, as entry points. What a backend needs is imported when it opens a model.
"""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from tse_core.plugins import Backend, NamedModel, Source, data_folder, is_file, read_yaml


def _open_command(name: str, *, timeout: float):
    from tse_extras.command import open_command

    return open_command(name, timeout=timeout)


def _open_docker(name: str, *, timeout: float):
    from tse_extras.command import open_docker

    return open_docker(name, timeout=timeout)


def _open_server(name: str, *, bos: str, timeout: float):
    from tse_extras.server import open_server

    return open_server(name, bos=bos, timeout=timeout)


def _gguf_source(name: str, revision: str | None) -> Source:
    from tse_extras.gguf import gguf_source

    return gguf_source(name, revision)


@cache
def _packaged_models() -> Mapping[str, NamedModel]:
    """The models of data/packaged_models.yaml."""
    models = {}
    for name, row in read_yaml(data_folder() / "packaged_models.yaml").items():
        models[name] = NamedModel(
            "causal",
            row["bytes"],
            row["licence"],
            row["source"],
            fetch=partial(_packaged_file, name),
            state=partial(_packaged_state, name),
        )
    return models


def _packaged_file(name: str) -> Path:
    from tse_extras.gguf import model_file

    return model_file(name)


def _packaged_state(name: str) -> str:
    from tse_extras.gguf import state_of

    return state_of(name)


def _adapter_source(name: str, revision: str | None) -> Source | None:
    if not is_file(Path(name, "adapter_config.json")):
        return None
    from tse_extras.adapters import adapter_source

    return adapter_source(name, revision)


COMMAND = Backend(
    r"command:.*", _open_command, options=("timeout",), example="command:./my-model (a program)"
)
DOCKER = Backend(
    r"docker://.*", _open_docker, options=("timeout",), example="docker://IMAGE (a container)"
)
SERVER = Backend(
    r"https?://.*",
    _open_server,
    options=("bos", "timeout"),
    example="http://127.0.0.1:8000/v1#its-model (a server)",
)
GGUF = Backend(r"(?i).*\.gguf", source=_gguf_source, names=_packaged_models, example="a .gguf file")
ADAPTERS = Backend(source=_adapter_source, example="a folder with a PEFT adapter")
