"""Steps and kernels as forks of a process that has imported what they share, which takes longer than most of them.

Only Linux forks safely; elsewhere each is a program of its own.
"""

import asyncio
import gc
import os
import runpy
import sys
import tempfile
from importlib import import_module
from importlib.metadata import EntryPoint
from multiprocessing import get_context

import pandas
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from book.make import ROOT

FORK = get_context("fork") if sys.platform == "linux" else None
SHARED = (
    "altair", "jupytext", "papermill", "scipy.stats", "transformers.models.auto.modeling_auto",
    "transformers.models.llama.modeling_llama", "tse_core.cli.commands",
)  # fmt: skip


def run(module: str, *arguments: str) -> bool:
    """Run a module as a program. Returns whether it ended well.

    What it says goes to a `sys.stderr` that captures it, else to the terminal while it runs.
    """
    for name in SHARED:
        import_module(name)
    with tempfile.TemporaryFile("w+") as said:
        captured = said.fileno() if sys.stderr is not sys.__stderr__ else None
        child = FORK.Process(target=_program, args=(module, arguments, captured))
        child.start()
        child.join()
        said.seek(0)
        print(said.read(), end="", file=sys.stderr)
    return child.exitcode == 0


def _program(module: str, arguments: tuple[str, ...], output: int | None) -> None:
    sys.stdout, sys.stderr, sys.argv = sys.__stdout__, sys.__stderr__, [module, *arguments]
    for stream in (1, 2) if output else ():
        os.dup2(output, stream)
    sys.modules.pop(module, None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


class ForkedKernel(LocalProvisioner):
    """Starts a kernel as a fork of this process."""

    async def launch_kernel(self, cmd, **options):
        folder, environment = options.get("cwd", "."), options["env"]
        self.process = FORK.Process(
            target=_kernel, args=(cmd[3:], folder, environment), daemon=True
        )
        self.process.start()
        self.pid = self.process.pid
        return self.connection_info

    async def poll(self):
        return self.process.exitcode if self.process else 0

    async def wait(self):
        while (code := await self.poll()) is None:
            await asyncio.sleep(0.1)
        self.process = None
        return code

    async def send_signal(self, signum):
        os.kill(self.pid, signum)


def _kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    asyncio.set_event_loop(asyncio.new_event_loop())
    os.chdir(folder)
    os.environ.update(environment)
    sys.path[:] = [place for place in sys.path if place not in ("", os.fspath(ROOT))]
    pandas.options.display.max_columns = 20  # as where a kernel imports it
    IPKernelApp.launch_instance(arguments)


def fork_kernels() -> None:
    """From here on a kernel is a fork of the process that starts it."""
    gc.freeze()  # collections of garbage in the forks do not look through what they share
    factory = KernelProvisionerFactory.instance()
    factory.provisioners["fork"] = EntryPoint(
        "fork", f"{__name__}:ForkedKernel", factory.GROUP_NAME
    )
    factory.default_provisioner_name = "fork"
