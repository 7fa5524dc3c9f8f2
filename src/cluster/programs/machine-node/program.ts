import type { Program } from '../program.ts';
import type { MachineNodeOptions } from './options.ts';
import { fieldFlags } from '../settings/flag-texts.ts';
import { configurationPage } from '../settings/configuration-page.ts';
import { kubeletConfiguration } from './settings/kubelet-fields.ts';
import { kubeletFlags } from './upstream-flags.ts';

const GROUP = 'Node';
const NETWORK_FOLDER = '/etc/cni/net.d';

/** The agent of a node on this machine, with containers of a runtime behind a socket. */
export const program: Program<MachineNodeOptions> = {
  name: 'kubelet',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      'container-runtime-endpoint': {
        type: 'string',
        value: 'URL',
        group: 'Nodes',
        help: 'Run this machine as a node with real containers, of the runtime behind this socket, in place of simulated nodes (needs root)',
      },
      'kubelet-config': {
        type: 'string',
        value: 'FILE',
        group: 'Nodes',
        help: 'A KubeletConfiguration for the node with real containers',
      },
      'node-ip': {
        type: 'string',
        value: 'ADDRESS,…',
        group: 'Nodes',
        help: 'Addresses of the node with real containers (default: those of the interface with the default route)',
      },
      'root-dir': {
        type: 'string',
        value: 'DIR',
        default: '/var/lib/kubelet',
        group: 'Nodes',
        help: 'Folder of volumes and files of pods with real containers',
      },
      'pod-cidr': {
        type: 'string',
        multiple: true,
        value: 'CIDR,…',
        group: 'Nodes',
        help: 'Addresses of pods with real containers (default: the range that the node is assigned of --cluster-cidr, by default 10.244.0.0/16, or 10.64.0.0/16 with --nodes)',
      },
      'write-cni-config': {
        type: 'boolean',
        default: true,
        group: 'Nodes',
        help: 'Configure a network for pods with real containers, where none is configured: bridge, host-local, portmap, firewall, bandwidth',
      },
      'cni-conf-dir': {
        type: 'string',
        value: 'DIR',
        default: NETWORK_FOLDER,
        group: 'Nodes',
        help: 'Folder in which the container runtime looks for networks',
      },
    },
    standalone: {
      ...fieldFlags(kubeletConfiguration),
      config: {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'A KubeletConfiguration; flags override its fields',
      },
      'config-dir': {
        type: 'string',
        value: 'DIR',
        group: GROUP,
        help: 'Files *.conf whose fields override those of --config, in the order of their names',
      },
      'bootstrap-kubeconfig': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Used to request a client certificate, where the file of --kubeconfig does not exist yet',
      },
      'cert-dir': {
        type: 'string',
        value: 'DIR',
        default: '/var/lib/kubelet/pki',
        group: GROUP,
        help: 'Folder of certificates that were requested or generated',
      },
      'cloud-provider': {
        type: 'string',
        value: 'external',
        group: GROUP,
        help: "Let the controller of a cloud complete the node: it writes the node's addresses, and a taint keeps pods away until it has",
      },
      'hostname-override': {
        type: 'string',
        value: 'NAME',
        group: GROUP,
        help: 'Name of the node (default: the name of the machine)',
      },
      'node-ip': {
        type: 'string',
        value: 'ADDRESS,…',
        group: GROUP,
        help: 'Addresses of the node (default: those of the interface with the default route)',
      },
      'root-dir': {
        type: 'string',
        value: 'DIR',
        default: '/var/lib/kubelet',
        group: GROUP,
        help: 'Folder of volumes and files of pods',
      },
      'runtime-cgroups': {
        type: 'string',
        value: 'PATH',
        group: GROUP,
        help: 'The cgroup in which the container runtime was started, whose use /stats/summary shows',
      },
      'image-credential-provider-config': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'A CredentialProviderConfig: programs that return credentials for images',
      },
      'image-credential-provider-bin-dir': {
        type: 'string',
        value: 'DIR',
        group: GROUP,
        help: 'Folder of those programs',
      },
      'write-cni-config': {
        type: 'boolean',
        default: false,
        group: GROUP,
        help: 'Configure a network for pods, where none is configured: bridge, host-local, portmap, firewall, bandwidth, with the addresses of --pod-cidr or of the Node object',
      },
      'cni-conf-dir': {
        type: 'string',
        value: 'DIR',
        default: NETWORK_FOLDER,
        group: GROUP,
        help: 'Folder in which the container runtime looks for networks',
      },
      'node-labels': {
        type: 'string',
        multiple: true,
        value: 'KEY=VALUE,…',
        group: GROUP,
        help: 'Labels of the node',
      },
    },
    upstream: { inCluster: [], standalone: kubeletFlags },
    files: [configurationPage(kubeletConfiguration)],
  },
  help: {
    common: {
      Node: ['kubeconfig', 'bootstrap-kubeconfig', 'config', 'hostname-override', 'node-ip', 'node-labels', 'root-dir'],
      Logs: ['v'],
    },
    examples: [['keelson kubelet --kubeconfig node.kubeconfig', 'this machine as a node, with containerd']],
  },
  isWanted: ({ realNode }) => realNode !== undefined,
  load: async () => (await import('./machine-node.ts')).body,
};
