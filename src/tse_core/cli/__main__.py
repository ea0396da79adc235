"""``python -m tse_core.cli``: the command ``tse`` where it is not on the path."""

from tse_core.cli import main

if __name__ == "__main__":
    main()
