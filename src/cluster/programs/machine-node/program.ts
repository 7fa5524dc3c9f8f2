import type { Program } from '../program.ts';

const GROUP = 'Node';

/** The agent of a node on this machine, with containers of a runtime behind a socket. */
export const program: Program = {
  name: 'kubelet',
  isOnePerCluster: false,
  flags: {
    standalone: {
      config: { type: 'string', value: 'FILE', group: GROUP, help: 'A KubeletConfiguration' },
      'container-runtime-endpoint': {
        type: 'string',
        value: 'URL',
        group: GROUP,
        help: "The runtime's socket, in place of the configuration's (default unix:///run/containerd/containerd.sock)",
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
      'node-labels': {
        type: 'string',
        multiple: true,
        value: 'KEY=VALUE,…',
        group: GROUP,
        help: 'Labels of the node',
      },
    },
  },
  help: {
    common: { Node: ['kubeconfig', 'config', 'hostname-override', 'node-ip', 'root-dir'], Logs: ['log-level'] },
    examples: [['keelson kubelet --kubeconfig node.kubeconfig', 'this machine as a node, with containerd']],
  },
  isWanted: () => false,
  load: async () => (await import('./machine-node.ts')).body,
};
