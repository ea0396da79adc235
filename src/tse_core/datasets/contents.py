"""Whether a name stands for the same contents here as where a result was made."""

from tse_core.datasets.lemmas import load_lemmas
from tse_core.datasets.names import data_hash, load_pairs
from tse_core.errors import InputError


def other_contents(data: str, lemmas: str = "") -> list[str]:
    """Where data or lemmas, each as name@hash, have other contents under that name here, one line each.

    Data that is not on this machine is passed over.
    """
    found = []
    for said, ours in ((data, lambda name: data_hash(load_pairs(name))), (lemmas, lambda name: load_lemmas(name).hash)):
        name, _, there = said.rpartition("@")
        try:
            if name and (here := ours(name)) != there:
                found.append(f"{name} is {here} here but {there} there: other contents under the same name")
        except InputError:
            continue
    return found
