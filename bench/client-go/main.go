// A load generator on client-go. It prints one line of JSON once it is prepared and one after each stage, and begins the next
// stage when it reads a line: who drives it takes the processor time of all processes in between.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

// A load prepares, then calls tell() between its stages.
type load func(ctx context.Context, options *options, tell func(result any)) error

var loads = map[string]load{
	"requests":  sendRequests,
	"informers": informAll,
	"mixed":     mix,
	"idle":      stayIdle,
}

type options struct {
	kubeconfig string
	encoding   string
	clients    int
	// Requests at once on the connection of each client.
	streams  int
	watches  int
	verb     string
	requests int
	burst    int
	singles  int
}

const limit = 10 * time.Minute

func main() {
	o := &options{}
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the server")
	flag.StringVar(&o.encoding, "encoding", "protobuf", "protobuf or json")
	flag.IntVar(&o.clients, "clients", 1, "clients, each with a connection of its own")
	flag.IntVar(&o.streams, "streams", 1, "requests at once by each client")
	flag.IntVar(&o.watches, "watches", 0, "watches of each client")
	flag.StringVar(&o.verb, "verb", "get", "get, create, update or list")
	flag.IntVar(&o.requests, "requests", 1000, "requests in all")
	flag.IntVar(&o.burst, "burst", 100, "updates at once")
	flag.IntVar(&o.singles, "singles", 20, "updates one after the other")
	flag.Parse()
	run, isKnown := loads[flag.Arg(0)]
	if !isKnown {
		fmt.Fprintf(os.Stderr, "unknown load %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	lines := bufio.NewScanner(os.Stdin)
	tell := func(result any) {
		if err := json.NewEncoder(os.Stdout).Encode(result); err != nil || !lines.Scan() {
			os.Exit(0) // the reader has gone
		}
	}
	if err := run(ctx, o, tell); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
