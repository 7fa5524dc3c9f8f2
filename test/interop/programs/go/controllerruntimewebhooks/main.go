// Webhooks built with controller-runtime: ConfigMaps with the label "checked=yes" get defaults and are validated.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"keelson/interop/outcomes"
)

func main() {
	kubeconfig := flag.Lookup("kubeconfig") // controller-runtime has this flag already
	namespace := flag.String("namespace", "interop-webhooks", "namespace to make and work in")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	path := kubeconfig.Value.String()
	if path == "" {
		path = os.Getenv("KUBECONFIG")
	}
	restConfig, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s := &scenario{namespace: *namespace}
	restConfig.WarningHandler = s
	if s.direct, err = client.New(restConfig, client.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s.config = restConfig
	report := outcomes.New("controller-runtime webhooks", "sigs.k8s.io/controller-runtime")
	for _, step := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"serve", s.serve},
		{"configure", s.configure},
		{"default", s.defaults},
		{"refuse a create", s.refuseCreate},
		{"warn", s.warn},
		{"refuse an update", s.refuseUpdate},
		{"refuse a delete", s.refuseDelete},
		{"dry run", s.dryRun},
		{"leave others alone", s.others},
		{"refuse while it is down", s.down},
	} {
		report.Step(step.name, step.run)
	}
	s.cleanUp()
	report.Print()
}
