"""Where the project and its book are on the web: what _config.yml says, or the Pages workflow."""

import os
from urllib.parse import urlsplit

import yaml

from book.make import ROOT


def repository() -> str:
    """The project's address, as TSE_REPOSITORY or _config.yml says; empty where it has none."""
    configured = yaml.safe_load((ROOT / "_config.yml").read_text()).get("repository", {}).get("url")
    return (os.environ.get("TSE_REPOSITORY") or configured or "").rstrip("/")


def site() -> str:
    """Where GitHub Pages puts the book, with a slash at the end; empty without a GitHub address."""
    address = urlsplit(repository())
    if address.hostname != "github.com":
        return ""
    owner, _, name = address.path.strip("/").partition("/")
    return f"https://{owner}.github.io/{name}/"
