"""Kernels for notebooks, forked from one process that has loaded everything; what it warned of meanwhile comes first.

python tests/forked_kernels.py    reads a JSON line for each kernel: its arguments, its folder, its environment
"""

import json
import os
import pkgutil
import sys
import threading
import warnings
from importlib import import_module

from tqdm import tqdm

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
MODELS = [f"transformers.models.{family}.modeling_{family}" for family in ("bert", "gpt2", "llama", "roberta")]


def main() -> None:
    del sys.path[0]  # no notebook finds this folder
    with warnings.catch_warnings(record=True) as said:
        from ipykernel.kernelapp import launch_new_instance

        for package in map(import_module, ("tse_core", "tse_book")):
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                import_module(module.name)
        for name in ("pyarrow.parquet", *MODELS):
            import_module(name)
    print(json.dumps([str(each.message) for each in said]), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            tqdm.set_lock(threading.RLock())  # its own: forked processes share the one they had
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(2, 1)
            os.chdir(asked["folder"])
            os.environ.clear()
            os.environ.update(asked["environment"])
            launch_new_instance(argv=asked["arguments"])
            os._exit(0)
        os.setpgid(child, child)
        print(child, flush=True)


if __name__ == "__main__":
    main()
