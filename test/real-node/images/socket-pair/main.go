// Command hostpathplugin pairs the connections of a Unix socket with those of a TCP port: the only mode of the published image of that name
// that tests of Kubernetes need whose driver runs inside the suite. The suite dials the port ahead of time, through forwarded ports, and serves
// gRPC on what it dialled; clients on the node connect to the socket.
//
// Example: hostpathplugin --endpoint=unix:///csi/csi.sock --proxy-endpoint=tcp://:9000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hostpathplugin:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("hostpathplugin", flag.ContinueOnError)
	endpoint := flags.String("endpoint", "", "the Unix socket to listen on, with or without unix://")
	proxyEndpoint := flags.String("proxy-endpoint", "", "the TCP address to listen on, as tcp://HOST:PORT")
	flags.String("nodeid", "", "accepted and not used")
	flags.Int("v", 0, "accepted and not used")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *proxyEndpoint == "" {
		return errors.New("this program only pairs sockets and is no storage driver: --proxy-endpoint is needed")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	sockets, err := listenUnix(*endpoint)
	if err != nil {
		return err
	}
	ports, err := net.Listen("tcp", strings.TrimPrefix(*proxyEndpoint, "tcp://"))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		sockets.Close() // removes the socket's file, too
		ports.Close()
	})
	log.Printf("pairing %s with %s", sockets.Addr(), ports.Addr())
	pairAll(ctx, sockets, ports)
	return nil
}

// listenUnix replaces the socket that an earlier process left behind.
func listenUnix(endpoint string) (net.Listener, error) {
	path := strings.TrimPrefix(endpoint, "unix://")
	if path == "" {
		return nil, errors.New("--endpoint is needed")
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return net.Listen("unix", path)
}
