import type { Program } from '../program.ts';
import { IDENTITY, type NetworkPolicyOptions } from './options.ts';

const GROUP = 'Network policies';
const READ = ['get', 'list', 'watch'];

/** Enforces NetworkPolicies on the node that it runs on. */
export const program: Program<NetworkPolicyOptions> = {
  name: 'network-policy',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      'network-policy': {
        type: 'boolean',
        default: true,
        group: 'Nodes',
        help: 'Enforce NetworkPolicies on the node with real containers; =none leaves that to another program',
      },
    },
    standalone: {
      'hostname-override': {
        type: 'string',
        value: 'NAME',
        group: GROUP,
        help: 'Name of the node (default: the name of the machine)',
      },
      'pod-cidr': {
        type: 'string',
        multiple: true,
        value: 'CIDR,…',
        group: GROUP,
        help: "Ranges of the addresses of the node's pods: those of unknown pods are closed while there are policies (default: spec.podCIDRs of the Node)",
      },
      'health-address': {
        type: 'string',
        value: 'ADDRESS:PORT',
        default: '127.0.0.1:10261',
        group: GROUP,
        help: 'Where to serve /healthz, /readyz and /metrics; =none for nowhere',
      },
      cleanup: {
        type: 'boolean',
        default: false,
        group: GROUP,
        help: 'Remove the rules of this program from the machine, and exit',
      },
    },
  },
  help: {
    common: {
      'Network policies': ['kubeconfig', 'hostname-override', 'pod-cidr', 'cleanup'],
      'Health and logs': ['health-address', 'v'],
    },
    examples: [
      ['keelson network-policy --kubeconfig policy.kubeconfig', 'enforce the policies of a cluster on this node'],
      ['keelson network-policy --cleanup', 'remove its rules from this machine'],
    ],
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['namespaces', 'nodes', 'pods'], verbs: READ },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: READ },
    ],
  },
  isWanted: ({ realNode, networkPolicy = true }) => realNode !== undefined && networkPolicy,
  load: async () => (await import('./network-policy.ts')).body,
};
