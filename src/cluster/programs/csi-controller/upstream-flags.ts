import { type FlagGroup, flagsOf, type UpstreamFlag } from '../upstream-flag.ts';

/** The flags of external-provisioner, external-attacher, external-resizer, csi-snapshotter and snapshot-controller. */
const groups: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'as upstream, for the work of all sidecars',
    flags: `capacity-for-immediate-binding? capacity-ownerref-level
      capacity-poll-interval controller-publish-readonly? csi-address default-fstype
      enable-capacity? enable-distributed-snapshotting? extra-create-metadata? extra-modify-metadata? feature-gates groupsnapshot-name-prefix
      groupsnapshot-name-uuid-length handle-volume-inuse-error? http-endpoint
      immediate-topology? kube-api-burst kube-api-qps kubeconfig leader-election? leader-election-lease-duration
      leader-election-namespace leader-election-renew-deadline leader-election-retry-period master
      node-deployment? node-deployment-base-delay node-deployment-immediate-binding? node-deployment-max-delay
      prevent-volume-mode-conversion? reconcile-sync retry-interval-max retry-interval-start snapshot-name-prefix
      snapshot-name-uuid-length strict-topology? timeout v volume-name-prefix volume-name-uuid-length worker-threads`,
  },
  {
    verdict: 'obeyed',
    why: "prints Kubernetes' version, with Keelson's own after the plus; a version as value is checked only",
    flags: 'version',
  },
  {
    verdict: 'accepted',
    why: 'objects are watched and never listed again without a reason',
    flags: 'resync resync-period',
  },
  {
    verdict: 'accepted',
    why: 'one process waits for many answers at once',
    flags: 'capacity-threads cloning-protection-threads workers automaxprocs?',
  },
  {
    verdict: 'accepted',
    why: 'one rate limit holds for all requests',
    flags: 'kube-api-capacity-burst kube-api-capacity-qps',
  },
  {
    verdict: 'accepted',
    why: 'pages of lists have 1,000 entries',
    flags: 'max-entries',
  },
  {
    verdict: 'accepted',
    why: 'a snapshot is released as soon as the volume that was made of it exists',
    flags: 'snapshot-orphan-sweep-interval',
  },
  {
    verdict: 'accepted',
    why: 'it waits for the kinds of snapshots as long as it takes',
    flags: 'retry-crd-interval-max',
  },
  {
    verdict: 'accepted',
    why: 'messages of drivers are not logged',
    flags: 'max-grpc-log-length',
  },
  {
    verdict: 'accepted',
    why: 'logs go to the standard error, unbuffered',
    flags: 'alsologtostderr? logtostderr? stderrthreshold vmodule',
  },
  {
    verdict: 'refused',
    why: 'use --http-endpoint, which serves /metrics',
    flags: 'metrics-address metrics-path=/metrics',
  },
  {
    verdict: 'refused',
    why: "there is no Go profiler; Node's profilers are options of Node's command line",
    flags: 'enable-pprof?=false',
  },
];

export const sidecarFlags: readonly UpstreamFlag[] = flagsOf(groups);
