"""A real model of 100,000 random weights, written on the spot, behind llama.cpp's own server.

`python -m tests.engines.tiny_model` prints its address and serves until its input ends. It has
nothing to say; what it is for is the plumbing: a real server, its grammar for JSON schemas, its
counts of tokens.
"""

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 64, 2, 4, 128, 16_384


def write(path: Path) -> None:
    """A llama with a token for each byte."""
    gguf: Any = importlib.import_module("gguf")  # of the group `conformance`
    import numpy as np

    random = np.random.default_rng(1)

    def weights(*shape: int) -> Any:
        return random.normal(0, 0.02, shape).astype(np.float32)

    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    unknown, control, one_byte = 2, 3, 6
    writer: Any = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([unknown, control, control, *([one_byte] * 256)])
    # A space before every text would not be what the grammar of an answer begins with.
    writer.add_add_space_prefix(False)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    # It says as little as the grammar lets it, in ASCII; chance alone would go on for thousands.
    known, said = weights(len(tokens), WIDTH), weights(len(tokens), WIDTH)
    known[:, 0] = 10
    said[:, 0] = [-5] * 3 + [like(byte) for byte in range(256)]
    writer.add_tensor("token_embd.weight", known)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", said)
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(WIDTH, np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"blk.{layer}.{part}.weight", weights(WIDTH, WIDTH))
        for part in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"blk.{layer}.{part}.weight", weights(INNER, WIDTH))
        writer.add_tensor(f"blk.{layer}.ffn_down.weight", weights(WIDTH, INNER))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def like(byte: int) -> float:
    """How much it likes to say a byte: whatever ends something most."""
    return 5 if byte in b'"]}' else 0 if 0x20 < byte < 0x7F else -5


def main() -> None:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        write(path)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.port = 0
        params.chat_template = "chatml"
        params.sampling.temp = 0.0
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
