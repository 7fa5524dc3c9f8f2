//go:build tools

// Package csiprovisioner names the programs that are built from this module, so that go.mod has what they need.
package csiprovisioner

import (
	_ "github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner"
)
