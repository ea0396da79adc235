"""A model behind a server against the same GGUF file in this process: BLiMP decisions, pair by pair.

    python tests/servers/compare.py http://127.0.0.1:8000/v1 model.gguf --pairs 500

The server's arithmetic may be quantised, so decisions are compared where this process's margin exceeds 0.5 nats, and at
least 98 % of those have to be the same; every disagreement is listed. Both read the same text in front. This server's
numbers belong to their tokens only behind the token that the file names as the beginning (SmolLM2: <|im_start|>), and
it says nothing of the token after it: both are compared on what it does score. Then the client is compared with a plain
loop over the same server: its sums have to be equal.
"""

import argparse
import json
import sys
import urllib.request

import numpy as np
import pandas as pd

from tse_core import load_model, load_sentence_pairs, score_pairs, surprisals

MARGIN, SHARE = 0.5, 0.98  # nats; of the decisions beyond them


def sample(number: int) -> pd.DataFrame:
    """Pairs of every paradigm of BLiMP, as many of each as it takes."""
    pairs = load_sentence_pairs("blimp")
    each = -(-number // pairs["paradigm"].nunique())
    chosen = pairs.groupby("paradigm", sort=False).sample(each, random_state=0)
    return chosen.sample(number, random_state=0).sort_index()


def in_this_process(model, pairs: pd.DataFrame, scored: bool) -> np.ndarray:
    """Margins (nats) of the tokens that the server scores, too: the first one only where it is `scored`."""
    sides = []
    for side in ("good", "bad"):
        table = surprisals(model, pairs[side].tolist())
        kept = table["scored"] & ((table["position"] > 0) | scored)
        sides.append(-table["surprisal"].where(kept, 0.0).groupby(table["sentence"]).sum().to_numpy() * np.log(2))
    return sides[0] - sides[1]


def plain_loop(address: str, served: str, text: str) -> float:
    """log P (nats) of a text in the server's own words, a request of one's own."""
    body = {"model": served, "prompt": text, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
    request = urllib.request.Request(  # noqa: S310  (the address that the user gave)
        f"{address}/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        choice = json.load(answer)["choices"][0]
    values = choice["logprobs"]["token_logprobs"]
    read = values if choice["text"] == text else values[:-1]  # the last token was generated, unless the model had ended
    return sum(value for value in read if value is not None)


def main() -> int:
    """0 where the decisions agree."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("address")
    options.add_argument("file")
    options.add_argument("--pairs", type=int, default=500)
    options.add_argument("--bos", default="<|im_start|>", help="what both read in front: the file's first token")
    chosen = options.parse_args()
    pairs = sample(chosen.pairs)
    server = load_model(chosen.address, bos=chosen.bos)
    theirs = score_pairs(server, pairs)
    few = pairs.head(20)
    scored = bool(surprisals(server, few["good"].tolist()).query("position == 0")["scored"].all())
    local = in_this_process(load_model(chosen.file, bos=chosen.bos), pairs, scored)
    decided = np.abs(local) > MARGIN
    same = (local > 0) == (theirs["margin"].to_numpy() > 0)
    share = same[decided].mean()
    print(f"{len(pairs)} pairs; the server {'scores' if scored else 'does not score'} a sentence's first token")
    print(f"margin > {MARGIN} nats: {decided.sum()} pairs, same decision in {same[decided].sum()} ({share:.1%})")
    print(f"difference of margins, median: {np.median(np.abs(local - theirs['margin'])):.3f} nats")
    for row in np.flatnonzero(~same):
        pair, margins = pairs.iloc[row], f"{local[row]:+.3f} here, {theirs['margin'].iloc[row]:+.3f} there"
        print(f"  {pair['paradigm']}: {pair['good']} | {pair['bad']}: {margins}")
    loop = [plain_loop(chosen.address, server.served, chosen.bos + text) for text in few["good"]]
    apart = np.abs(np.array(loop) - theirs["logp_good"].head(20)).max()
    print(f"a plain loop over the server, {len(few)} sentences: largest difference {apart:.2g} nats")
    return 0 if share >= SHARE and apart < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
