"""`make book`, step by step: scores -> notebooks -> assets -> html. A step runs again only when what it reads changed.

`doit list --all` names the steps, `doit notebook:03_table2` runs one with what it needs. The work is in book/make.
"""

import shlex
import sys
from importlib.metadata import version
from pathlib import Path

from doit.tools import config_changed

from book.make import ASSETS, DOWNLOADS, GYM, HTML, ROOT, RUNS
from book.make.assets import versions
from book.make.exercises import ARCHIVE, EXERCISES, chapters
from book.make.html import PACKAGES, state
from book.make.inputs import gym_files, inputs, notebook_inputs, package_files
from book.make.live import FACTS, complete
from book.make.preflight import settle
from book.make.profile import SHARED, at_once, jobs, load_profile, notebook_names, profile_name
from book.make.reporter import StepReporter
from book.make.slides import PARTS, SOURCE, TARGET, notebooks_used
from book.make.wheel import WHEEL
from tse_core.paths import store_folder

DOIT_CONFIG = {
    "default_tasks": ["html"],
    "dep_file": "_build/doit.db",
    "reporter": StepReporter,
    "verbosity": 0,
    "num_process": at_once(),
    "par_type": "thread",
}
(ROOT / "_build").mkdir(exist_ok=True)
settle()
PROFILE = load_profile()
FIRST = ["preflight"]  # what has no other step before it follows this one, so that what is missing is said at once


def step(module: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-m", f"book.make.{module}", *arguments])


def results_as_before(task, values) -> bool:
    """Whether the store holds the results it held when the task ran last: `tse results add` brings others."""
    now = sorted(path.name for path in store_folder().glob("*/*.parquet"))
    task.value_savers.append(lambda: {"results": now})
    return values.get("results") == now


def pages_as_before(task, values) -> bool:
    """Whether the pages are there, and nothing that they are made of has changed since."""
    task.value_savers.append(lambda: {"state": state()})
    return (HTML / "book" / "index.html").exists() and values.get("state") == state()


def live_is_complete(task, values) -> bool:
    """Whether the living page has what it should: without npm or its registry it is tried again at the next build."""
    return complete()


def task_preflight():
    """Look whether this machine has what the profile needs, and say at once what it lacks."""
    return {"actions": [step("preflight")], "uptodate": [False]}


def task_score():
    """Score one model of the profile on all its data, one model after the other: each shows its own progress."""
    needs = inputs(ROOT / "book" / "make" / "scores.py")
    before = FIRST
    for model in dict.fromkeys(PROFILE["models"]):
        yield {
            "name": model.replace("/", "-"),
            "actions": [step("scores", model)],
            "io": {"capture": False},
            "task_dep": before,
            "file_dep": needs,
            "targets": [job.record for job in jobs(PROFILE) if job.model == model],
        }
        before = [f"score:{model.replace('/', '-')}"]


def task_notebook():
    """Execute one notebook with the profile's parameters; one that reads the store's results follows all others."""
    texts = {name: (ROOT / "notebooks" / f"{name}.py").read_text() for name in notebook_names()}
    last = {name for name, text in texts.items() if "known_results" in text}
    for name, text in texts.items():
        needs = notebook_inputs(name)
        before = ["gym"] if "src/tse_book/gym.py" in needs else []
        scored = jobs(PROFILE) if any(f"\n{key} = " in text for key in SHARED) else []
        yield {
            "name": name,
            "actions": [step("execute", name)],
            "file_dep": [
                f"notebooks/{name}.ipynb",
                *needs,
                *(job.record for job in scored),
                "book/make/execute.py",
                "book/make/guards.py",
            ],
            "task_dep": [*FIRST, *before, *(f"notebook:{n}" for n in texts if name in last and n not in last)],
            "uptodate": [
                config_changed(
                    {"profile": profile_name(), "own": str(PROFILE["notebooks"].get(name)), "models": PROFILE["models"]}
                ),
                *([results_as_before] if name in last else []),
            ],
            "targets": [RUNS / f"{name}.ipynb"],
        }


def task_gym():
    """Evaluate suites on models as data/gym.yaml says and write what their page shows: only what is new is computed."""
    sources = [ROOT / "src" / "tse_book" / name for name in ("cli/gym.py", "gym.py")]
    return {
        "actions": [shlex.join([str(Path(sys.executable).parent / "tse"), "gym", "--page", str(GYM)])],
        "task_dep": FIRST,
        "file_dep": [*inputs(*sources), *gym_files()],
        "targets": [GYM / "gym-data.js"],
    }


def task_assets():
    """Take the chart bundle and MathJax out of the installed packages."""
    return {
        "actions": [step("assets")],
        "task_dep": FIRST,
        "file_dep": ["book/make/assets.py"],
        "uptodate": [config_changed(versions())],
        "targets": [ASSETS / "vega-bundle.js", ASSETS / "vega-versions.js"],
    }


def task_wheel():
    """Build the package as a wheel, which the book offers for download: notebooks on their own install it."""
    return {
        "actions": [step("wheel")],
        "task_dep": FIRST,
        "file_dep": [*package_files(), "book/make/wheel.py"],
        "targets": [WHEEL],
    }


def task_slides():
    """Write the lesson's slides, one file that needs nothing beside it."""
    return {
        "actions": [step("slides")],
        "file_dep": [
            *inputs(ROOT / "book/make/slides.py", ROOT / "book/make/front.py"),
            SOURCE,
            *PARTS,
            *(RUNS / f"{name}.ipynb" for name in notebooks_used()),
        ],
        "targets": [TARGET],
    }


def task_exercises():
    """Write the notebooks for learners: questions, empty cells and checks, without the solutions."""
    return {
        "actions": [step("exercises")],
        "task_dep": FIRST,
        "file_dep": [
            *(f"notebooks/{name}.py" for name in notebook_names()),
            *("_config.yml", "book/make/exercises.py", "book/make/pair.py"),
        ],
        "targets": [ARCHIVE, *(EXERCISES / f"{chapter.name}.ipynb" for chapter in chapters())],
    }


def task_downloads():
    """Write the results as tables, with their schema and checksums."""
    return {
        "actions": [step("downloads")],
        "file_dep": [*inputs(ROOT / "book" / "make" / "downloads.py"), "book/make/downloads.yaml"],
        "task_dep": ["notebook", "gym"],
        "uptodate": [results_as_before],
        "targets": [DOWNLOADS / "tables.md"],
    }


def task_live():
    """Bring the engine and the model that run in a page, and what the page knows of them; LIVE=0 leaves them out."""
    sources = [
        ROOT / "book" / "make" / f"{name}.py" for name in ("live", "facts", "wllama", "recorded_examples", "distance")
    ]
    return {
        "actions": [step("live")],
        "task_dep": FIRST,
        "io": {"capture": False},
        "file_dep": [*inputs(*sources), "data/recorded/live.json"],
        "uptodate": [live_is_complete],
        "targets": [FACTS],
    }


def task_html():
    """Build the pages, from nothing."""
    return {
        "actions": [step("html")],
        "task_dep": ["notebook", "gym", "assets", "wheel", "slides", "exercises", "downloads", "live"],
        "uptodate": [config_changed({name: version(name) for name in PACKAGES}), pages_as_before],
    }


def task_pdf():
    """Print every page of the book and join them: `make pdf`."""
    return {
        "actions": [step("pdf")],
        "task_dep": ["html"],
        "targets": ["_build/book.pdf"],
        "uptodate": [False],
    }
