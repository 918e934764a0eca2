// device-plugin-config reads configurations with the loader of NVIDIA's device plugin and says what it made of them.
//
// Standard input: a JSON object of files by name. Standard output: a JSON object of verdicts by the same names. What is
// done here is what cmd/nvidia-device-plugin does with its file up to the point where it needs a GPU.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	spec "github.com/NVIDIA/k8s-device-plugin/api/config/v1"
	"github.com/urfave/cli/v2"
	"k8s.io/klog/v2"
)

type resource struct {
	Name     string `json:"name"`
	Offered  string `json:"offered"`
	Replicas int    `json:"replicas"`
}

type verdict struct {
	Error                      string     `json:"error,omitempty"`
	Warnings                   []string   `json:"warnings,omitempty"`
	Strategy                   string     `json:"strategy,omitempty"`
	RenameByDefault            bool       `json:"renameByDefault,omitempty"`
	FailRequestsGreaterThanOne bool       `json:"failRequestsGreaterThanOne,omitempty"`
	Resources                  []resource `json:"resources,omitempty"`
	MigStrategy                string     `json:"migStrategy,omitempty"`
}

// load is loadConfig() and the first lines of startPlugins() in cmd/nvidia-device-plugin/main.go.
func load(path string) (*spec.Config, error) {
	flags := []cli.Flag{&cli.StringFlag{Name: "config-file"}}
	var config *spec.Config
	app := cli.NewApp()
	app.Flags = flags
	app.Action = func(c *cli.Context) (err error) {
		config, err = spec.NewConfig(c, flags)
		return err
	}
	if err := app.Run([]string{"device-plugin-config", "--config-file", path}); err != nil {
		return nil, err
	}
	spec.DisableResourceNamingInConfig(config)
	return config, nil
}

func judge(path string) verdict {
	var log bytes.Buffer
	klog.SetOutput(&log)
	config, err := load(path)
	klog.Flush()
	var out verdict
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		if line != "" {
			out.Warnings = append(out.Warnings, line)
		}
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Strategy = string(config.Sharing.SharingStrategy())
	if config.Flags.MigStrategy != nil {
		out.MigStrategy = *config.Flags.MigStrategy
	}
	replicated := config.Sharing.ReplicatedResources()
	out.RenameByDefault = replicated.RenameByDefault
	out.FailRequestsGreaterThanOne = replicated.FailRequestsGreaterThanOne
	for _, each := range replicated.Resources {
		offered := each.Name
		if each.Rename != "" {
			offered = each.Rename
		}
		out.Resources = append(out.Resources, resource{string(each.Name), string(offered), each.Replicas})
	}
	return out
}

func run() error {
	var files map[string]string
	if err := json.NewDecoder(os.Stdin).Decode(&files); err != nil {
		return err
	}
	logging := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logging)
	if err := logging.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL", "-one_output=true"}); err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "device-plugin-config")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "config.yaml")
	verdicts := map[string]verdict{}
	for name, content := range files {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
		verdicts[name] = judge(path)
	}
	return json.NewEncoder(os.Stdout).Encode(verdicts)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "device-plugin-config:", err)
		os.Exit(1)
	}
}
