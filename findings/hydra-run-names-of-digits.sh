#!/usr/bin/env bash
# hydra-core 1.3.8, omegaconf 2.3.1, pyyaml 6.0.3 and fire 0.7.1: a run that is named by its date, or by its fold and its try.
#
# To all four, digits with underscores between them are an integer in Python's way of writing it, and the underscores are gone:
# run=2026_11_30 is the run 20261130, and run=1_11, the try 11 of fold 1, is the same run as run=11_1, the try 1 of fold 11. Both save to
# one folder of checkpoints, and whichever starts later resumes from the other's. A sweep of both prints each name as it was written, and
# Hydra's own folders are named by the text as well, so that the two jobs seem to be apart. "${run}" within another text, a declared type
# of str and quotes for the shell come too late or do not reach Hydra; quotes within the quotes do. A letter anywhere in the name, or a
# hyphen for the underscore, keeps it a text for Hydra, while PyYAML makes a date of the one with hyphens.
#
# Seen on 2026-12-01 (the folder of checkpoints by ${run}; then the value that the others read):
#   run=1_11: Hydra's folder run=1_11, checkpoints in 111
#   run=11_1: Hydra's folder run=11_1, checkpoints in 111
#   run=2026_11_30: Hydra's folder run=2026_11_30, checkpoints in 20261130
#   run: str, run=2026_11_30: checkpoints in 20261130
#   run="2026_11_30", quoted for Hydra: checkpoints in 2026_11_30
#   run=2026_11_30_a: checkpoints in 2026_11_30_a
#   2026_11_30: OmegaConf 20261130, PyYAML 20261130, Fire 20261130
#   2026-11-30: OmegaConf '2026-11-30', PyYAML datetime.date(2026, 11, 30), Fire '2026-11-30'
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check hydra-core==1.3.8 omegaconf==2.3.1 pyyaml==6.0.3 fire==0.7.1

cat >train.py <<'P'
import dataclasses
import hydra
from hydra.core.config_store import ConfigStore


@dataclasses.dataclass
class Config:
    run: str = "none"
    checkpoints: str = "${run}"


ConfigStore.instance().store(name="typed", node=Config)
ConfigStore.instance().store(name="free", node={"run": "none", "checkpoints": "${run}"})


@hydra.main(version_base="1.3", config_path=None, config_name="free")
def train(config):
    own = hydra.core.hydra_config.HydraConfig.get().job.override_dirname
    print(f"Hydra's folder {own}, checkpoints in {config.checkpoints}")


train()
P
cat >others.py <<'P'
import fire, yaml
from omegaconf import OmegaConf

for name in ("2026_11_30", "2026-11-30"):
    print(f"{name}: OmegaConf {OmegaConf.from_dotlist(['run=' + name]).run!r}, PyYAML {yaml.safe_load('run: ' + name)['run']!r}, Fire ",
          end="", flush=True)
    fire.Fire(lambda run: repr(run), ["--run", name])
P

trained() {
  echo "$1: $(venv/bin/python train.py "${@:2}" 2>>log)"
}
seen=$(
  for run in run=1_11 run=11_1 run=2026_11_30; do
    trained "$run" "$run"
  done
  {
    trained 'run: str, run=2026_11_30' --config-name typed run=2026_11_30
    trained 'run="2026_11_30", quoted for Hydra' 'run="2026_11_30"'
    trained run=2026_11_30_a run=2026_11_30_a
  } | sed "s/Hydra's folder .*, //"
  venv/bin/python others.py 2>>log
)
echo "$seen"
# shellcheck disable=SC2016 # no variable
[ "$seen" = "run=1_11: Hydra's folder run=1_11, checkpoints in 111
run=11_1: Hydra's folder run=11_1, checkpoints in 111
run=2026_11_30: Hydra's folder run=2026_11_30, checkpoints in 20261130
run: str, run=2026_11_30: checkpoints in 20261130
run=\"2026_11_30\", quoted for Hydra: checkpoints in 2026_11_30
run=2026_11_30_a: checkpoints in 2026_11_30_a
2026_11_30: OmegaConf 20261130, PyYAML 20261130, Fire 20261130
2026-11-30: OmegaConf '2026-11-30', PyYAML datetime.date(2026, 11, 30), Fire '2026-11-30'" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
