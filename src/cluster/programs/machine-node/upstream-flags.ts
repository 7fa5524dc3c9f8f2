import { type FlagGroup, flagsOf, type UpstreamFlag } from '../upstream-flag.ts';
import { fieldVerdicts } from '../settings/flag-texts.ts';
import { kubeletConfiguration } from './settings/kubelet-fields.ts';

const CADVISOR = 'it is a flag of cAdvisor, whose work the container runtime and the kernel do here';

/** Flags that set no field of the configuration. */
const groups: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `bootstrap-kubeconfig cert-dir cloud-provider config config-dir help? hostname-override image-credential-provider-bin-dir image-credential-provider-config kubeconfig logging-format node-ip node-labels
      root-dir runtime-cgroups v`,
  },
  {
    verdict: 'obeyed',
    why: "prints Kubernetes' version, with Keelson's own after the plus; a version as value is checked only",
    flags: 'version',
  },
  {
    verdict: 'accepted',
    why: 'buffering and splitting do not change the contents of logs',
    flags: `log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size log-text-split-stream? vmodule`,
  },
  {
    verdict: 'accepted',
    why: CADVISOR,
    flags: `application-metrics-count-limit boot-id-file container-hints containerd containerd-namespace enable-load-reader?
      event-storage-age-limit event-storage-event-limit global-housekeeping-interval housekeeping-interval log-cadvisor-usage?
      machine-id-file storage-driver-buffer-duration storage-driver-db storage-driver-host storage-driver-password
      storage-driver-secure? storage-driver-table storage-driver-user`,
  },
  {
    verdict: 'accepted',
    why: 'the newest container that has ended is kept of each one, as a kubelet keeps it by default',
    flags: 'maximum-dead-containers maximum-dead-containers-per-container minimum-container-ttl-duration',
  },
  {
    verdict: 'refused',
    why: 'it is for tests of upstream, or deprecated there',
    flags: `exit-on-lock-contention?=false experimental-allocatable-ignore-eviction?=false experimental-mounter-path lock-file`,
  },
];

/** Every flag of kubelet 1.36. Those that set a field have the field's verdict. */
export const kubeletFlags: readonly UpstreamFlag[] = [...flagsOf(groups), ...fieldVerdicts(kubeletConfiguration)].sort(
  (left, right) => (left.name < right.name ? -1 : 1),
);
