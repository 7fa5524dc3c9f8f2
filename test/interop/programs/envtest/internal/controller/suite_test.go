package controller

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	demov1 "keelson/envtest/api/v1"
	greetingwebhook "keelson/envtest/internal/webhook"
)

var (
	testEnv   *envtest.Environment
	cfg       *rest.Config
	k8sClient client.Client
	cancel    context.CancelFunc
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	var ctx context.Context
	ctx, cancel = context.WithCancel(context.Background())

	By("starting the control plane")
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{filepath.Join("..", "..", "config", "webhook")}},
	}
	Expect(demov1.AddToScheme(scheme.Scheme)).To(Succeed())
	began := time.Now()
	var err error
	cfg, err = testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	fmt.Printf("envtest started in %d ms\n", time.Since(began).Milliseconds())

	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())

	By("starting the manager with its webhooks")
	install := testEnv.WebhookInstallOptions
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  scheme.Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: install.LocalServingHost, Port: install.LocalServingPort, CertDir: install.LocalServingCertDir,
		}),
	})
	Expect(err).NotTo(HaveOccurred())
	Expect((&GreetingReconciler{Client: manager.GetClient(), Scheme: manager.GetScheme()}).SetupWithManager(manager)).To(Succeed())
	Expect(greetingwebhook.SetupWithManager(manager)).To(Succeed())
	go func() {
		defer GinkgoRecover()
		Expect(manager.Start(ctx)).To(Succeed())
	}()
	address := fmt.Sprintf("%s:%d", install.LocalServingHost, install.LocalServingPort)
	Eventually(func() error {
		connection, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err
		}
		return connection.Close()
	}).WithTimeout(10 * time.Second).Should(Succeed())
})

var _ = AfterSuite(func() {
	cancel()
	began := time.Now()
	Expect(testEnv.Stop()).To(Succeed())
	fmt.Printf("envtest stopped in %d ms\n", time.Since(began).Milliseconds())
})
