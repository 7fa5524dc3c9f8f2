//go:build peers

// Package etcd keeps etcd's programs among this module's requirements.
package etcd

import (
	_ "go.etcd.io/etcd/etcdctl/v3"
	_ "go.etcd.io/etcd/server/v3"
)
