import { type FlagGroup, flagsOf, type UpstreamFlag } from './verdict.ts';

/** What kube-controller-manager and kube-scheduler have in common: they are programs that serve, log and connect. */
const shared: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'for the process: one port, one log',
    flags: 'bind-address help? http2-max-streams-per-connection logging-format v',
  },
  {
    verdict: 'accepted',
    why: 'it is a part of the server and asks it without a network, so that there is nothing to slow down or encode',
    flags: 'kube-api-burst kube-api-content-type kube-api-qps',
  },
  {
    verdict: 'accepted',
    why: 'how logs are buffered and split changes nothing that is written',
    flags: `log-flush-frequency log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size
      log-text-split-stream? vmodule`,
  },
  {
    verdict: 'accepted',
    why: "there is no profiler of Go's; Node's own are asked for on Node's command line",
    flags: 'contention-profiling? profiling?',
  },
  {
    verdict: 'accepted',
    why: 'its metrics are at the server, where their number is bounded for all',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'with an embedded store there is nobody to compete with, and on etcd processes always do, for the leases of upstream',
    flags: 'leader-elect? leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace',
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: 'leader-elect-lease-duration leader-elect-renew-deadline leader-elect-retry-period',
  },
  {
    verdict: 'refused',
    why: 'it has no port of its own: who may scrape or probe it is decided by the server',
    flags: `authentication-kubeconfig authentication-skip-lookup? authentication-token-webhook-cache-ttl
      authentication-tolerate-lookup-failure? authorization-always-allow-paths authorization-kubeconfig
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl cert-dir client-ca-file
      disable-http2-serving? permit-address-sharing? permit-port-sharing? requestheader-allowed-names
      requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
      requestheader-uid-headers requestheader-username-headers secure-port tls-cert-file tls-cipher-suites
      tls-curve-preferences tls-min-version tls-private-key-file tls-sni-cert-key`,
  },
  {
    verdict: 'refused',
    why: 'it works on the server that it is a part of; run the original program beside "keelson apiserver" to work on it',
    flags: 'kubeconfig master',
  },
  {
    verdict: 'refused',
    why: 'it is Kubernetes 1.36 that is served, with the features that are on by default',
    flags: 'emulated-version=1.36 feature-gates min-compatibility-version=1.35',
  },
  { verdict: 'refused', why: 'all metrics are shown', flags: 'disabled-metrics' },
  { verdict: 'refused', why: '"keelson version" tells it', flags: 'version' },
];

const controllerManager: readonly FlagGroup[] = [
  ...shared,
  { verdict: 'obeyed', why: 'for server and controllers alike', flags: 'service-cluster-ip-range' },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `concurrent-cron-job-syncs concurrent-device-taint-eviction-syncs concurrent-resourceclaim-syncs concurrent-daemonset-syncs concurrent-deployment-syncs concurrent-endpoint-syncs
      concurrent-ephemeralvolume-syncs concurrent-gc-syncs concurrent-horizontal-pod-autoscaler-syncs concurrent-job-syncs
      concurrent-namespace-syncs concurrent-rc-syncs concurrent-replicaset-syncs concurrent-resource-quota-syncs
      concurrent-service-endpoint-syncs concurrent-service-syncs concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs
      concurrent-ttl-after-finished-syncs concurrent-validating-admission-policy-status-syncs mirroring-concurrent-service-endpoint-syncs
      allocate-node-cidrs? cluster-cidr cluster-signing-duration disable-force-detach-on-timeout? enable-dynamic-provisioning?
      horizontal-pod-autoscaler-cpu-initialization-period horizontal-pod-autoscaler-downscale-stabilization
      horizontal-pod-autoscaler-initial-readiness-delay horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance
      large-cluster-size-threshold
      legacy-service-account-token-clean-up-period node-cidr-mask-size node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period node-monitor-period
      node-startup-grace-period pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath pv-recycler-minimum-timeout-nfs
      pv-recycler-timeout-increment-hostpath pvclaimbinder-sync-period resource-quota-sync-period secondary-node-eviction-rate terminated-pod-gc-threshold
      unhealthy-zone-threshold`,
  },
  { verdict: 'obeyed', why: 'as upstream; true stands for all, and false for none', flags: 'controllers' },
  {
    verdict: 'accepted',
    why: 'all begin at once, and stop at once',
    flags: 'controller-shutdown-timeout controller-start-interval',
  },
  {
    verdict: 'accepted',
    why: 'caches are told of every change and need no rounds',
    flags: 'min-resync-period namespace-sync-period',
  },
  {
    verdict: 'accepted',
    why: 'changes are gathered for as long as a write is under way, and no longer',
    flags: `endpoint-updates-batch-period endpointslice-updates-batch-period
      mirroring-endpointslice-updates-batch-period`,
  },
  {
    verdict: 'accepted',
    why: 'what is attached is known from VolumeAttachments, and never has to be compared anew',
    flags: 'attach-detach-reconcile-sync-period disable-attach-detach-reconcile-sync?',
  },
  {
    verdict: 'accepted',
    why: 'it is about a controller that is not there yet',
    flags: `enable-hostpath-provisioner?
      external-cloud-volume-plugin flex-volume-plugin-dir pv-recycler-pod-template-filepath-hostpath
      pv-recycler-pod-template-filepath-nfs `,
  },
  {
    verdict: 'refused',
    why: 'there is no cloud',
    flags: `cidr-allocator-type=RangeAllocator cloud-config cloud-provider configure-cloud-routes?=false route-reconciliation-period enable-leader-migration?=false leader-migration-config`,
  },
  {
    verdict: 'refused',
    why: 'it is the default that is in force, and no other value can be chosen',
    flags:
      'cluster-name=kubernetes enable-garbage-collector?=true max-endpoints-per-slice=100 mirroring-max-endpoints-per-subset=1000',
  },
  {
    verdict: 'refused',
    why: "the cluster's own authority signs, whose pair is ca.crt and ca.key among its keys",
    flags: `cluster-signing-cert-file cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file
      cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file
      cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file
      cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file
      cluster-signing-legacy-unknown-key-file`,
  },
  {
    verdict: 'refused',
    why: "the server's own keys are used: pods are given its authority, and Secrets tokens that it signs",
    flags: 'root-ca-file service-account-private-key-file',
  },
  {
    verdict: 'refused',
    why: 'each controller asks as its service account, and no flag changes it',
    flags: 'use-service-account-credentials?=true',
  },
];

