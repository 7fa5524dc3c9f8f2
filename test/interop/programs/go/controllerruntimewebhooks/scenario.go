package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"keelson/interop/outcomes"
)

const name = "interop-controller-runtime"

type scenario struct {
	config    *rest.Config
	direct    client.Client
	namespace string
	folder    string
	port      int
	served    *served
	mutex     sync.Mutex
	warnings  []string
}

// HandleWarningHeader notes what the server warns of.
func (s *scenario) HandleWarningHeader(_ int, _ string, text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.warnings = append(s.warnings, text)
}

func (s *scenario) serve(ctx context.Context) (err error) {
	if err = s.direct.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}); err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "interop-webhooks-"); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	s.served, err = startWebhooks(s.config, s.folder, s.port)
	return err
}

func (s *scenario) configure(ctx context.Context) error {
	clientConfig := func(path string) admissionv1.WebhookClientConfig {
		url := fmt.Sprintf("https://localhost:%d%s", s.port, path)
		return admissionv1.WebhookClientConfig{URL: &url, CABundle: s.served.authority}
	}
	rules := func(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
		rule := admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}
		return []admissionv1.RuleWithOperations{{Operations: operations, Rule: rule}}
	}
	none := admissionv1.SideEffectClassNone
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"checked": "yes"}}
	mutating := admissionv1.MutatingWebhook{
		Name: "default.interop.example.com", ClientConfig: clientConfig("/mutate--v1-configmap"), SideEffects: &none,
		Rules: rules(admissionv1.Create), AdmissionReviewVersions: []string{"v1"}, ObjectSelector: selector,
	}
	validating := admissionv1.ValidatingWebhook{
		Name: "validate.interop.example.com", ClientConfig: clientConfig("/validate--v1-configmap"), SideEffects: &none,
		Rules:                   rules(admissionv1.Create, admissionv1.Update, admissionv1.Delete),
		AdmissionReviewVersions: []string{"v1"}, ObjectSelector: selector,
	}
	meta := metav1.ObjectMeta{Name: name}
	mutatingConfiguration := &admissionv1.MutatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionv1.MutatingWebhook{mutating}}
	if err := s.direct.Create(ctx, mutatingConfiguration); err != nil {
		return err
	}
	validatingConfiguration := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionv1.ValidatingWebhook{validating}}
	return s.direct.Create(ctx, validatingConfiguration)
}

func (s *scenario) configMap(name, size string) *corev1.ConfigMap {
	labels := map[string]string{"checked": "yes"}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name, Labels: labels}}
	if size != "" {
		configMap.Data = map[string]string{"size": size}
	}
	return configMap
}

// A real server takes up to a second until a configuration counts, so this one is tried until it does.
func (s *scenario) defaults(ctx context.Context) error {
	attempt := 0
	return outcomes.Eventually(ctx, func() error {
		attempt++
		configMap := s.configMap(fmt.Sprintf("defaults-%d", attempt), "")
		if err := s.direct.Create(ctx, configMap); err != nil {
			return err
		}
		if configMap.Data["size"] != "1" || configMap.Annotations["interop/by"] == "" {
			return fmt.Errorf("data is %v and annotations are %v", configMap.Data, configMap.Annotations)
		}
		return nil
	})
}

func refusedWith(err error, message string) error {
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), message) {
		return fmt.Errorf("it was not refused with %q, but: %v", message, err)
	}
	return nil
}

func (s *scenario) refuseCreate(ctx context.Context) error {
	message := `admission webhook "validate.interop.example.com" denied the request: huge is too large`
	return refusedWith(s.direct.Create(ctx, s.configMap("huge", "huge")), message)
}

func (s *scenario) warn(ctx context.Context) error {
	if err := s.direct.Create(ctx, s.configMap("large", "large")); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.warnings) != 1 || s.warnings[0] != "large is rather large" {
		return fmt.Errorf("warnings are %v", s.warnings)
	}
	return nil
}

func (s *scenario) refuseUpdate(ctx context.Context) error {
	large := s.configMap("large", "")
	if err := s.direct.Get(ctx, client.ObjectKeyFromObject(large), large); err != nil {
		return err
	}
	large.Labels["kept"] = "yes"
	if err := s.direct.Update(ctx, large); err != nil {
		return err
	}
	large.Data["size"] = "small"
	return refusedWith(s.direct.Update(ctx, large), "size may not change")
}

func (s *scenario) refuseDelete(ctx context.Context) error {
	return refusedWith(s.direct.Delete(ctx, s.configMap("large", "")), "it is to be kept")
}

func (s *scenario) dryRun(ctx context.Context) error {
	configMap := s.configMap("dry", "")
	if err := s.direct.Create(ctx, configMap, client.DryRunAll); err != nil {
		return err
	}
	if configMap.Data["size"] != "1" {
		return fmt.Errorf("data is %v", configMap.Data)
	}
	err := s.direct.Get(ctx, client.ObjectKeyFromObject(configMap), configMap)
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("it is there: %v", err)
	}
	return nil
}

func (s *scenario) others(ctx context.Context) error {
	other := s.configMap("other", "huge")
	other.Labels = nil
	return s.direct.Create(ctx, other)
}

func (s *scenario) down(ctx context.Context) error {
	s.served.stop()
	if err := <-s.served.ended; err != nil {
		return err
	}
	err := s.direct.Create(ctx, s.configMap("late", ""))
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "connection refused") {
		return fmt.Errorf("it was not refused because of the webhook, but: %v", err)
	}
	return nil
}

// What is left is of no use to anybody; the server goes away too.
func (s *scenario) cleanUp() {
	ctx := context.Background()
	meta := metav1.ObjectMeta{Name: name}
	_ = s.direct.Delete(ctx, &admissionv1.MutatingWebhookConfiguration{ObjectMeta: meta})
	_ = s.direct.Delete(ctx, &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: meta})
	_ = s.direct.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
	_ = os.RemoveAll(s.folder)
}
