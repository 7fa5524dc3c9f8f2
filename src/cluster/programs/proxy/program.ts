import type { Program } from '../program.ts';
import { configurationPage } from '../settings/configuration-page.ts';
import { fieldFlags } from '../settings/flag-texts.ts';
import type { ServiceProxyOptions } from './options.ts';
import { proxyConfiguration } from './settings/proxy-fields.ts';
import { proxyFlags } from './upstream-flags.ts';

const GROUP = 'Proxy';

/** What forwards Services on a node with real containers. On simulated nodes there is nothing to forward. */
export const program: Program<ServiceProxyOptions> = {
  name: 'kube-proxy',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      'service-proxy': {
        type: 'boolean',
        default: true,
        group: 'Nodes',
        help: 'Forward Services on the node with real containers; simulated nodes have nothing to forward',
      },
    },
    standalone: {
      ...fieldFlags(proxyConfiguration),
      config: {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'A KubeProxyConfiguration; of the other flags, only --hostname-override counts beside it',
      },
      'hostname-override': {
        type: 'string',
        value: 'NAME',
        group: GROUP,
        help: 'Name of the node (default: the name of the machine)',
      },
      'write-config-to': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Write the configuration with all defaults, and exit',
      },
      cleanup: { type: 'boolean', group: GROUP, help: 'Remove all rules, and exit' },
      'init-only': {
        type: 'boolean',
        group: GROUP,
        help: 'Change the settings of the kernel that need root, and exit',
      },
      'healthz-port': {
        type: 'string',
        value: 'PORT',
        group: GROUP,
        help: 'Port of --healthz-bind-address where that has none; 0 for no such port',
      },
      'metrics-port': {
        type: 'string',
        value: 'PORT',
        group: GROUP,
        help: 'Port of --metrics-bind-address where that has none; 0 for no such port',
      },
    },
    upstream: { inCluster: [], standalone: proxyFlags },
    files: [configurationPage(proxyConfiguration)],
  },
  help: {
    common: {
      Proxy: ['kubeconfig', 'config', 'hostname-override', 'cluster-cidr', 'nodeport-addresses', 'cleanup'],
      Logs: ['v'],
    },
    examples: [
      ['keelson proxy --kubeconfig proxy.kubeconfig', 'forward Services on this machine'],
      ['keelson proxy --cleanup', 'remove what it has left'],
    ],
  },
  isWanted: ({ realNode, serviceProxy = true }) => realNode !== undefined && serviceProxy,
  async load() {
    const [{ checkMachine, proxyInCluster, serviceProxyFlags }, { standaloneProxy }] = await Promise.all([
      import('./proxy-in-cluster.ts'),
      import('./standalone-proxy.ts'),
    ]);
    return {
      readFlags: serviceProxyFlags,
      open: checkMachine,
      inCluster: proxyInCluster,
      standalone: standaloneProxy,
    };
  },
};
