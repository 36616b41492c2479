# What the end-to-end tests of the hosts share: the product from npm, a model on loopback, a terminal, an empty home.
# Sourced by tests/e2e/claude-code/run, tests/e2e/codex/run and tests/e2e/opencode/run.
#
#   SUGGEST_E2E_CACHE   where the products are installed once (default: .cache/hosts-e2e)
#   SUGGEST_BIN         the binary to test (default: built by cargo)
#   SUGGEST_E2E_KEEP=1  keep the test's home folder

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${SUGGEST_E2E_CACHE:-$root/.cache/hosts-e2e}

say() { printf 'e2e: %s\n' "$*" >&2; }
fail() {
  say "FAILED: $*"
  say "the terminal shows:"
  screen >&2 || true
  exit 1
}

for tool in node tmux git; do
  command -v "$tool" >/dev/null || { say "$tool is needed"; exit 1; }
done

source "$here/../product"

# A product, and its program on the search path.
product() { # package version command
  local folder
  folder=$(packages "$3-$2" "$1@$2")
  # The packages bring their program in a second package, which an install script would put in place.
  if [ "$3" = claude ] && [ -e "$folder/node_modules/$1/install.cjs" ]; then
    (cd "$folder/node_modules/$1" && node install.cjs) >/dev/null 2>&1 || true
  fi
  PATH=$folder/node_modules/.bin:$PATH
}

# The program under test.
if [ -z "${SUGGEST_BIN:-}" ]; then
  (cd "$root" && cargo build --quiet -p suggest-cli)
  SUGGEST_BIN=${CARGO_TARGET_DIR:-$root/target}/debug/suggest
fi

# A home folder of its own. Not below /tmp: Codex warns there.
mkdir -p "$cache/homes"
home=$(cd "$(mktemp -d "$cache/homes/XXXXXX")" && pwd -P)
work=$home/project
mkdir -p "$work"
git -C "$work" init --quiet
socket=$home/tmux
model_process=

finish() {
  tmux -S "$socket" kill-server 2>/dev/null || true
  [ -z "$model_process" ] || kill "$model_process" 2>/dev/null || true
  # Only processes that run from this home folder are ours.
  for process in /proc/[0-9]*; do
    if { tr '\0' '\n' <"$process/environ"; } 2>/dev/null | grep -qx "HOME=$home"; then
      kill "${process#/proc/}" 2>/dev/null || true
    fi
  done
  [ -n "${SUGGEST_E2E_KEEP:-}" ] || rm -rf "$home"
}
trap finish EXIT

# The model.
node "$here/model.mjs" "$home/port" "$home/requests" &
model_process=$!
until [ -s "$home/port" ]; do sleep 0.05; done
model=http://127.0.0.1:$(cat "$home/port")

# Whatever a product wants of the internet fails at once: everything that it needs is on loopback.
nowhere=(https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost)

suggest() { env -i HOME="$home" PATH="$PATH" "${environment[@]}" "$SUGGEST_BIN" "$@"; }

terminal() { # columns command...
  local columns=$1
  shift
  (cd "$work" && env -i HOME="$home" PATH="$PATH" TERM=xterm-256color LC_ALL=C.UTF-8 "${nowhere[@]}" "${environment[@]}" \
    tmux -u -S "$socket" -f /dev/null new-session -d -x "$columns" -y 40 sh -c '"$@"; exec sleep 600' sh "$@")
}
screen() { tmux -u -S "$socket" capture-pane -p 2>/dev/null; }
keys() { tmux -S "$socket" send-keys "$@"; }
# Waits for a fact: a minute, which is much even on a busy machine.
until_true() { # what command...
  local what=$1 tries
  shift
  for tries in $(seq 600); do
    if "$@"; then return; fi
    sleep 0.1
  done
  fail "$what does not come"
}
on_screen() { screen | grep -qE -- "$1"; }
shows() { until_true "$1" on_screen "$1"; } # pattern

# Types a prompt and sends it. A key that comes while a product still draws may be lost, so that Enter is sent again.
prompt() { # text answer
  local tries
  keys -l "$1"
  shows "$1"
  for tries in $(seq 30); do
    keys Enter
    for wait in $(seq 20); do
      if on_screen "$2"; then return; fi
      sleep 0.1
    done
  done
  fail "$2 does not come"
}
