//go:build tools

// Package hellopopulator names the program that is built from this module, so that go.mod has what it needs.
package hellopopulator

import (
	_ "github.com/kubernetes-csi/lib-volume-populator/example/hello-populator"
)
