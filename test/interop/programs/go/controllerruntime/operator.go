package main

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "interop.example.com/last-words"

// Makes a Deployment of data.replicas for each ConfigMap that wants one, and notes on the ConfigMap what became of it.
type operator struct {
	client.Client
	recorder events.EventRecorder
	elected  <-chan struct{}
	ended    chan error
	stop     context.CancelFunc
}

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var configMap corev1.ConfigMap
	if err := o.Get(ctx, request.NamespacedName, &configMap); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if configMap.Labels["wants"] != "web" {
		return ctrl.Result{}, nil
	}
	before := configMap.DeepCopy()
	if !configMap.DeletionTimestamp.IsZero() {
		if !controllerutil.RemoveFinalizer(&configMap, finalizer) {
			return ctrl.Result{}, nil
		}
		o.recorder.Eventf(&configMap, nil, corev1.EventTypeNormal, "LetGo", "Finalize", "It may go")
		return ctrl.Result{}, o.Patch(ctx, &configMap, client.MergeFrom(before))
	}
	if controllerutil.AddFinalizer(&configMap, finalizer) {
		return ctrl.Result{}, o.Patch(ctx, &configMap, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: configMap.Name, Namespace: configMap.Namespace}}
	result, err := controllerutil.CreateOrUpdate(ctx, o.Client, deployment, func() error {
		fill(deployment, &configMap)
		return controllerutil.SetControllerReference(&configMap, deployment, o.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if result != controllerutil.OperationResultNone {
		o.recorder.Eventf(&configMap, deployment, corev1.EventTypeNormal, "Provided", "Provide", "The Deployment is %s", result)
	}
	if noted := strconv.Itoa(int(*deployment.Spec.Replicas)); configMap.Annotations["provided"] != noted {
		metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, "provided", noted)
		return ctrl.Result{}, o.Patch(ctx, &configMap, client.MergeFrom(before))
	}
	return ctrl.Result{}, nil
}

func fill(deployment *appsv1.Deployment, configMap *corev1.ConfigMap) {
	replicas := int32(1)
	if wanted, err := strconv.ParseInt(configMap.Data["replicas"], 10, 32); err == nil {
		replicas = int32(wanted)
	}
	labels := map[string]string{"app": configMap.Name}
	deployment.Spec.Replicas = &replicas
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	if len(deployment.Spec.Template.Spec.Containers) == 0 {
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "registry.invalid/main:1"}}
	}
}
