#!/bin/sh
# A training loop in shell with all that Reprise asks of one: whatever trains can be wrapped like this.
set -eu
steps=200 save_every=50 seconds_a_step=${SECONDS_A_STEP:-0.05}
step=0 weight=1000000 asked_to_stop=

save() {
  directory=$REPRISE_CHECKPOINT_DIR/step-$step
  mkdir -p "$directory"
  echo "$step $weight" >"$directory/state"
  : >"$directory/_COMPLETE" # last: without it the checkpoint does not count
}

trap 'asked_to_stop=yes' TERM
if [ -n "${REPRISE_RESUME_FROM:-}" ]; then
  read -r step weight <"$REPRISE_RESUME_FROM/state"
fi

while [ "$step" -lt "$steps" ]; do
  sleep "$seconds_a_step" || true # the work; a signal to the whole group may end it early
  step=$((step + 1)) weight=$((weight * 99 / 100))
  echo "step $step weight $weight"
  if [ -n "$asked_to_stop" ] || [ $((step % save_every)) = 0 ]; then save; fi
  if [ -n "$asked_to_stop" ]; then exit 143; fi
done
save
