package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stayIdle opens connections, and watches on them that see nothing, and keeps them.
func stayIdle(ctx context.Context, o *options, tell func(any)) error {
	clients, err := newClients(ctx, o, o.clients)
	if err != nil {
		return err
	}
	if err := inTurns(o.clients*o.watches, 32, func(index int) error {
		_, err := clients[index%o.clients].CoreV1().ConfigMaps("nothing-here").Watch(ctx, metav1.ListOptions{})
		return err
	}); err != nil {
		return err
	}
	tell(struct{}{})
	return nil
}
