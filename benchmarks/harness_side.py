"""Runs in lm-evaluation-harness' own environment: sentences from standard input, seconds to standard output.

They are asked for as its BLiMP tasks ask: the log-likelihood of the sentence after nothing.
"""

import json
import os
import sys
import time

from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

request = json.load(sys.stdin)
model = HFLM(
    pretrained=request["model"], device="cpu", dtype="float32", batch_size=request["batch"]
)


def run(sentences):
    asked = [
        Instance("loglikelihood", {}, ("", sentence), number)
        for number, sentence in enumerate(sentences)
    ]
    return model.loglikelihood(asked, disable_tqdm=True)


run(request["payload"][:4])
# As on our side, see machine.now.
clock = time.process_time if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter
start = clock()
run(request["payload"])
print(json.dumps({"seconds": clock() - start}))
