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
            self.say("...", task)

    def add_success(self, task):
        if task.actions:
            self.say(f"{time.perf_counter() - self.started[task.name]:.1f} s", task)

    def skip_uptodate(self, task):
        self.say("as it was", task)

    def add_failure(self, task, fail):
        if fail.report:
            said = "".join(
                action.err or action.out or "" for action in task.actions if task.executed
            )
            self.failures.append(f"\n{task.name}: {said.strip() or fail.get_msg()}\n")
            self.say("FAILED", task)

    def complete_run(self):
        self.write(
            "".join([*self.failures, *(f"\n{message}\n" for message in self.runtime_errors)])
        )

    def say(self, state, task):
        self.write(f"{state:>10}  {task.name}\n")
        self.outstream.flush()
