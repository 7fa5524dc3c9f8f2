// Package controller keeps a ConfigMap with the words of each Greeting.
package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	demov1 "keelson/envtest/api/v1"
)

// Finalizer holds a Greeting until goodbye has been said.
const Finalizer = "demo.keelson.dev/goodbye"

type GreetingReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *GreetingReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var greeting demov1.Greeting
	if err := r.Get(ctx, request.NamespacedName, &greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !greeting.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.sayGoodbye(ctx, &greeting)
	}
	if controllerutil.AddFinalizer(&greeting, Finalizer) {
		if err := r.Update(ctx, &greeting); err != nil {
			return ctrl.Result{}, err
		}
	}
	text := fmt.Sprintf("%s, %s!", greeting.Spec.Word, greeting.Spec.Name)
	words := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: greeting.Name, Namespace: greeting.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, words, func() error {
		words.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(&greeting, words, r.Scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	greeting.Status.Text = text
	greeting.Status.ObservedGeneration = greeting.Generation
	meta.SetStatusCondition(&greeting.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Greeted", ObservedGeneration: greeting.Generation,
	})
	return ctrl.Result{}, r.Status().Update(ctx, &greeting)
}

func (r *GreetingReconciler) sayGoodbye(ctx context.Context, greeting *demov1.Greeting) error {
	if !controllerutil.RemoveFinalizer(greeting, Finalizer) {
		return nil
	}
	return r.Update(ctx, greeting)
}

func (r *GreetingReconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&demov1.Greeting{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
