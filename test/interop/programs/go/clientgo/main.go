// A program on client-go: typed clients speaking protobuf, shared informers, applies, leader election.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"keelson/interop/outcomes"
)

type program struct {
	client    kubernetes.Interface
	config    *rest.Config
	namespace string
}

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the server")
	namespace := flag.String("namespace", "interop-client-go", "namespace to make and work in")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.QPS, config.Burst = 200, 400
	p := &program{client: kubernetes.NewForConfigOrDie(config), config: config, namespace: *namespace}
	report := outcomes.New("client-go informers", "k8s.io/client-go")
	for _, step := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"create", p.create},
		{"list", p.list},
		{"watch", p.watch},
		{"merge patch", p.mergePatch},
		{"strategic patch", p.strategicPatch},
		{"apply", p.apply},
		{"delete", p.delete},
		{"lead", p.lead},
	} {
		report.Step(step.name, step.run)
	}
	p.cleanUp()
	report.Print()
}
