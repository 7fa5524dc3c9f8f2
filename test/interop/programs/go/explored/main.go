// An operator on controller-runtime that `keelson explore` looks into: a Cache gets a Secret and a ConfigMap. With -planted it asks its
// cache whether the Secret is there, and lets the server make up its name.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var kind = schema.GroupVersionKind{Group: "acme.dev", Version: "v1", Kind: "Cache"}

type operator struct {
	client.Client
	isPlanted bool
}

func newCache() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	owner := newCache()
	if err := o.Get(ctx, request.NamespacedName, owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !owner.GetDeletionTimestamp().IsZero() {
		return ctrl.Result{}, nil
	}
	if err := o.provideSecret(ctx, owner); err != nil {
		return ctrl.Result{}, err
	}
	size, _, err := unstructured.NestedInt64(owner.Object, "spec", "size")
	if err != nil {
		return ctrl.Result{}, err
	}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: owner.GetName(), Namespace: owner.GetNamespace()}}
	_, err = controllerutil.CreateOrUpdate(ctx, o.Client, configMap, func() error {
		configMap.Data = map[string]string{"size": strconv.FormatInt(size, 10)}
		return controllerutil.SetControllerReference(owner, configMap, o.Scheme())
	})
	return ctrl.Result{}, err
}

func (o *operator) provideSecret(ctx context.Context, owner *unstructured.Unstructured) error {
	labels := map[string]string{"cache": owner.GetName()}
	var found corev1.SecretList
	if err := o.List(ctx, &found, client.InNamespace(owner.GetNamespace()), client.MatchingLabels(labels)); err != nil {
		return err
	}
	if len(found.Items) > 0 {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Labels: labels}}
	if o.isPlanted {
		secret.GenerateName = owner.GetName() + "-"
	} else {
		secret.Name = owner.GetName()
	}
	if err := controllerutil.SetControllerReference(owner, secret, o.Scheme()); err != nil {
		return err
	}
	err := o.Create(ctx, secret)
	if o.isPlanted {
		return err
	}
	return client.IgnoreAlreadyExists(err)
}

func run(isPlanted bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, manager.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		HealthProbeBindAddress:  "0",
		LeaderElection:          true,
		LeaderElectionID:        "caches",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(mgr).
		Named("caches").
		For(newCache()).
		Owns(&corev1.Secret{}).
		Owns(&corev1.ConfigMap{}).
		Complete(&operator{Client: mgr.GetClient(), isPlanted: isPlanted})
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

func main() {
	isPlanted := flag.Bool("planted", false, "with the mistake")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	if err := run(*isPlanted); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
