// Package webhook defaults and checks Greetings.
package webhook

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	demov1 "keelson/envtest/api/v1"
)

// Greetings is both webhooks of the kind.
type Greetings struct{}

func SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &demov1.Greeting{}).
		WithDefaulter(Greetings{}).
		WithValidator(Greetings{}).
		Complete()
}

func (Greetings) Default(_ context.Context, greeting *demov1.Greeting) error {
	if greeting.Spec.Word == "" {
		greeting.Spec.Word = "Hello"
	}
	return nil
}

func (Greetings) ValidateCreate(_ context.Context, greeting *demov1.Greeting) (admission.Warnings, error) {
	return check(greeting)
}

func (Greetings) ValidateUpdate(_ context.Context, _, greeting *demov1.Greeting) (admission.Warnings, error) {
	return check(greeting)
}

func (Greetings) ValidateDelete(context.Context, *demov1.Greeting) (admission.Warnings, error) {
	return nil, nil
}

func check(greeting *demov1.Greeting) (admission.Warnings, error) {
	if greeting.Spec.Word == "Goodbye" {
		return nil, fmt.Errorf("a greeting cannot begin with %q", greeting.Spec.Word)
	}
	return nil, nil
}
