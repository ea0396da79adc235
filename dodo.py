"""`make book`, step by step: scores -> notebooks -> assets -> html. A step runs again only when what it reads changed.

`doit list --all` names the steps, `doit notebook:table2` runs one with what it needs. The work is in book/make.
"""

import multiprocessing
import os
import shlex
import sys
from importlib.metadata import version

from doit.tools import config_changed

from book.make import ASSETS, BUILD, DOWNLOADS, EXERCISES, GYM, HTML, ROOT, RUNS, at_once, forks
from book.make.address import repository
from book.make.assets import versions
from book.make.html import PACKAGES, state
from book.make.inputs import files, gym_files, inputs, notebook_inputs
from book.make.live import FACTS, complete
from book.make.profile import SHARED, jobs, load_profile, notebook_names, profile_name, settle
from book.make.reporter import StepReporter
from book.make.slides import PARTS, SOURCE, TARGET, notebooks_used
from tse_core import __version__
from tse_core.paths import store_folder
from tse_core.syntaxgym.library import suite_names

DOIT_CONFIG = {
    "default_tasks": ["html"],
    "dep_file": "_build/doit.db",
    "reporter": StepReporter,
    "verbosity": 0,
    "num_process": at_once(),
    "par_type": "process" if forks.FORK else "thread",
}
multiprocessing.set_start_method("fork", force=True)
(ROOT / "_build").mkdir(exist_ok=True)
settle()
PROFILE = load_profile()
MAKE = ROOT / "book" / "make"
WHEEL = BUILD / "wheel" / f"tse_core-{__version__}-py3-none-any.whl"
FIRST = [
    "preflight"
]  # what has no other step before it follows this one, so that what is missing is said at once


def step(module: str, *arguments: str, **more) -> dict:
    """A task that runs a module, of book/make if it has no dot, after the preflight if nothing else comes before it."""
    program = [module if "." in module else f"book.make.{module}", *arguments]
    action = (forks.run, program) if forks.FORK else shlex.join([sys.executable, "-m", *program])
    return {"actions": [action], "task_dep": FIRST} | more


def as_before(name: str, now):
    """Whether what `now` gives is what it gave when the task ran last."""

    def unchanged(task, values) -> bool:
        found = now()
        task.value_savers.append(lambda: {name: found})
        return values.get(name) == found

    return unchanged


def results() -> list[str]:
    """The results in the store: `tse results add` brings others."""
    return sorted(path.name for path in (store_folder() / "scores").glob("*.parquet"))


def task_preflight():
    """Look whether this machine has what the profile needs, and say at once what it lacks."""
    return step("profile", task_dep=[], uptodate=[False])


def task_score():
    """Score one model of the profile on all its data, one model after the other: each shows its own progress."""
    before = FIRST
    for model in dict.fromkeys(PROFILE["models"]):
        name, made = (
            model.replace("/", "-"),
            [job.record for job in jobs(PROFILE) if job.model == model],
        )
        needs = {"task_dep": before, "file_dep": inputs(MAKE / "scores.py")}
        yield step("scores", model, name=name, io={"capture": False}, targets=made, **needs)
        before = [f"score:{name}"]


def task_notebook():
    """Execute one notebook with the profile's parameters; one that reads the store's results follows all others."""
    texts = {name: (ROOT / "notebooks" / f"{name}.py").read_text() for name in notebook_names()}
    last = {name for name, text in texts.items() if "known_results" in text}
    for name, text in texts.items():
        reads = notebook_inputs(name)
        scored = jobs(PROFILE) if any(f"\n{key} = " in text for key in SHARED) else []
        before = ["gym"] if "src/tse_book/gym.py" in reads else []
        before += [f"notebook:{other}" for other in texts if name in last and other not in last]
        chosen = {
            "profile": profile_name(),
            "own": str(PROFILE["notebooks"].get(name)),
            "models": PROFILE["models"],
        }
        yield step(
            "execute",
            name,
            name=name,
            task_dep=[*FIRST, *before],
            file_dep=[
                *(
                    f"notebooks/{name}.ipynb",
                    *(f"book/make/{file}.py" for file in ("execute", "forks", "guards")),
                ),
                *(*reads, *(job.record for job in scored)),
            ],
            uptodate=[
                config_changed(chosen),
                *([as_before("results", results)] if name in last else []),
            ],
            targets=[RUNS / f"{name}.ipynb"],
        )


