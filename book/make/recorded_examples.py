"""The recorded examples as HTML: what a reader sees whose browser cannot run the model."""

from html import escape

LOOKS = {"correct": "good", "wrong": "bad", "past": "live-quiet", "other": "live-quiet"}


def examples_html(examples: list[dict]) -> str:
    """One block an example, the first one open; examples as book.make.facts gives them."""
    return "\n".join(_example(example, is_open=not place) for place, example in enumerate(examples)) + "\n"


def _example(example: dict, is_open: bool) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(_visible(one['token']))}</code></td><td>{one['p']:.2%}</td>"
        f'<td><span class="{LOOKS[one["form"]]}">{one["form"]}</span></td></tr>'
        for one in example["top"]
    )
    verbs = "; ".join(map(_order, example["tse"].values()))
    return f"""<details class="live-card"{" open" if is_open else ""}>
<summary><strong>{escape(example["left"])} …</strong> ({example["number"]} subject)</summary>
<p class="live-numbers"><span>EW <strong>{example["ew"]:.3f}</strong></span>
<span>MW <strong>{example["mw"]:.3f}</strong></span>
<span class="live-quiet">over {example["verbs"]} verbs, by the package</span></p>
<p>TSE: {verbs}.</p>
<div class="live-scroll"><table><caption>The likeliest continuations</caption>
<thead><tr><th scope="col">Token</th><th scope="col">Probability</th><th scope="col">It is</th></tr></thead>
<tbody>{rows}</tbody></table></div>
</details>"""


def _order(verb: dict) -> str:
    """Whether the form of a verb that agrees is the likelier one."""
    forms = [f"<em>{escape(verb[form])}</em>" for form in ("correct", "wrong")]
    return (" beats " if verb["agrees"] else " loses to ").join(forms)


def _visible(token: str) -> str:
    return token.replace(" ", "␣").replace("\n", "⏎")
