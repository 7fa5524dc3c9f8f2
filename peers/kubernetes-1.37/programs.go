//go:build peers

// Package kubernetes keeps the kube-apiserver of Kubernetes 1.37 among this module's requirements.
package kubernetes

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
