"""What `make book` says while it works: one line a step, the reason when one fails."""

import time

from doit.reporter import ConsoleReporter


class StepReporter(ConsoleReporter):
    """Says when a step starts and how long it took; a failed step prints what its command said, nothing else."""

    desc = "one line a step"
    started: dict[str, float] = {}

    def execute_task(self, task):
        if task.actions:
            self.started[task.name] = time.perf_counter()
            self.say(task, "...")

    def add_success(self, task):
        if task.actions:
            seconds = time.perf_counter() - self.started[task.name]
            self.say(task, f"{seconds:.1f} s")

    def skip_uptodate(self, task):
        self.say(task, "as it was")

    def add_failure(self, task, fail):
        if fail.report:
            self.failures.append({"task": task, "exception": fail})
            self.say(task, "FAILED")

    def complete_run(self):
        for failure in self.failures:
            task = failure["task"]
            said = [action.err or action.out or "" for action in task.actions] if task.executed else []
            self.write(f"\n{task.name}: {''.join(said).strip() or failure['exception'].get_msg()}\n")
        for message in self.runtime_errors:
            self.write(f"\n{message}\n")

    def say(self, task, state):
        self.write(f"{state:>10}  {task.name}\n")
        self.outstream.flush()
