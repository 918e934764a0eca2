# The front door. Each target installs what is missing by itself; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PRESET ?= dev
BUILD := build/$(PRESET)
NINJA := ninja -j$(shell nproc)
configured = [ -f build/$(1)/build.ninja ] || cmake --preset $(1) >/dev/null || cmake --preset $(1)
CLUSTER ?= dev
SEEDS ?= 1..1000
# Clones in different places share compiler results.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

# The demo needs no tests: it uses a build that is there, or makes a smaller one.
DEMO_PRESET := $(if $(wildcard $(BUILD)/build.ninja),$(PRESET),demo)
DEMO_BUILD := build/$(DEMO_PRESET)

.PHONY: help setup ready tools configure build demo unit unit-programs units sanitized headers threads tier-programs test verify test-frameworks image manifest release install-demo cluster cluster-down cluster-tests node-tests cluster-demo soak docs lint format clean

help: ## show this text
	@echo "Reprise: spot GPUs made dependable."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo "All targets, each with a comment: Makefile"

setup: # install every package that building and testing needs (Debian 12 or 13, root)
	@dev/setup
	@echo "Ready. Next: make build, or make test"

ready:
	@dev/setup --check || dev/setup

tools: ready
	@dev/tools/build

configure: ready
	@$(call configured,$(PRESET))

build: configure # build the binaries into build/<preset>/bin (PRESET=dev|release|asan|tsan|coverage)
	@$(NINJA) -C $(BUILD)
	@echo "Built: $(BUILD)/bin/reprise, reprise-operator and reprise-agent. Next: make test, or make cluster-demo"

demo: ## a recorded spot day with three jobs and real trainers, in two minutes; needs no cluster
	@dev/setup --check build || dev/setup build
	@$(call configured,$(DEMO_PRESET))
	@$(NINJA) -C $(DEMO_BUILD) reprise reprise-agent trainer
	@$(DEMO_BUILD)/bin/reprise demo --output-dir build/spot-day $(DEMO)

unit: configure ## build and run the tests that need no cluster; T=Store only those whose name matches, in seconds
ifdef T
	@dev/unit "$(T)"
else
	@$(NINJA) -C $(BUILD) all
	@ctest --preset $(PRESET) -j2 --output-on-failure
endif

unit-programs: ready # all test programs, as what is shipped
	@$(call configured,release)
	@$(NINJA) -C build/release tier_programs unit_tests bench_placement

units: unit-programs # unit tests in the build of what is shipped, and the checks of sources and pages
	@ctest --preset release -j2 -E '_NOT_BUILT' --no-tests=error

SANITIZED := ^(runtime_[a-z_]+|controllers_[a-z_]+|api|protocol|agent|node_agent)([.]|$$)
sanitized: ready # unit tests of runtime, api, protocol, controllers and agents under address and undefined-behaviour sanitizers
	@$(call configured,asan)
	@$(NINJA) -C build/asan sanitized_tests
	@ctest --preset asan -j2 -R '$(SANITIZED)' --no-tests=error

headers: ready # every public header compiles on its own
	@$(call configured,dev)
	@$(NINJA) -C build/dev all_verify_interface_header_sets

threads: ready # the runtime's tests under the thread sanitizer
	@$(call configured,tsan)
	@$(NINJA) -C build/tsan runtime_tests
	@$$(setarch -R true 2>/dev/null && echo setarch -R) ctest --preset tsan -j2 -R '^runtime_' --no-tests=error

tier-programs: ready # what is shipped and the programs that test it; looks at their hardening
	@$(call configured,release)
	@$(NINJA) -C build/release tier_programs
	@tests/hardening/check build/release/bin/{reprise{,-operator,-agent,-node-agent},kubectl-reprise}

test: ready ## the gate: what finds a broken main in minutes, and the main job on a real control plane
	@dev/gate

verify: $(if $(LIST),,ready) ## all tiers; goes on where it was stopped (T="NAME ...", LIST=1, ALL=1, STRICT=1)
	@dev/verify $(if $(LIST),--list) $(if $(ALL),--all) $(if $(STRICT),--strict) $(T)

image: ready # the container image of operator and agents, with its bill of materials, into build/image; needs no engine
	@$(call configured,release)
	@$(NINJA) -C build/release reprise-operator reprise-agent reprise-node-agent
	@packaging/image/build build/release build/image
	@echo "Written: build/image (packaging/image/README.md). Next: make install-demo"

cluster: tools ## start a local cluster to play in (CLUSTER=name)
	@dev/cluster up $(CLUSTER)
	@echo "Next: eval \"\$$(dev/cluster env $(CLUSTER))\" and use kubectl; make cluster-down ends it"

cluster-down: # end that cluster; no process and no file stays
	@dev/cluster down $(CLUSTER)
	@echo "Next: make cluster starts a new one"

test-frameworks: ready # the examples with PyTorch, Trainer, Lightning, DeepSpeed, JAX rehearsed for real, the real launchers, the module reprise in three; installs several GB once
	@$(call configured,$(PRESET))
	@$(NINJA) -C $(BUILD) reprise reprise-agent
	@tests/frameworks/run
	@tests/frameworks/torn
	@tests/frameworks/launchers
	@tests/frameworks/notices

node-tests: tools build # only the tests on real kubelets that lose power (root)
	@tests/node/run

cluster-tests: tools build # only the tests on real control planes
	@tests/cluster/run

cluster-demo: tools build # the main job on a real control plane, narrated
	@tests/cluster/demo

manifest: tools # what the chart installs as one file, build/reprise.yaml, for kubectl apply --server-side
	@packaging/manifest build/reprise.yaml
	@echo "Written: build/reprise.yaml. Other values: packaging/manifest FILE --set KEY=VALUE"

release: tools # image, chart, manifests, packages and plugin of this version into build/dist, with sums and a statement of their source
	@$(call configured,release)
	@$(NINJA) -C build/release tier_programs
	@packaging/release build/release build/dist

install-demo: tools ## the chart installed on real kubelets, narrated: a job outlives the machine of its writer and of the operator (root)
	@$(call configured,release)
	@$(NINJA) -C build/release reprise-operator reprise-agent reprise-node-agent trainer
	@PRESET=release tests/node/demo

soak: tools build # the long forms of scenarios (SEEDS=1..1000), cluster tests and fuzzing, and other releases of Kubernetes and Karpenter
	@tests/scenarios/run --seeds $(SEEDS)
	@tests/fuzz/run --seconds 600 --seed 0
	@REPRISE_SOAK=1 REPRISE_CLUSTER_TEST_SECONDS=3600 tests/cluster/run
	@tests/cluster/matrix

docs: ready ## the documentation as a site with search, in build/site; checks its links
	@docs/site/build

lint: configure ## formatting, static analysis of every source, shell scripts
	@dev/lint

format: ready # put all C++ sources into the project's format
	@git ls-files '*.h' '*.cc' | xargs clang-format-14 -i
	@echo "Formatted. Next: make lint"

clean: ## remove build output
	@rm -rf build
	@echo "Next: make build"