const scheduler: readonly FlagGroup[] = [
  ...shared,
  {
    verdict: 'refused',
    why: 'the file is named by --scheduler-config; "keelson scheduler" takes the flag itself',
    flags: 'config write-config-to',
  },
  {
    verdict: 'refused',
    why: 'it is the default that is in force, and no other value can be chosen',
    flags: 'pod-max-in-unschedulable-pods-duration=5m|5m0s',
  },
];

/** What is another matter where it is a program of its own. */
const apart: readonly FlagGroup[] = [
  {
    verdict: 'accepted',
    why: 'answers come as JSON, whichever form is asked for',
    flags: 'kube-api-content-type',
  },
  {
    verdict: 'accepted',
    why: 'its own metrics have few labels, whose number is bounded',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'the kubeconfig that it works with is also the one that it asks who may scrape it',
    flags: 'authentication-kubeconfig authorization-kubeconfig',
  },
  {
    verdict: 'accepted',
    why: 'reviews are kept for 10 seconds',
    flags: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl`,
  },
  {
    verdict: 'accepted',
    why: 'a certificate that is not given is made in memory, and those of clients are checked as the cluster says',
    flags: 'cert-dir',
  },
  {
    verdict: 'refused',
    why: "whom to believe is read from the cluster's ConfigMap extension-apiserver-authentication",
    flags: `authentication-skip-lookup?=false authentication-tolerate-lookup-failure? client-ca-file requestheader-allowed-names
      requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
      requestheader-username-headers`,
  },
  {
    verdict: 'refused',
    why: "its port for probes and scrapes is Node's, with Node's defaults",
    flags: `disable-http2-serving? http2-max-streams-per-connection permit-address-sharing? permit-port-sharing? tls-cipher-suites
      tls-curve-preferences tls-min-version tls-sni-cert-key`,
  },
  {
    verdict: 'refused',
    why: 'addresses of Services are the business of the API server',
    flags: 'service-cluster-ip-range',
  },
  {
    verdict: 'refused',
    why: 'one authority signs for all signers: --cluster-signing-cert-file',
    flags: `cluster-signing-kube-apiserver-client-cert-file cluster-signing-kube-apiserver-client-key-file
      cluster-signing-kubelet-client-cert-file cluster-signing-kubelet-client-key-file
      cluster-signing-kubelet-serving-cert-file cluster-signing-kubelet-serving-key-file
      cluster-signing-legacy-unknown-cert-file cluster-signing-legacy-unknown-key-file`,
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `authorization-always-allow-paths cluster-signing-cert-file cluster-signing-key-file controllers kube-api-burst
      kube-api-qps kubeconfig leader-elect? leader-elect-lease-duration leader-elect-renew-deadline
      leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period
      master root-ca-file secure-port service-account-private-key-file tls-cert-file tls-private-key-file
      use-service-account-credentials?`,
  },
];

/** Every flag of kube-controller-manager 1.36, for `keelson controller-manager`. */
export const controllerManagerApartFlags = overridden(flagsOf(controllerManager), flagsOf(apart));

/** Every flag of kube-controller-manager 1.36. */
export const controllerManagerFlags = flagsOf(controllerManager);

/** Every flag of kube-scheduler 1.36. */
export const schedulerFlags = flagsOf(scheduler);

const schedulerApart: readonly FlagGroup[] = [
  ...apart,
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: 'config pod-max-in-unschedulable-pods-duration write-config-to',
  },
];

/** Every flag of kube-scheduler 1.36, for `keelson scheduler`. */
export const schedulerApartFlags = overridden(schedulerFlags, flagsOf(schedulerApart));

/** The flags, those of the second list as it has them. */
function overridden(flags: readonly UpstreamFlag[], others: readonly UpstreamFlag[]): readonly UpstreamFlag[] {
  const byName = new Map(others.map((flag) => [flag.name, flag]));
  return flags.map((flag) => byName.get(flag.name) ?? flag);
}
