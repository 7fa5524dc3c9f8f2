package testenv

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// startCluster starts a cluster that ends with the test.
func startCluster(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	command := exec.Command("npx", "keelson", "test-env")
	if program := os.Getenv("KEELSON"); program != "" {
		command = exec.Command(program, "test-env")
	}
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait()
	})
	kubeconfig, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	return kubernetes.NewForConfigOrDie(config)
}

func TestDeploymentBecomesReady(t *testing.T) {
	t.Parallel()
	client := startCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	labels := map[string]string{"app": "web"}
	web := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	}
	if _, err := client.AppsV1().Deployments("default").Create(ctx, web, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	watch, err := client.AppsV1().Deployments("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		if deployment, ok := event.Object.(*appsv1.Deployment); ok && deployment.Status.ReadyReplicas == 1 {
			return
		}
	}
	t.Fatal("the Deployment did not become ready")
}

func TestClustersAreApart(t *testing.T) {
	t.Parallel()
	client := startCluster(t)
	deployments, err := client.AppsV1().Deployments("default").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(deployments.Items) != 0 {
		t.Fatal(deployments, err)
	}
}
