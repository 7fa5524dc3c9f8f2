package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"keelson/interop/outcomes"
)

// What is done to the cluster while the operator runs, and what is expected of it. `direct` reads without a cache.
type scenario struct {
	config    *rest.Config
	direct    client.Client
	namespace string
	leader    *operator
}

func (s *scenario) create(ctx context.Context) error {
	if err := s.direct.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}); err != nil {
		return err
	}
	for i := range 25 {
		configMap := s.configMap(fmt.Sprintf("many-%02d", i))
		configMap.Labels = map[string]string{"set": "many"}
		if err := s.direct.Create(ctx, configMap); err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) list(ctx context.Context) error {
	var page corev1.ConfigMapList
	var sizes []int
	for {
		options := []client.ListOption{client.InNamespace(s.namespace), client.MatchingLabels{"set": "many"}, client.Limit(10), client.Continue(page.Continue)}
		page = corev1.ConfigMapList{}
		if err := s.direct.List(ctx, &page, options...); err != nil {
			return err
		}
		sizes = append(sizes, len(page.Items))
		if page.Continue == "" {
			break
		}
	}
	if fmt.Sprint(sizes) != "[10 10 5]" {
		return fmt.Errorf("pages are of %v", sizes)
	}
	return nil
}

func (s *scenario) lead(ctx context.Context) (err error) {
	if s.leader, err = startOperator(s.config, s.namespace); err != nil {
		return err
	}
	select {
	case <-s.leader.elected:
		return nil
	case err := <-s.leader.ended:
		return fmt.Errorf("the operator ended: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("the operator was never elected")
	}
}

// A ConfigMap gets its finalizer, its Deployment with an owner, a note and an event.
func (s *scenario) reconcile(ctx context.Context) error {
	wish := s.configMap("wish")
	wish.Labels = map[string]string{"wants": "web"}
	wish.Data = map[string]string{"replicas": "1"}
	if err := s.direct.Create(ctx, wish); err != nil {
		return err
	}
	if err := outcomes.Eventually(ctx, func() error { return s.isProvided(ctx, "wish", 1) }); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error {
		var recorded eventsv1.EventList
		if err := s.direct.List(ctx, &recorded, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		for _, event := range recorded.Items {
			if event.Reason == "Provided" && event.Regarding.Name == "wish" && event.Related != nil {
				return nil
			}
		}
		return fmt.Errorf("none of %d events tells of it", len(recorded.Items))
	})
}

// The Deployment is taken away by another; the operator sees it and makes a new one.
func (s *scenario) watch(ctx context.Context) error {
	first, err := s.deployment(ctx, "wish")
	if err != nil {
		return err
	}
	if err := s.direct.Delete(ctx, first, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error {
		second, err := s.deployment(ctx, "wish")
		if err == nil && second.UID == first.UID {
			err = fmt.Errorf("the old Deployment is still there")
		}
		return err
	})
}

func (s *scenario) mergePatch(ctx context.Context) error {
	wish := s.configMap("wish")
	if err := s.direct.Get(ctx, client.ObjectKeyFromObject(wish), wish); err != nil {
		return err
	}
	before := wish.DeepCopy()
	wish.Data["replicas"] = "2"
	if err := s.direct.Patch(ctx, wish, client.MergeFrom(before)); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error { return s.isProvided(ctx, "wish", 2) })
}

func (s *scenario) strategicPatch(ctx context.Context) error {
	deployment, err := s.deployment(ctx, "wish")
	if err != nil {
		return err
	}
	before := deployment.DeepCopy()
	containers := &deployment.Spec.Template.Spec.Containers
	*containers = append(*containers, corev1.Container{Name: "sidecar", Image: "registry.invalid/sidecar:1"})
	if err := s.direct.Patch(ctx, deployment, client.StrategicMergeFrom(before)); err != nil {
		return err
	}
	if count := len(deployment.Spec.Template.Spec.Containers); count != 2 {
		return fmt.Errorf("there are %d containers", count)
	}
	return nil
}

func (s *scenario) apply(ctx context.Context) error {
	wanted := coreapply.ConfigMap("applied", s.namespace).WithData(map[string]string{"mine": "1"})
	if err := s.direct.Apply(ctx, wanted, client.FieldOwner("first")); err != nil {
		return err
	}
	other := coreapply.ConfigMap("applied", s.namespace).WithData(map[string]string{"mine": "2"})
	if err := s.direct.Apply(ctx, other, client.FieldOwner("second")); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict between the managers: %v", err)
	}
	return s.direct.Apply(ctx, other, client.FieldOwner("second"), client.ForceOwnership)
}

// The finalizer holds the ConfigMap until the operator has seen it; the Deployment goes with its owner.
func (s *scenario) delete(ctx context.Context) error {
	if err := s.direct.Delete(ctx, s.configMap("wish")); err != nil {
		return err
	}
	return outcomes.Eventually(ctx, func() error {
		wish := s.configMap("wish")
		if err := s.direct.Get(ctx, client.ObjectKeyFromObject(wish), wish); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the ConfigMap is there with finalizers %v: %v", wish.Finalizers, err)
		}
		if _, err := s.deployment(ctx, "wish"); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Deployment is there: %v", err)
		}
		return nil
	})
}

// A second replica waits, and leads once the first has let go of the Lease.
func (s *scenario) handOver(ctx context.Context) error {
	if s.leader == nil {
		return fmt.Errorf("nobody leads")
	}
	second, err := startOperator(s.config, s.namespace)
	if err != nil {
		return err
	}
	defer second.stop()
	select {
	case <-second.elected:
		return fmt.Errorf("two lead at once")
	case <-time.After(3 * time.Second):
	}
	s.leader.stop()
	select {
	case <-second.elected:
	case err := <-second.ended:
		return fmt.Errorf("the second operator ended: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("the second operator was never elected")
	}
	var lease coordinationv1.Lease
	return s.direct.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "operator"}, &lease)
}

func (s *scenario) isProvided(ctx context.Context, name string, replicas int32) error {
	deployment, err := s.deployment(ctx, name)
	if err != nil {
		return err
	}
	wish := s.configMap(name)
	if err := s.direct.Get(ctx, client.ObjectKeyFromObject(wish), wish); err != nil {
		return err
	}
	if *deployment.Spec.Replicas != replicas || wish.Annotations["provided"] != fmt.Sprint(replicas) || len(wish.Finalizers) != 1 {
		return fmt.Errorf("replicas %d, annotations %v, finalizers %v", *deployment.Spec.Replicas, wish.Annotations, wish.Finalizers)
	}
	if !metav1.IsControlledBy(deployment, wish) {
		return fmt.Errorf("the Deployment is not controlled by the ConfigMap")
	}
	return nil
}

func (s *scenario) deployment(ctx context.Context, name string) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{}
	return deployment, s.direct.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, deployment)
}

func (s *scenario) configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
}

func (s *scenario) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// What is left is of no use to anybody; the server goes away too.
	_ = s.direct.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
}
