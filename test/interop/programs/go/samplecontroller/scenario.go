package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	v1alpha1 "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	foos "k8s.io/sample-controller/pkg/generated/clientset/versioned/typed/samplecontroller/v1alpha1"
	"sigs.k8s.io/yaml"

	"keelson/interop/outcomes"
)

const foo = "example-foo"

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// What is done to the cluster while the sample-controller runs, and what is expected of it.
type scenario struct {
	kubeconfig, namespace, controller, manifests string

	any     dynamic.Interface
	client  kubernetes.Interface
	foos    foos.FooInterface
	process *exec.Cmd
	log     bytes.Buffer
	ended   chan error
}

// define installs the definition and starts the controller as soon as it is established.
func (s *scenario) define(ctx context.Context) error {
	var definition unstructured.Unstructured
	if err := s.read("crd-status-subresource.yaml", &definition.Object); err != nil {
		return err
	}
	created, err := s.any.Resource(definitions).Create(ctx, &definition, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error {
		found, err := s.any.Resource(definitions).Get(ctx, created.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(found.Object, "status", "conditions")
		for _, condition := range conditions {
			if of, ok := condition.(map[string]any); ok && of["type"] == "Established" && of["status"] == "True" {
				return nil
			}
		}
		return fmt.Errorf("it is not established: %v", conditions)
	}); err != nil {
		return err
	}
	s.process = exec.Command(s.controller, "-kubeconfig", s.kubeconfig)
	s.process.Stderr = &s.log
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.process.Wait() }()
	return nil
}

func (s *scenario) create(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}
	if _, err := s.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	var object v1alpha1.Foo
	if err := s.read("example-foo.yaml", &object); err != nil {
		return err
	}
	_, err := s.foos.Create(ctx, &object, metav1.CreateOptions{})
	return err
}

// deployment waits for the Deployment that the controller makes, which belongs to the Foo.
func (s *scenario) deployment(ctx context.Context) error {
	return outcomes.Eventually(ctx, func() error {
		deployment, err := s.client.AppsV1().Deployments(s.namespace).Get(ctx, foo, metav1.GetOptions{})
		if err != nil {
			return err
		}
		owner := metav1.GetControllerOf(deployment)
		if owner == nil || owner.Kind != "Foo" || owner.Name != foo || *deployment.Spec.Replicas != 1 {
			return fmt.Errorf("its owner is %v, its replicas are %v", owner, *deployment.Spec.Replicas)
		}
		return nil
	})
}

func (s *scenario) status(ctx context.Context) error { return s.isAvailable(ctx, 1) }

// isAvailable waits until the status tells so many replicas; where there is no node, none will ever be available.
func (s *scenario) isAvailable(ctx context.Context, replicas int32) error {
	nodes, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(nodes.Items) == 0 {
		replicas = 0
	}
	return outcomes.Eventually(ctx, func() error {
		object, err := s.foos.Get(ctx, foo, metav1.GetOptions{})
		if err != nil {
			return err
		}
		isWritten := false
		for _, entry := range object.ManagedFields {
			isWritten = isWritten || entry.Subresource == "status" && entry.Manager == "sample-controller"
		}
		if !isWritten || object.Status.AvailableReplicas != replicas {
			return fmt.Errorf("the status is %+v, its managers are %v", object.Status, object.ManagedFields)
		}
		return nil
	})
}

func (s *scenario) event(ctx context.Context) error {
	return outcomes.Eventually(ctx, func() error {
		events, err := s.client.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Foo"})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "Synced" && event.Message == "Foo synced successfully" && event.Source.Component == "sample-controller" {
				return nil
			}
		}
		return fmt.Errorf("the events are %v", events.Items)
	})
}

func (s *scenario) scale(ctx context.Context) error {
	if err := outcomes.Eventually(ctx, func() error { return s.setReplicas(ctx, 3) }); err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error {
		deployment, err := s.client.AppsV1().Deployments(s.namespace).Get(ctx, foo, metav1.GetOptions{})
		if err == nil && *deployment.Spec.Replicas != 3 {
			err = fmt.Errorf("its replicas are %d", *deployment.Spec.Replicas)
		}
		return err
	}); err != nil {
		return err
	}
	return s.isAvailable(ctx, 3)
}

// refuse asks for more replicas than the schema allows.
func (s *scenario) refuse(ctx context.Context) error {
	err := s.setReplicas(ctx, 11)
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("it was answered with %v", err)
	}
	return nil
}

func (s *scenario) setReplicas(ctx context.Context, replicas int32) error {
	object, err := s.foos.Get(ctx, foo, metav1.GetOptions{})
	if err != nil {
		return err
	}
	object.Spec.Replicas = &replicas
	_, err = s.foos.Update(ctx, object, metav1.UpdateOptions{})
	return err
}

// delete takes the Foo away, and the garbage collector its Deployment.
func (s *scenario) delete(ctx context.Context) error {
	if err := s.foos.Delete(ctx, foo, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error {
		_, err := s.client.AppsV1().Deployments(s.namespace).Get(ctx, foo, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return errors.Join(errors.New("the Deployment is still there"), err)
		}
		return nil
	})
}

// stop ends the controller, which has to run until then.
func (s *scenario) stop(context.Context) error {
	if s.ended == nil {
		return errors.New("it was never started")
	}
	select {
	case err := <-s.ended:
		return fmt.Errorf("it ended by itself: %v: %s", err, s.log.String())
	default:
	}
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return <-s.ended
}

func (s *scenario) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), outcomes.StepLimit)
	defer cancel()
	if s.process != nil && s.process.ProcessState == nil {
		_ = s.process.Process.Kill()
	}
	_ = s.any.Resource(definitions).Delete(ctx, "foos.samplecontroller.k8s.io", metav1.DeleteOptions{})
	_ = s.client.CoreV1().Namespaces().Delete(ctx, s.namespace, metav1.DeleteOptions{})
}

func (s *scenario) read(name string, into any) error {
	text, err := os.ReadFile(filepath.Join(s.manifests, name))
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}
