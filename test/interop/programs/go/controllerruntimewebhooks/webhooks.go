package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// The defaulter and the validator, as the builder takes them.
type checks struct{}

func (checks) Default(ctx context.Context, configMap *corev1.ConfigMap) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if configMap.Annotations == nil {
		configMap.Annotations = map[string]string{}
	}
	configMap.Annotations["interop/by"] = request.UserInfo.Username
	if configMap.Data == nil {
		configMap.Data = map[string]string{"size": "1"}
	}
	return nil
}

func (checks) ValidateCreate(_ context.Context, configMap *corev1.ConfigMap) (admission.Warnings, error) {
	if configMap.Data["size"] == "huge" {
		return nil, errors.New("huge is too large")
	}
	if configMap.Data["size"] == "large" {
		return admission.Warnings{"large is rather large"}, nil
	}
	return nil, nil
}

func (checks) ValidateUpdate(_ context.Context, old, configMap *corev1.ConfigMap) (admission.Warnings, error) {
	if old.Data["size"] != configMap.Data["size"] {
		return nil, errors.New("size may not change")
	}
	return nil, nil
}

func (checks) ValidateDelete(_ context.Context, configMap *corev1.ConfigMap) (admission.Warnings, error) {
	if configMap.Labels["kept"] == "yes" {
		return nil, errors.New("it is to be kept")
	}
	return nil, nil
}

// A webhook server in this process, and what API servers have to trust.
type served struct {
	authority []byte
	stop      context.CancelFunc
	ended     chan error
}

func startWebhooks(config *rest.Config, folder string, port int) (*served, error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	mgr, err := ctrl.NewManager(config, manager.Options{
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder}),
	})
	if err != nil {
		return nil, err
	}
	builder := ctrl.NewWebhookManagedBy(mgr, &corev1.ConfigMap{})
	if err := builder.WithDefaulter(checks{}).WithValidator(checks{}).Complete(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &served{authority: certificate, stop: stop, ended: make(chan error, 1)}
	go func() { s.ended <- mgr.Start(ctx) }()
	return s, nil
}
