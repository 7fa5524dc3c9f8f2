package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"

	"keelson/interop/outcomes"
)

func (p *program) mergePatch(ctx context.Context) error {
	patch := []byte(`{"data":{"index":null,"patched":"yes"}}`)
	patched, err := p.client.CoreV1().ConfigMaps(p.namespace).Patch(ctx, "many-00", types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if fmt.Sprint(patched.Data) != "map[patched:yes]" {
		return fmt.Errorf("data is %v", patched.Data)
	}
	return nil
}

// The sidecar joins the container that is there: lists of containers merge by name.
func (p *program) strategicPatch(ctx context.Context) error {
	patch := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"registry.invalid/sidecar:1"}]}}}}`)
	patched, err := p.client.AppsV1().Deployments(p.namespace).Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if count := len(patched.Spec.Template.Spec.Containers); count != 2 {
		return fmt.Errorf("there are %d containers", count)
	}
	if patched.Generation < 2 {
		return fmt.Errorf("the generation is %d", patched.Generation)
	}
	return nil
}

func (p *program) apply(ctx context.Context) error {
	api := p.client.AppsV1().Deployments(p.namespace)
	wanted := appsapply.Deployment("applied", p.namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(1).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"app": "applied"})).
		WithTemplate(coreapply.PodTemplateSpec().
			WithLabels(map[string]string{"app": "applied"}).
			WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("main").WithImage("registry.invalid/main:1")))))
	if _, err := api.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	other := appsapply.Deployment("applied", p.namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(3))
	if _, err := api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "second"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict between the managers: %w", orUnexpected(err))
	}
	forced, err := api.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil {
		return err
	}
	if *forced.Spec.Replicas != 3 {
		return fmt.Errorf("replicas is %d", *forced.Spec.Replicas)
	}
	extracted, err := appsapply.ExtractDeployment(forced, "second")
	if err != nil {
		return err
	}
	if extracted.Spec == nil || extracted.Spec.Replicas == nil || extracted.Spec.Template != nil {
		return fmt.Errorf("the second manager has more or less than replicas")
	}
	return nil
}

func (p *program) delete(ctx context.Context) error {
	pods := p.client.CoreV1().Pods(p.namespace)
	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	err := pods.Delete(ctx, "alone", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a delete of another uid: %w", orUnexpected(err))
	}
	now := int64(0)
	if err := pods.Delete(ctx, "alone", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return err
	}
	if _, err := pods.Get(ctx, "alone", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("the pod after its deletion: %w", orUnexpected(err))
	}
	many := metav1.ListOptions{LabelSelector: "set=many"}
	configMaps := p.client.CoreV1().ConfigMaps(p.namespace)
	if err := configMaps.DeleteCollection(ctx, metav1.DeleteOptions{}, many); err != nil {
		return err
	}
	left, err := configMaps.List(ctx, many)
	if err != nil {
		return err
	}
	if len(left.Items) != 0 {
		return fmt.Errorf("%d of the collection are left", len(left.Items))
	}
	foreground := metav1.DeletePropagationForeground
	deployments := p.client.AppsV1().Deployments(p.namespace)
	if err := deployments.Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error {
		if _, err := deployments.Get(ctx, "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Deployment: %w", orUnexpected(err))
		}
		return nil
	}); err != nil {
		return err
	}
	sets, err := p.client.AppsV1().ReplicaSets(p.namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	if err == nil && len(sets.Items) != 0 {
		err = fmt.Errorf("%d ReplicaSets are left", len(sets.Items))
	}
	return err
}

func orUnexpected(err error) error {
	if err == nil {
		return errUnexpected
	}
	return err
}
