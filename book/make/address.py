"""Where the project and its book are on the web: what _config.yml says, or the Pages workflow."""

import os
from functools import cache
from urllib.parse import urlsplit

import yaml

from book.make import ROOT


def repository() -> str:
    """The project's address, as TSE_REPOSITORY or _config.yml says; empty where it has none."""
    return (os.environ.get("TSE_REPOSITORY") or _configured()).rstrip("/")


@cache  # each link of a page asks
def _configured() -> str:
    """The address in _config.yml; empty where there is none."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    return settings.get("repository", {}).get("url") or ""


def site() -> str:
    """Where GitHub Pages puts the book, with a slash at the end; empty without a GitHub address."""
    address = urlsplit(repository())
    if address.hostname != "github.com":
        return ""
    owner, _, name = address.path.strip("/").partition("/")
    return f"https://{owner}.github.io/{name}/"
