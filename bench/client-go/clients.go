package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Objects that gets, lists and selectors find.
const (
	standing       = "client-go-standing"
	standingCount  = 500
	standingGroups = 50
)

var text = strings.Repeat("x", 600)

// newClients makes clients that share nothing: each has a transport, and so a connection, of its own, which is open afterwards.
func newClients(ctx context.Context, o *options, count int) ([]*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.ContentType = "application/json"
	if o.encoding == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	clients := make([]*kubernetes.Clientset, count)
	err = inTurns(count, 16, func(index int) error {
		own := rest.CopyConfig(config)
		own.Dial = (&net.Dialer{}).DialContext // client-go shares a transport only without a custom dialer
		client, err := kubernetes.NewForConfig(own)
		if err != nil {
			return err
		}
		clients[index] = client
		// The first request alone: several at once on a new transport would open several connections.
		_, err = client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return clients, err
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"text": text}}
}

func standingName(index int) string {
	return fmt.Sprintf("standing-%d", index)
}

// makeStanding makes sure that the namespace has its objects.
func makeStanding(ctx context.Context, client *kubernetes.Clientset) error {
	if err := makeNamespace(ctx, client, standing); err != nil {
		return err
	}
	last := standingName(standingCount - 1)
	if _, err := client.CoreV1().ConfigMaps(standing).Get(ctx, last, metav1.GetOptions{}); !errors.IsNotFound(err) {
		return err // the load before this one has made them
	}
	return inTurns(standingCount, 16, func(index int) error {
		object := configMap(standingName(index))
		object.Labels = map[string]string{"group": fmt.Sprintf("g%d", index%standingGroups)}
		_, err := client.CoreV1().ConfigMaps(standing).Create(ctx, object, metav1.CreateOptions{})
		return err
	})
}

func makeNamespace(ctx context.Context, client *kubernetes.Clientset, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	return unlessThere(err)
}

func unlessThere(err error) error {
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// inTurns does the work for every index, with limited concurrency, until one fails.
func inTurns(count, workers int, work func(index int) error) error {
	var next atomic.Int64
	failures := make(chan error, workers)
	for range workers {
		go func() {
			for {
				index := int(next.Add(1)) - 1
				if index >= count {
					failures <- nil
					return
				}
				if err := work(index); err != nil {
					next.Store(int64(count))
					failures <- err
					return
				}
			}
		}()
	}
	var first error
	for range workers {
		if err := <-failures; err != nil && first == nil {
			first = err
		}
	}
	return first
}
