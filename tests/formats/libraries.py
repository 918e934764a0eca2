"""Small checkpoints of the real libraries, and the libraries' own way to load them. Imported by write-corpus alone."""

import importlib.metadata
import json
import logging
import os
import warnings
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def versions(*packages):
    return ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)


def flat(value, path=""):
    """Nested containers as {path: value}, tensors as lists: to be compared."""
    if isinstance(value, dict):
        return {inner: leaf for key, each in value.items() for inner, leaf in flat(each, f"{path}/{key}").items()}
    if isinstance(value, (list, tuple)):
        return {inner: leaf for at, each in enumerate(value) for inner, leaf in flat(each, f"{path}/{at}").items()}
    return {path: value.tolist() if hasattr(value, "tolist") else value}


def model():
    import torch
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))


class PyTorchDcp:
    name, format, packages = "pytorch-dcp", "PyTorchDCP", ("torch",)

    def save(self, folder: Path):
        import torch
        import torch.distributed.checkpoint as dcp
        net = model()
        optimizer = torch.optim.AdamW(net.parameters())
        net(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        dcp.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "step": 20},
                 checkpoint_id=str(folder / "step-20"))
        return "step-20"

    def load(self, path: Path):
        import torch
        from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
        whole = path.parent.parent / "whole.pt"
        dcp_to_torch_save(str(path), str(whole))
        return repr(flat(torch.load(whole, weights_only=False)))


