package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"keelson/interop/outcomes"
)

const (
	manyConfigMaps = 25
	pageSize       = 10
)

func (p *program) create(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}
	if _, err := p.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range manyConfigMaps {
		configMap := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("many-%02d", i), Labels: map[string]string{"set": "many"}},
			Data:       map[string]string{"index": fmt.Sprint(i)},
		}
		if _, err := p.client.CoreV1().ConfigMaps(p.namespace).Create(ctx, configMap, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := outcomes.Eventually(ctx, func() error {
		_, err := p.client.CoreV1().ServiceAccounts(p.namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("the default ServiceAccount: %w", err)
	}
	if _, err := p.client.CoreV1().Pods(p.namespace).Create(ctx, aPod("alone"), metav1.CreateOptions{}); err != nil {
		return err
	}
	made, err := p.client.AppsV1().Deployments(p.namespace).Create(ctx, aDeployment("web"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if made.Spec.Strategy.RollingUpdate == nil || made.Spec.Strategy.RollingUpdate.MaxSurge.String() != "25%" {
		return fmt.Errorf("the Deployment has no defaults: %v", made.Spec.Strategy)
	}
	return outcomes.Eventually(ctx, func() error {
		sets, err := p.client.AppsV1().ReplicaSets(p.namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		if err == nil && len(sets.Items) != 1 {
			err = fmt.Errorf("the Deployment has %d ReplicaSets", len(sets.Items))
		}
		return err
	})
}

func (p *program) list(ctx context.Context) error {
	options := metav1.ListOptions{LabelSelector: "set=many", Limit: pageSize}
	names := map[string]bool{}
	var pages []int
	var resourceVersion string
	for {
		page, err := p.client.CoreV1().ConfigMaps(p.namespace).List(ctx, options)
		if err != nil {
			return err
		}
		if resourceVersion != "" && page.ResourceVersion != resourceVersion {
			return fmt.Errorf("pages are of %s and %s", resourceVersion, page.ResourceVersion)
		}
		resourceVersion = page.ResourceVersion
		for _, item := range page.Items {
			names[item.Name] = true
		}
		pages = append(pages, len(page.Items))
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
	}
	if len(names) != manyConfigMaps || fmt.Sprint(pages) != "[10 10 5]" {
		return fmt.Errorf("%d names on pages of %v", len(names), pages)
	}
	all, err := p.client.CoreV1().ConfigMaps(p.namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=many-07"})
	if err == nil && len(all.Items) != 1 {
		err = fmt.Errorf("the field selector chose %d objects", len(all.Items))
	}
	return err
}

func (p *program) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// What is left is of no use to anybody; the server goes away too.
	_ = p.client.CoreV1().Namespaces().Delete(ctx, p.namespace, metav1.DeleteOptions{})
}

func aDeployment(name string) *appsv1.Deployment {
	replicas := int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.invalid/main:1"}}},
			},
		},
	}
}

func aPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.invalid/main:1"}}},
	}
}

var errUnexpected = errors.New("it was let through")
