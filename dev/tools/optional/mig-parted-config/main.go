// mig-parted-config says into what the layouts of a configuration cut GPUs, as NVIDIA's mig-parted reads and chooses them.
//
// Argument: the configuration. Standard input: a JSON list of {layout, deviceID}. Standard output: a JSON list of
// answers in the same order.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	spec "github.com/NVIDIA/mig-parted/api/spec/v1"
	"github.com/NVIDIA/mig-parted/pkg/types"
	"sigs.k8s.io/yaml"
)

type question struct {
	Layout   string `json:"layout"`
	DeviceID string `json:"deviceID"`
}

type answer struct {
	Error   string          `json:"error,omitempty"`
	Devices types.MigConfig `json:"devices,omitempty"`
}

// answer does what WalkSelectedMigConfigForEachGPU in cmd/nvidia-mig-parted/assert does with the first GPU of a node.
func (asked question) answer(config *spec.Spec) answer {
	layout, found := config.MigConfigs[asked.Layout]
	if !found {
		return answer{Error: "there is no layout of this name"}
	}
	device, err := types.NewDeviceIDFromString(asked.DeviceID)
	if err != nil {
		return answer{Error: err.Error()}
	}
	out := answer{Error: "the layout is for other GPUs"}
	for _, part := range layout {
		if part.MatchesDeviceFilter(device) && part.MatchesDevices(0) {
			out = answer{Devices: part.MigDevices}
		}
	}
	return out
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("one argument is needed, the configuration; found %d", len(os.Args)-1)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var config spec.Spec
	if err := yaml.Unmarshal(text, &config); err != nil {
		return err
	}
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		return err
	}
	answers := []answer{}
	for _, asked := range questions {
		answers = append(answers, asked.answer(&config))
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mig-parted-config:", err)
		os.Exit(1)
	}
}
