// A proxy that stands between a client of Kubernetes and a real API server and plays every fault a network, a load
// balancer or an overloaded server is known for. See README.md in the folder above.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	upstream := flag.String("upstream", "", "URL of the real API server")
	authority := flag.String("upstream-ca", "", "file with the real API server's CA")
	clientAuthority := flag.String("client-ca", "", "file with a CA: clients may come with certificates of it")
	clientToken := flag.String("client-token", "", "bearer token sent upstream for a client that came with a certificate")
	flag.Parse()
	if err := run(*upstream, *authority, *clientAuthority, *clientToken); err != nil {
		fmt.Fprintln(os.Stderr, "faults proxy:", err)
		os.Exit(1)
	}
}

func run(upstream, authority, clientAuthority, clientToken string) error {
	identity, err := newIdentity()
	if err != nil {
		return err
	}
	config, err := identity.serverConfig(clientAuthority)
	if err != nil {
		return err
	}
	door, err := openDoor(config)
	if err != nil {
		return err
	}
	world := &proxy{rules: newRules(), journal: newJournal(), door: door, identity: identity, clientToken: clientToken}
	if err := world.connect(upstream, authority); err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	go func() { failed <- door.serve(world) }()
	go func() { failed <- http.Serve(control, world.controls()) }()
	// The one line that whoever started this reads.
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url": "https://" + door.address, "control": "http://" + control.Addr().String(), "ca": identity.authorityPEM,
	}); err != nil {
		return err
	}
	return <-failed
}
