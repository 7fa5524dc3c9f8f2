// A program on client-go's streams: commands over WebSocket and SPDY, logs, attaching, forwarded ports, and a command of a controller-runtime reconciler.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"

	"keelson/interop/outcomes"
)

type program struct {
	client    kubernetes.Interface
	config    *rest.Config
	namespace string
}

func main() {
	namespace := flag.String("namespace", "interop-go-streams", "namespace to make and work in")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.QPS, config.Burst = 200, 400
	p := &program{client: kubernetes.NewForConfigOrDie(config), config: config, namespace: *namespace}
	report := outcomes.New("controller-runtime and client-go streams", "sigs.k8s.io/controller-runtime")
	for _, step := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"pods", p.pods},
		{"exec over WebSocket", over(p.webSocket, p.command)},
		{"exec over SPDY", over(p.spdy, p.command)},
		{"end of input over WebSocket", over(p.webSocket, p.input)},
		{"end of input over SPDY", over(p.spdy, p.input)},
		{"terminal over WebSocket", over(p.webSocket, p.terminal)},
		{"terminal over SPDY", over(p.spdy, p.terminal)},
		{"fall back", over(p.fallback, p.command)},
		{"refusals", p.refusals},
		{"logs", p.logs},
		{"attach", p.attach},
		{"port-forward over WebSocket", p.forward(p.tunnel)},
		{"port-forward over SPDY", p.forward(p.spdyDialer)},
		{"exec in a reconciler", p.reconcile},
	} {
		report.Step(step.name, step.run)
	}
	p.cleanUp()
	report.Print()
}
