import { sharedVerdicts, standaloneVerdicts } from '../shared-verdicts.ts';
import { type FlagGroup, flagsOf, overridden } from '../upstream-flag.ts';

const groups: readonly FlagGroup[] = [
  ...sharedVerdicts,
  { verdict: 'obeyed', why: 'for the API server and the controllers', flags: 'service-cluster-ip-range' },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `concurrent-cron-job-syncs concurrent-device-taint-eviction-syncs concurrent-resourceclaim-syncs concurrent-daemonset-syncs concurrent-deployment-syncs concurrent-endpoint-syncs
      concurrent-ephemeralvolume-syncs concurrent-gc-syncs concurrent-horizontal-pod-autoscaler-syncs concurrent-job-syncs
      concurrent-namespace-syncs concurrent-rc-syncs concurrent-replicaset-syncs concurrent-resource-quota-syncs
      concurrent-service-endpoint-syncs concurrent-service-syncs concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs
      concurrent-ttl-after-finished-syncs concurrent-validating-admission-policy-status-syncs mirroring-concurrent-service-endpoint-syncs
      allocate-node-cidrs? cluster-cidr cluster-signing-duration disable-force-detach-on-timeout? enable-dynamic-provisioning? flex-volume-plugin-dir
      horizontal-pod-autoscaler-cpu-initialization-period horizontal-pod-autoscaler-downscale-stabilization
      horizontal-pod-autoscaler-initial-readiness-delay horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance
      large-cluster-size-threshold
      legacy-service-account-token-clean-up-period node-cidr-mask-size node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period node-monitor-period
      node-startup-grace-period pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath pv-recycler-minimum-timeout-nfs
      pv-recycler-timeout-increment-hostpath pvclaimbinder-sync-period resource-quota-sync-period secondary-node-eviction-rate terminated-pod-gc-threshold
      unhealthy-zone-threshold`,
  },
  { verdict: 'obeyed', why: 'as upstream; true means all, and false none', flags: 'controllers' },
  {
    verdict: 'accepted',
    why: 'all controllers start at once and stop at once',
    flags: 'controller-shutdown-timeout controller-start-interval',
  },
  {
    verdict: 'accepted',
    why: 'caches receive every change by watch, so there is no resync',
    flags: 'min-resync-period namespace-sync-period',
  },
  {
    verdict: 'accepted',
    why: 'changes are batched only while a write is in flight',
    flags: `endpoint-updates-batch-period endpointslice-updates-batch-period
      mirroring-endpointslice-updates-batch-period`,
  },
  {
    verdict: 'accepted',
    why: 'the state of attachments comes from VolumeAttachments, so there is no reconciliation with nodes',
    flags: 'attach-detach-reconcile-sync-period disable-attach-detach-reconcile-sync?',
  },
  {
    verdict: 'refused',
    why: 'only external provisioners make volumes',
    flags: 'enable-hostpath-provisioner?=false',
  },
  {
    verdict: 'refused',
    why: 'volumes are scrubbed by pods with the built-in template',
    flags: 'pv-recycler-pod-template-filepath-hostpath= pv-recycler-pod-template-filepath-nfs=',
  },
  {
    verdict: 'refused',
    why: 'there is no cloud provider',
    flags: `cidr-allocator-type=RangeAllocator external-cloud-volume-plugin= cloud-config cloud-provider configure-cloud-routes?=false route-reconciliation-period enable-leader-migration?=false leader-migration-config`,
  },
  {
    verdict: 'refused',
    why: 'the default is used; no other value is supported',
    flags:
      'cluster-name=kubernetes enable-garbage-collector?=true max-endpoints-per-slice=100 mirroring-max-endpoints-per-subset=1000',
  },
  {
    verdict: 'refused',
    why: "the cluster's authority signs, with ca.crt and ca.key of its key folder",
    flags: `cluster-signing-cert-file cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file
      cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file
      cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file
      cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file
      cluster-signing-legacy-unknown-key-file`,
  },
  {
    verdict: 'refused',
    why: "the API server's keys are used: it signs tokens, and pods get its authority",
    flags: 'root-ca-file service-account-private-key-file',
  },
  {
    verdict: 'refused',
    why: 'each controller always uses its service account',
    flags: 'use-service-account-credentials?=true',
  },
];

/** Every flag of kube-controller-manager 1.36, for `keelson up` and for the program alone. */
export const controllerManagerFlags = {
  inCluster: flagsOf(groups),
  standalone: overridden(flagsOf(groups), flagsOf(standaloneVerdicts)),
};
