package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Two candidates for one Lease: the first leads alone, and the second as soon as the first lets go.
func (p *program) lead(ctx context.Context) error {
	led := make(chan string, 2)
	firstContext, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	if err := p.candidate(firstContext, "first", led); err != nil {
		return err
	}
	if err := expectLeader(ctx, led, "first"); err != nil {
		return err
	}
	if err := p.candidate(ctx, "second", led); err != nil {
		return err
	}
	select {
	case name := <-led:
		return fmt.Errorf("%s leads too", name)
	case <-time.After(3 * time.Second):
	}
	stopFirst()
	if err := expectLeader(ctx, led, "second"); err != nil {
		return err
	}
	lease, err := p.client.CoordinationV1().Leases(p.namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
		return fmt.Errorf("the Lease names %s after %d transitions", *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions)
	}
	return nil
}

func (p *program) candidate(ctx context.Context, name string, led chan<- string) error {
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: p.namespace},
			Client:     p.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		LeaseDuration:   15 * time.Second,
		RenewDeadline:   10 * time.Second,
		RetryPeriod:     time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led <- name },
			OnStoppedLeading: func() {},
		},
	})
	if err == nil {
		go elector.Run(ctx)
	}
	return err
}

func expectLeader(ctx context.Context, led <-chan string, name string) error {
	select {
	case leader := <-led:
		if leader != name {
			return fmt.Errorf("%s leads instead of %s", leader, name)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s never led", name)
	}
}
