"""Runs in minicons' own environment: one task from standard input, its seconds to standard output."""

import json
import os
import sys
import time

from minicons import scorer

request = json.load(sys.stdin)
payload, batch = request["payload"], request["batch"]
kind = scorer.MaskedLMScorer if request["task"] == "pll" else scorer.IncrementalLMScorer
model = kind(request["model"], "cpu")


def run(items):
    for start in range(0, len(items), batch):
        part = items[start : start + batch]
        if request["task"] == "next":
            model.next_word_distribution(part)
        elif request["task"] == "pll":
            model.sequence_score(part, reduction=lambda x: x.sum(0).item(), PLL_metric="original")
        else:
            model.sequence_score(part, reduction=lambda x: x.sum(0).item())


run(payload[:4])
# As on our side, see machine.now.
clock = time.process_time if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter
start = clock()
run(payload)
print(json.dumps({"seconds": clock() - start}))
