//go:build tools

// Package csisnapshotter names the programs that are built from this module, so that go.mod has what they need.
package csisnapshotter

import (
	_ "github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter"
	_ "github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller"
)
