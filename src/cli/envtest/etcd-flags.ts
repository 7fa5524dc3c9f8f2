import type { FlagDefinitions } from '../flags.ts';
import { type FlagGroup, flagsOf } from '../../cluster/programs/index.ts';

/** The flags of etcd that take effect. */
export const etcdDefinitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    default: 'default.etcd',
    help: "Where Keelson's kube-apiserver keeps its objects",
  },
  'listen-client-urls': {
    type: 'string',
    multiple: true,
    value: 'URL,…',
    help: 'URLs to listen on (default http://localhost:2379)',
  },
  'unsafe-no-fsync': { type: 'boolean', help: 'Do not wait until the disk has what is written' },
};

const groups: readonly FlagGroup[] = [
  {
    verdict: 'accepted',
    why: 'there is one member, without peers',
    flags: `name listen-peer-urls initial-advertise-peer-urls advertise-client-urls initial-cluster initial-cluster-state
      initial-cluster-token discovery-token discovery-endpoints strict-reconfig-check? pre-vote? heartbeat-interval
      election-timeout initial-election-tick-advance? host-whitelist cors peer-auto-tls? socket-reuse-port?
      socket-reuse-address? grpc-keepalive-min-time grpc-keepalive-interval grpc-keepalive-timeout max-concurrent-streams
      raft-read-timeout raft-write-timeout`,
  },
  {
    verdict: 'accepted',
    why: 'the store of Keelson looks after its files itself',
    flags: `snapshot-count snapshot-catchup-entries max-snapshots max-wals wal-dir quota-backend-bytes backend-bbolt-freelist-type
      backend-batch-interval backend-batch-limit max-txn-ops max-request-bytes auto-compaction-mode
      auto-compaction-retention compaction-batch-limit compaction-sleep-interval compact-hash-check-enabled?
      compact-hash-check-time corrupt-check-time bootstrap-defrag-threshold-megabytes max-learners force-new-cluster?
      watch-progress-notify-interval memory-mlock? warning-apply-duration warning-unary-request-duration
      downgrade-check-time feature-gates`,
  },
  {
    verdict: 'accepted',
    why: 'nothing is logged, and there is nothing to measure',
    flags: `logger log-level log-outputs log-format enable-log-rotation? log-rotation-config-json metrics
      listen-metrics-urls enable-pprof? enable-grpc-gateway? listen-client-http-urls enable-distributed-tracing?`,
  },
  {
    verdict: 'refused',
    why: 'it answers without TLS, to every process on this machine',
    flags: `cert-file key-file client-cert-auth?=false trusted-ca-file auto-tls?=false client-crl-file cipher-suites
      tls-min-version tls-max-version client-cert-allowed-hostname`,
  },
];

/** The other flags of etcd, which are accepted or rejected. */
export const etcdFlags = flagsOf(groups);