def task_gym():
    """Evaluate suites on models as data/gym.yaml says and write what their page shows: only what is new is computed."""
    sources = [ROOT / "src" / "tse_book" / name for name in ("cli/gym.py", "gym.py")]
    downloaded = as_before("suites", lambda: suite_names("public"))
    needs = {
        "file_dep": [*inputs(*sources), *gym_files()],
        "uptodate": [downloaded],
        "targets": [GYM / "gym-data.js"],
    }
    return step("tse_core.cli", "book", "gym", "--page", str(GYM), **needs)


def task_assets():
    """Take the chart bundle and MathJax out of the installed packages."""
    made = [ASSETS / "vega-bundle.js", ASSETS / "vega-versions.js"]
    return step(
        "assets",
        file_dep=["book/make/assets.py"],
        uptodate=[config_changed(versions())],
        targets=made,
    )


def task_wheel():
    """Build the package as a wheel, which the book offers for download: notebooks on their own install it."""
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        ".",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
    ]
    packed = files(
        *(ROOT / name for name in ("pyproject.toml", "src", "data", "notebooks/profiles"))
    )
    same = "SOURCE_DATE_EPOCH=1577836800"  # the same files give the same wheel
    command = f"{same} {shlex.join([*wheel, '--wheel-dir', str(WHEEL.parent)])}"
    return {"actions": [command], "task_dep": FIRST, "file_dep": packed, "targets": [WHEEL]}


def task_slides():
    """Write the lesson's slides, one file that needs nothing beside it."""
    code = inputs(MAKE / "slides.py", MAKE / "front.py", MAKE / "live_pages.py")
    executed = [RUNS / f"{name}.ipynb" for name in notebooks_used()]
    return step(
        "slides", task_dep=[], file_dep=[*code, SOURCE, *PARTS, *executed], targets=[TARGET]
    )


def notebooks_in_markdown(module: str, archive) -> dict:
    """A task that writes notebooks in plain Markdown: they quote the glossary, the reference and pages' titles."""
    sources = [f"notebooks/{name}.ipynb" for name in notebook_names()]
    code = files(
        MAKE, *(ROOT / "book").glob("*.md"), ROOT / "book" / "api", ROOT / "book" / "references.bib"
    )
    chosen = {"profile": profile_name(), "models": PROFILE["models"]}
    chosen |= {"repository": repository(), "commit": os.environ.get("TSE_COMMIT")}
    needs = {"file_dep": [*sources, *code, "_config.yml"], "uptodate": [config_changed(chosen)]}
    return step(module, targets=[archive], **needs)


def task_edition():
    """Write the notebooks as Colab opens them and readers download them."""
    return notebooks_in_markdown("edition", DOWNLOADS / "notebooks.zip")


def task_exercises():
    """Write the notebooks for learners: questions, empty cells and checks, without the solutions."""
    return notebooks_in_markdown("exercises", EXERCISES / "exercises.zip")


def task_downloads():
    """Write the results as a table."""
    needs = {"task_dep": ["notebook", "gym"], "uptodate": [as_before("results", results)]}
    made = [DOWNLOADS / "measured.parquet", DOWNLOADS / "measured.csv"]
    return step("downloads", file_dep=inputs(MAKE / "downloads.py"), targets=made, **needs)


def task_live():
    """Bring the engine and the model that run in a page, and what the page knows of them; LIVE=0 leaves them out."""
    code = inputs(MAKE / "live.py", MAKE / "facts.py")
    # without the engine's registry it is tried again at the next build
    return step("live", io={"capture": False}, file_dep=code, uptodate=[complete], targets=[FACTS])


def task_html():
    """Build the pages, from nothing."""
    before = [
        "notebook",
        "gym",
        "assets",
        "wheel",
        "slides",
        "edition",
        "exercises",
        "downloads",
        "live",
    ]
    same = [
        config_changed({name: version(name) for name in PACKAGES}),
        (HTML / "book" / "index.html").exists,
    ]
    return step("html", task_dep=before, uptodate=[*same, as_before("state", state)])


def task_pdf():
    """Print every page of the book and join them: `make pdf`."""
    return step("pdf", task_dep=["html"], targets=["_build/book.pdf"], uptodate=[False])
