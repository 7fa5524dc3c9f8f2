import { fieldVerdicts } from '../settings/flag-texts.ts';
import { type FlagGroup, flagsOf, type UpstreamFlag } from '../upstream-flag.ts';
import { proxyConfiguration } from './settings/proxy-fields.ts';

/** Flags that set no field of the configuration. */
const groups: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags:
      'cleanup? config healthz-port help? hostname-override init-only? logging-format master metrics-port v write-config-to',
  },
  {
    verdict: 'obeyed',
    why: "prints Kubernetes' version, with Keelson's own after the plus; a version as value is checked only",
    flags: 'version',
  },
  {
    verdict: 'accepted',
    why: 'buffering and splitting do not change the contents of logs',
    flags: 'log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size log-text-split-stream? vmodule',
  },
  {
    verdict: 'accepted',
    why: 'it is a flag of cAdvisor, of which kube-proxy only uses the number of processors',
    flags: 'boot-id-file machine-id-file',
  },
];

/** Every flag of kube-proxy 1.36. Those that set a field have the field's verdict. */
export const proxyFlags: readonly UpstreamFlag[] = [...flagsOf(groups), ...fieldVerdicts(proxyConfiguration)].sort(
  (left, right) => (left.name < right.name ? -1 : 1),
);
