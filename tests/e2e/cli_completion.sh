#!/usr/bin/env bash
# Completes command lines in bash as a user would with the Tab key, with the real program.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
: "${TESSERA:?names the program}"
PATH=$(dirname "$TESSERA"):$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir slides
touch study.json

# compopt works only while bash itself completes.
compopt() { :; }
eval "$(tessera completion bash)"
failed=0

# completes "WORDS..." "EXPECTED...": the last word is the one being typed; '=' is a word of its own, as in bash.
completes() {
  read -r -a COMP_WORDS <<<"$1"
  [[ $1 == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _tessera
  if [ "${COMPREPLY[*]}" != "$2" ]; then
    echo "'$1' gives '${COMPREPLY[*]}', expected '$2'" >&2
    failed=1
  fi
}

completes 'tessera st' 'study status store'
completes 'tessera -C slides st' 'study status store'
completes 'tessera --color = never st' 'study status store'
completes 'tessera help exp' 'explain'
completes 'tessera help wor' 'worker workflow'
completes 'tessera study --see' '--seed'
completes 'tessera status --se' ''
completes 'tessera study --merge ' 'none stage naive sca rtma trtma lineage'
completes 'tessera study --color = a' 'auto always'
completes 'tessera study --progress =' 'auto plain json none'
completes 'tessera study -j ' ''
completes 'tessera study st' 'study.json'
completes 'tessera study --store ' 'slides'
completes 'tessera completion ' 'bash zsh fish'
completes 'tessera store ' 'costs verify du gc'
completes 'tessera init --demo nuc' 'nuclei'
completes 'tessera status ' '' # no store, no runs
completes 'tessera version --he' '--help'
completes 'tessera sample --method sal' 'saltelli'
completes 'tessera analyse --method mor' 'morris'
completes 'tessera study --method mor' 'morris'
completes 'tessera sample --base ' 'mc lhs sobol-sequence halton'

exit $failed
