// Kubernetes' own sample-controller as a process, with the definition and the Foo that it comes with.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	foos "k8s.io/sample-controller/pkg/generated/clientset/versioned"

	"keelson/interop/outcomes"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of the server")
	namespace := flag.String("namespace", "interop-sample-controller", "namespace to make and work in")
	controller := flag.String("controller", "", "the sample-controller's binary")
	manifests := flag.String("manifests", "", "folder with the sample-controller's manifests")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.QPS, config.Burst = 200, 400
	s := &scenario{
		kubeconfig: *kubeconfig,
		namespace:  *namespace,
		controller: *controller,
		manifests:  *manifests,
		any:        dynamic.NewForConfigOrDie(config),
		client:     kubernetes.NewForConfigOrDie(config),
		foos:       foos.NewForConfigOrDie(config).SamplecontrollerV1alpha1().Foos(*namespace),
	}
	report := outcomes.New("sample-controller", "k8s.io/sample-controller")
	for _, step := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"define", s.define},
		{"create", s.create},
		{"Deployment", s.deployment},
		{"status", s.status},
		{"event", s.event},
		{"scale", s.scale},
		{"refuse", s.refuse},
		{"delete", s.delete},
		{"run", s.stop},
	} {
		report.Step(step.name, step.run)
	}
	s.cleanUp()
	report.Print()
}
