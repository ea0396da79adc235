#!/usr/bin/env bash
# BLiMP decisions of llama-cpp-python's server against load_model on the same GGUF file: tests/servers/run.sh [FILE] [PAIRS]
# Builds llama-cpp-python in an environment of its own, which takes minutes to an hour; nothing else of the tests needs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=${1:-$(.venv/bin/python -c 'from tse_core.models import model_file; print(model_file("smollm2-135m-instruct"))')}
own=_build/servers
[ -x "$own/bin/python" ] || python3 -m venv "$own"
# Built for any processor: llama.cpp's own choice may include instructions (AMX) that a virtual machine does not allow.
CMAKE_ARGS=${CMAKE_ARGS:-"-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DLLAVA_BUILD=OFF"} \
  "$own/bin/pip" install --quiet "llama-cpp-python[server]>=0.3"
port=$("$own/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$own/bin/python" -m llama_cpp.server --model "$file" --model_alias tested --logits_all true --n_ctx 512 \
  --host 127.0.0.1 --port "$port" >"$own/server.log" 2>&1 &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 120); do
  if curl --silent --fail "http://127.0.0.1:$port/v1/models" >/dev/null; then break; fi
  kill -0 $server || { tail -5 "$own/server.log"; exit 1; }
  sleep 1
done
.venv/bin/python tests/servers/compare.py "http://127.0.0.1:$port/v1" "$file" --pairs "${2:-500}"
