//go:build tools

// Package draexampledriver names the program that is built from this module, so that go.mod has what it needs.
package draexampledriver

import (
	_ "sigs.k8s.io/dra-example-driver/cmd/dra-example-kubeletplugin"
)
