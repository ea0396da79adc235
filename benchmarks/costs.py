"""What a piece of work costs at least: the products of its network with tokens, and the rate of such products here."""

from collections.abc import Callable

from benchmarks import machine


def layer_flops(network) -> int:
    """FLOP of the layers' matrix products for one token: two for each weight outside the embeddings."""
    skipped = {
        id(p)
        for e in (network.get_input_embeddings(), network.get_output_embeddings())
        for p in e.parameters()
    }
    embeddings = ("embed", "wpe", "wte")
    weights = [
        p
        for n, p in network.named_parameters()
        if p.ndim == 2 and not any(e in n for e in embeddings)
    ]
    return 2 * sum(p.numel() for p in weights if id(p) not in skipped)


def last_flops(network) -> int:
    """FLOP for one token behind the last attention, up to the product with the vocabulary."""
    last = f".{network.config.num_hidden_layers - 1}."
    after = (last + "mlp.", last + "intermediate.", last + "output.", "predictions.transform.")
    return 2 * sum(
        p.numel()
        for n, p in network.named_parameters()
        if p.ndim == 2 and any(a in n for a in after)
    )


def head_flops(network) -> int:
    return 2 * network.get_output_embeddings().weight.numel()


def layer_shapes(network) -> list[tuple[int, int]]:
    """The shapes (in, out) of the first layer's matrices."""
    found = [p for n, p in network.named_parameters() if p.ndim == 2 and ".0." in n]
    width = network.config.hidden_size
    return [(width, p.numel() // width) if width in p.shape else tuple(p.shape) for p in found]


def work(model, device: str, tokens: int, rows: int) -> tuple[tuple[int, int, int], Callable]:
    """FLOP of so many tokens and distributions, and a function that measures the rates of such products.

    Of the layers' FLOP, what lies behind the last attention is needed only where a distribution is asked for.
    """
    network = model.network.module
    head = [(network.config.hidden_size, network.config.vocab_size)]

    def rates():
        return tuple(
            machine.matrix_rate(shapes, 512, device) for shapes in (layer_shapes(network), head)
        )

    spared = (tokens - rows) * last_flops(network)
    return (tokens * layer_flops(network), rows * head_flops(network), spared), rates
