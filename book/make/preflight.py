"""Before the work starts: has this machine what the profile needs? One message names all that is missing."""

import os

from book.make import fail
from book.make.profile import WITHOUT, at_once, load_profile, profile_name
from tse_book.pages import missing, profiles, read_profile


def settle() -> None:
    """Fetch the optional models of the profile, once a build; those that cannot be had are left out with one line.

    The steps of the build, which are processes of their own, find the decision in the environment.
    """
    if WITHOUT in os.environ:
        return
    reasons = {name: profiles.cannot_be_had(name) for name in load_profile()["optional"]}
    for name, reason in reasons.items():
        if reason:
            print(f"The book is built without {name}. {reason}")
    if instead := profiles.instead_of_full_list(read_profile(profile_name())["lemmas"]):
        print(instead)
    os.environ[WITHOUT] = " ".join(name for name, reason in reasons.items() if reason)


def check() -> None:
    """End with the list of what is missing, each with its remedy; silent where all is there."""
    if lacking := missing(load_profile(), at_once()):
        lines = "\n".join(f"  {item}" for item in lacking)
        raise fail(f"profile {profile_name()} cannot run here yet; nothing was computed. Missing:\n{lines}")


if __name__ == "__main__":
    check()