class PyTorchDcpSafetensors:
    """By the storage writer for Hugging Face's layout: tensors alone, here with an optimizer's among them."""
    name, format, packages, named = "pytorch-dcp-safetensors", "PyTorchDCP", ("torch", "safetensors"), True

    def save(self, folder: Path):
        import torch
        import torch.distributed.checkpoint as dcp
        net = model()
        optimizer = torch.optim.AdamW(net.parameters())
        net(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        state = dict(net.state_dict())
        for name, parameter in net.named_parameters():
            state |= {f"optimizer.{name}.{key}": value for key, value in optimizer.state[parameter].items()}
        files = {name: 2 if name.startswith("optimizer.") else 1 for name in state}
        dcp.save(state, storage_writer=dcp.HuggingFaceStorageWriter(str(folder / "step-20"), fqn_to_index_mapping=files))
        return "step-20"

    def load(self, path: Path):
        import safetensors.torch
        index = json.loads((path / "model.safetensors.index.json").read_text())
        return repr({name: flat(safetensors.torch.load_file(path / file)[name]) for name, file in sorted(index["weight_map"].items())})


class Lightning:
    name, format, packages = "lightning", "Lightning", ("lightning", "torch")

    def save(self, folder: Path):
        import lightning
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = model()

            def training_step(self, batch, _):
                return self.net(batch[0]).sum()

            def configure_optimizers(self):
                return torch.optim.AdamW(self.parameters())

        os.chdir(folder)
        trainer = lightning.Trainer(max_steps=6, logger=False, accelerator="cpu", enable_progress_bar=False,
                                    default_root_dir=".", enable_model_summary=False)
        trainer.fit(Module(), DataLoader(TensorDataset(torch.ones(12, 3)), batch_size=2))
        file, = folder.rglob("*.ckpt")
        file.rename(folder / "epoch=0-step=6.ckpt")
        file.parent.rmdir()
        return "epoch=0-step=6.ckpt"

    def load(self, path: Path):
        import torch
        return repr(flat(torch.load(path, weights_only=False)))


class HuggingFace:
    name, format, packages = "hugging-face", "HuggingFace", ("transformers", "torch", "safetensors")

    def save(self, folder: Path):
        import torch
        import transformers

        class Config(transformers.PretrainedConfig):
            model_type = "tiny"

        class Model(transformers.PreTrainedModel):
            config_class = Config

            def __init__(self, config):
                super().__init__(config)
                self.net = model()
                self.post_init()

            def forward(self, x=None, labels=None):
                return {"loss": self.net(x).sum()}

        os.chdir(folder)  # its arguments are saved too, and bear no path of a machine so
        arguments = transformers.TrainingArguments(".", max_steps=6, save_steps=6, per_device_train_batch_size=2, report_to=[],
                                                   use_cpu=True, disable_tqdm=True)
        transformers.Trainer(Model(Config()), arguments, train_dataset=[{"x": torch.ones(3)}] * 12).train()
        return "checkpoint-6"

    def load(self, path: Path):
        import safetensors.torch
        import torch
        # Files that resume needs, but that the library goes on without: what is lost then is found by comparison.
        states = [repr(flat(torch.load(path / file, weights_only=False))) for file in ("optimizer.pt", "scheduler.pt", "rng_state.pth")]
        return [flat(safetensors.torch.load_file(path / "model.safetensors")), states,
                json.loads((path / "trainer_state.json").read_text())["global_step"]]


class Orbax:
    name, format, packages = "orbax", "Orbax", ("orbax-checkpoint", "jax")

    def save(self, folder: Path):
        import jax.numpy as jnp
        import orbax.checkpoint as ocp
        with ocp.CheckpointManager(folder) as manager:
            manager.save(20, args=ocp.args.Composite(
                state=ocp.args.StandardSave({"w": jnp.arange(3000.0), "b": jnp.zeros(2)}), extra=ocp.args.JsonSave({"a": 1})))
            manager.wait_until_finished()
        return "20"

    def load(self, path: Path):
        import orbax.checkpoint as ocp
        state = ocp.StandardCheckpointer().restore(path / "state")
        return repr(flat({"state": state, "extra": json.loads((path / "extra/metadata").read_text())}))


class OrbaxZarr(Orbax):
    """Without its store of arrays: a directory of zarr for each."""
    name = "orbax-zarr"

    def handler(self):
        import orbax.checkpoint as ocp
        return ocp.PyTreeCheckpointHandler(use_ocdbt=False)

    def save(self, folder: Path):
        import jax.numpy as jnp
        import orbax.checkpoint as ocp
        with ocp.CheckpointManager(folder, item_handlers={"state": self.handler(), "extra": ocp.JsonCheckpointHandler()}) as manager:
            manager.save(20, args=ocp.args.Composite(
                state=ocp.args.PyTreeSave({"w": jnp.arange(30.0), "nested": {"b": jnp.ones(2)}}), extra=ocp.args.JsonSave({"best": float("inf")})))
            manager.wait_until_finished()
        return "20"

    def load(self, path: Path):
        import orbax.checkpoint as ocp
        state = ocp.Checkpointer(self.handler()).restore(path / "state")
        return repr(flat({"state": state, "extra": json.loads((path / "extra/metadata").read_text())}))


def _deepspeed_rank(rank, folder, tag, config):
    import deepspeed
    import torch
    os.environ.update(RANK=str(rank), LOCAL_RANK="0", WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    deepspeed.init_distributed("gloo")
    net = model()
    engine, _, _, _ = deepspeed.initialize(
        model=net, optimizer=torch.optim.AdamW(net.parameters()), config=config)
    engine.backward(engine(torch.ones(1, 3)).sum())
    engine.step()
    engine.save_checkpoint(folder, tag=tag)
    torch.distributed.destroy_process_group()


class DeepSpeed:
    name, format, packages = "deepspeed", "DeepSpeed", ("deepspeed", "torch")
    tag, stage = "global_step1", 1
    models = ["mp_rank_00_model_states.pt"]
    optimizers = [f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt" for rank in (0, 1)]

    def config(self):
        return {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": self.stage}, "zero_allow_untested_optimizer": True}

    def save(self, folder: Path):
        import torch.multiprocessing
        os.chdir(folder)
        torch.multiprocessing.spawn(_deepspeed_rank, args=(".", self.tag, self.config()), nprocs=2)
        return self.tag

    def load(self, path: Path):
        import torch
        from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint
        # The library's own gathering of all ranks' parts, and each file as its rank reads it.
        gathered = get_fp32_state_dict_from_zero_checkpoint(str(path.parent), tag=path.name)
        return [flat(dict(gathered)), [repr(flat(torch.load(path / file, weights_only=False))) for file in self.models + self.optimizers]]


class DeepSpeedConfigFile(DeepSpeed):
    """With its configuration in a file, whose name versions before 0.19 keep in its place."""
    name, stage = "deepspeed-config-file", 2

    def config(self):
        Path("ds.json").write_text(json.dumps(super().config()))
        return "ds.json"


class DeepSpeedStage3(DeepSpeed):
    name, stage = "deepspeed-stage-3", 3
    models = [f"zero_pp_rank_{rank}_mp_rank_00_model_states.pt" for rank in (0, 1)]


def _megatron_state(tensors):
    """What megatron.training hands to megatron-core: sharded tensors, the state of random numbers, what all ranks share."""
    from megatron.core.dist_checkpointing import ShardedTensor
    from megatron.core.dist_checkpointing.mapping import ShardedObject
    return {"model": {key: ShardedTensor.from_rank_offsets(f"model.{key}", value) for key, value in tensors["model"].items()},
            "optimizer": {key: ShardedTensor.from_rank_offsets(f"optimizer.state.{key}", value)
                          for key, value in tensors["optimizer"].items()},
            "rng_state": ShardedObject("rng_state", tensors["rng_state"], (1, 1), (0, 0)),
            "iteration": 100, "checkpoint_version": 3.0, "args": {"tensor_model_parallel_size": 1}}


class MegatronDist:
    """By megatron-core's own dist_checkpointing, on one rank; what it asks of a GPU is left out."""
    name, format, packages = "megatron-dist", "Megatron", ("megatron-core", "torch")

    def tensors(self):
        import torch
        torch.manual_seed(1)
        return {"model": {"weight": torch.rand(4, 3), "bias": torch.rand(4)},
                "optimizer": {"weight.exp_avg": torch.rand(4, 3), "bias.exp_avg": torch.rand(4)},
                "rng_state": [{"torch_rng_state": torch.arange(16)}]}

    def begin(self):
        import torch
        if torch.distributed.is_initialized():
            return
        os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="29512")
        torch.distributed.init_process_group("gloo")
        torch.cuda.synchronize = lambda *_: None
        torch.cuda.current_device = lambda: "cpu"

    def save(self, folder: Path):
        from megatron.core import dist_checkpointing
        self.begin()
        path = folder / "iter_0000100"
        path.mkdir()
        dist_checkpointing.save(_megatron_state(self.tensors()), str(path))
        return path.name

    def load(self, path: Path):
        import torch
        from megatron.core import dist_checkpointing
        self.begin()
        blank = {"model": {key: torch.zeros_like(value) for key, value in self.tensors()["model"].items()},
                 "optimizer": {key: torch.zeros_like(value) for key, value in self.tensors()["optimizer"].items()}, "rng_state": None}
        return repr(flat(dist_checkpointing.load(_megatron_state(blank), str(path))))


class MegatronLegacy:
    """By torch.save in the layout of Megatron-LM's `--ckpt-format torch`, two tensor-parallel ranks; Megatron-LM itself needs GPUs."""
    name, format, packages = "megatron-legacy", "Megatron", ("torch",)
    files = [f"mp_rank_{rank:02d}/{file}" for rank in (0, 1) for file in ("distrib_optim.pt", "model_optim_rng.pt")]

    def save(self, folder: Path):
        import argparse
        import torch
        arguments = argparse.Namespace(tensor_model_parallel_size=2, pipeline_model_parallel_size=1, expert_model_parallel_size=1,
                                       use_distributed_optimizer=True, no_save_optim=None, num_layers=2)
        for rank in (0, 1):
            part = folder / "iter_0000100" / f"mp_rank_{rank:02d}"
            part.mkdir(parents=True)
            torch.save({0: {"param": torch.rand(8), "exp_avg": torch.rand(8)}}, part / "distrib_optim.pt")
            torch.save({"args": arguments, "checkpoint_version": 3.0, "iteration": 100, "model": model().state_dict(),
                        "optimizer": {"param_groups": []}, "rng_state": [{"torch_rng_state": torch.arange(16)}]},
                       part / "model_optim_rng.pt")
        return "iter_0000100"

    def load(self, path: Path):
        import torch
        return [repr(flat(torch.load(path / file, weights_only=False))) for file in self.files]


ALL = [PyTorchDcp(), PyTorchDcpSafetensors(), Lightning(), HuggingFace(), DeepSpeed(), DeepSpeedConfigFile(), DeepSpeedStage3(),
       Orbax(), OrbaxZarr(), MegatronDist(), MegatronLegacy()]
