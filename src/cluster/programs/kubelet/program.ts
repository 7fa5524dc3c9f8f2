import type { Program } from '../program.ts';
import type { NodesOptions } from './node-options.ts';
import type { OpenNodes } from './nodes-in-cluster.ts';

const GROUP = 'Nodes';

/** The nodes, all in one process. */
export const program: Program<NodesOptions> = {
  name: 'kubelet',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      nodes: { type: 'string', value: 'N', default: '1', group: GROUP, help: 'Number of simulated nodes' },
      'node-name': {
        type: 'string',
        value: 'NAME',
        group: GROUP,
        help: 'Name of a single node, prefix of several (default keelson; with etcd, machine and port follow)',
      },
      'node-endpoints': {
        type: 'boolean',
        group: GROUP,
        help: 'Open a port for each node, where it answers as a kubelet does: logs, commands, statistics',
      },
      'run-images': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Run containers of the images in this file as processes of this machine, with your rights and no isolation',
      },
      'plugin-dir': {
        type: 'string',
        value: 'FOLDER',
        group: GROUP,
        help: 'Open the sockets of device plugins and of pod resources in this folder, as in /var/lib/kubelet (with several nodes, in FOLDER/NODE)',
      },
      'simulated-machine': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Run simulated nodes on the machine of this file, with NUMA nodes, and CPU, memory and topology managers',
      },
      'simulated-metrics': {
        type: 'boolean',
        default: true,
        group: GROUP,
        help: 'Serve metrics.k8s.io for the simulated nodes, so that `kubectl top` works',
      },
    },
    standalone: {
      'node-name': {
        type: 'string',
        value: 'NAME',
        group: GROUP,
        help: 'Name of a single node, prefix of several (default: the name of the machine)',
      },
      nodes: { type: 'string', value: 'N', default: '1', group: GROUP, help: 'Number of nodes' },
      'node-ip': {
        type: 'string',
        value: 'ADDRESS',
        default: '127.0.0.1',
        group: GROUP,
        help: 'Where API servers reach the nodes, each at its own port, for logs, commands and forwarded ports',
      },
      'node-labels': {
        type: 'string',
        multiple: true,
        value: 'KEY=VALUE,…',
        group: GROUP,
        help: 'Labels of the nodes',
      },
      'plugin-dir': {
        type: 'string',
        value: 'FOLDER',
        group: GROUP,
        help: 'Open the sockets of device plugins and of pod resources in this folder, as in /var/lib/kubelet (with several nodes, in FOLDER/NODE)',
      },
      'simulated-machine': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Run simulated nodes on the machine of this file, with NUMA nodes, and CPU, memory and topology managers',
      },
      'client-ca-file': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: "Authorities whose client certificates count at the nodes' ports (default: those of the kubeconfig)",
      },
    },
  },
  help: {
    common: { Nodes: ['kubeconfig', 'node-name', 'nodes', 'node-ip', 'node-labels'], Logs: ['log-level'] },
    examples: [
      ['keelson node --nodes 3', 'three nodes for the cluster of the current context'],
      ['keelson node --node-name rack --node-labels rack=1', 'one node with a name and a label'],
    ],
  },
  isWanted: ({ nodes = 1 }) => nodes > 0,
  async load() {
    const [{ nodesInCluster, OpenNodes: Nodes, simulatedMetrics }, { nodeFlags, standaloneNodes }] = await Promise.all([
      import('./nodes-in-cluster.ts'),
      import('./node-flags.ts'),
    ]);
    return {
      readFlags: nodeFlags,
      resources: simulatedMetrics,
      open: (context) => Nodes.open(context),
      inCluster: (context, opened) => nodesInCluster(context, opened as OpenNodes | undefined),
      standalone: standaloneNodes,
    };
  },
};
