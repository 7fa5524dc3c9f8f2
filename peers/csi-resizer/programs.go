//go:build tools

// Package csiresizer names the programs that are built from this module, so that go.mod has what they need.
package csiresizer

import (
	_ "github.com/kubernetes-csi/external-resizer/cmd/csi-resizer"
)
