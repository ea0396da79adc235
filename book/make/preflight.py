"""Before the work starts: has this machine what the profile needs? One message names all that is missing."""

from book.make import fail
from book.make.profile import load_profile, profile_name


def check() -> None:
    """End with the list of what is missing, each with its remedy; silent where all is there."""
    from tse_core.pages import missing

    if lacking := missing(load_profile()):
        lines = "\n".join(f"  {item}" for item in lacking)
        raise fail(f"profile {profile_name()} cannot run here yet; nothing was computed. Missing:\n{lines}")


if __name__ == "__main__":
    check()
