// `/etc/hosts` of containers, as the kubelet writes it.
import type { Observed, Pod } from '../../client/index.ts';
import { podFolder } from '../backend/volume-plugin.ts';
import type { ContainerSpec } from '../life/index.ts';
import { hostnameOf } from './sandbox-config.ts';

export const HOSTS_PATH = '/etc/hosts';

const LOCAL_ENTRIES = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** Where the file of a pod is on the machine. */
export function hostsFile(root: string, podUid: string): string {
  return `${podFolder(root, podUid)}/etc-hosts`;
}

/** False for containers that mount a volume at `/etc/hosts`. */
export function usesManagedHosts({ volumeMounts = [] }: ContainerSpec): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === HOSTS_PATH);
}

export interface HostsParts {
  readonly podIps: readonly string[];
  readonly clusterDomain: string;
  /** Content of the machine's `/etc/hosts`, for pods on the host network. */
  readonly machineHosts: string;
}

export function hostsContent(pod: Observed<Pod>, { podIps, clusterDomain, machineHosts }: HostsParts): string {
  const { hostNetwork = false, hostAliases = [], subdomain = '' } = pod.spec ?? {};
  const host = hostnameOf(pod);
  const domain = subdomain === '' ? '' : `${subdomain}.${pod.metadata.namespace ?? ''}.svc.${clusterDomain}`;
  const names = domain === '' ? host : `${host}.${domain}\t${host}`;
  const lines = hostNetwork
    ? ['# Kubernetes-managed hosts file (host network).', machineHosts.replace(/\n$/, '')]
    : ['# Kubernetes-managed hosts file.', ...LOCAL_ENTRIES, ...podIps.map((ip) => `${ip}\t${names}`)];
  const aliases = hostAliases.map(({ ip, hostnames = [] }) => [ip, ...hostnames].join('\t'));
  const added = aliases.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...aliases];
  return `${[...lines, ...added].join('\n')}\n`;
}
