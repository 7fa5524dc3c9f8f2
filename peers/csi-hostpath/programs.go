//go:build tools

// Package csihostpath names the programs that are built from this module, so that go.mod has what they need.
package csihostpath

import (
	_ "github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin"
)
