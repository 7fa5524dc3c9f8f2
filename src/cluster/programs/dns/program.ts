import type { FlagDefinitions } from '../flag.ts';
import type { Program } from '../program.ts';
import { type DnsOptions, IDENTITY } from './options.ts';

const GROUP = 'DNS';

const standalone: FlagDefinitions = {
  listen: {
    type: 'string',
    multiple: true,
    value: 'ADDRESS:PORT,…',
    group: GROUP,
    help: 'Where to answer questions, over UDP and TCP; port 0 takes a free port (default 127.0.0.1:53)',
  },
  'cluster-domain': {
    type: 'string',
    value: 'DOMAIN',
    default: 'cluster.local',
    group: GROUP,
    help: "The domain of the cluster's names",
  },
  'reverse-zones': {
    type: 'string',
    multiple: true,
    value: 'ZONE,…',
    group: GROUP,
    help: 'Zones of addresses, in which names of services and endpoints are found (default in-addr.arpa,ip6.arpa)',
  },
  ttl: {
    type: 'string',
    value: 'SECONDS',
    default: '5',
    group: GROUP,
    help: "How long resolvers may keep answers about the cluster's names",
  },
  'load-balance': {
    type: 'boolean',
    default: true,
    group: GROUP,
    help: 'Change the order of addresses from answer to answer',
  },
  forward: {
    type: 'string',
    multiple: true,
    value: 'ADDRESS[:PORT]|FILE|none,…',
    group: GROUP,
    help: "Upstream servers for all other names, or a resolv.conf file that names them (default: the machine's)",
  },
  allow: {
    type: 'string',
    multiple: true,
    value: 'CIDR,…',
    group: GROUP,
    help: 'Networks whose clients may ask about other names, besides loopback, the nodes and the ranges of their pods',
  },
  'cache-entries': {
    type: 'string',
    value: 'N',
    default: '10000',
    group: GROUP,
    help: 'Answers of upstream servers that are kept; 0 keeps none',
  },
  'max-concurrent': {
    type: 'string',
    value: 'N',
    default: '1000',
    group: GROUP,
    help: 'Questions on their way to upstream servers at once; more are refused',
  },
  'health-address': {
    type: 'string',
    value: 'ADDRESS:PORT',
    group: GROUP,
    help: 'Where to serve /health, such as :8080 (default: nowhere)',
  },
  'ready-address': {
    type: 'string',
    value: 'ADDRESS:PORT',
    group: GROUP,
    help: 'Where to serve /ready, such as :8181 (default: nowhere)',
  },
  'metrics-address': {
    type: 'string',
    value: 'ADDRESS:PORT',
    group: GROUP,
    help: 'Where to serve /metrics, such as :9153 (default: nowhere)',
  },
};

const inCluster: FlagDefinitions = {
  dns: {
    type: 'boolean',
    default: true,
    group: GROUP,
    help: 'Run a DNS server for a real node, behind the Service kube-system/kube-dns; =false for a cluster that brings its own',
  },
  'dns-listen': {
    type: 'string',
    multiple: true,
    value: 'ADDRESS:PORT,…',
    group: GROUP,
    help: "Where it answers questions (default: the node's addresses, on port 10053 or another free one)",
  },
  'dns-forward': {
    type: 'string',
    multiple: true,
    value: 'ADDRESS[:PORT]|FILE|none,…',
    group: GROUP,
    help: "Upstream servers for names outside of the cluster, or a resolv.conf file that names them (default: the machine's)",
  },
  'dns-allow': {
    type: 'string',
    multiple: true,
    value: 'CIDR,…',
    group: GROUP,
    help: 'Networks whose clients may ask about such names, besides loopback, the nodes and the ranges of their pods',
  },
};

const READ = ['get', 'list', 'watch'];

/** A DNS server for the cluster's names. */
export const program: Program<DnsOptions> = {
  name: 'keelson-dns',
  isOnePerCluster: false,
  flags: { inCluster, standalone },
  help: {
    common: {
      DNS: ['kubeconfig', 'listen', 'forward', 'allow', 'cluster-domain', 'ttl'],
      'Health and logs': ['health-address', 'ready-address', 'metrics-address', 'log-level'],
    },
    examples: [
      ['keelson dns --listen 127.0.0.1:5353 --forward none', "the cluster's names on this machine"],
      ['keelson dns --listen 10.0.0.2:53 --allow 10.244.0.0/16', 'for the pods of a cluster, with upstream servers'],
    ],
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['namespaces', 'nodes'], verbs: READ },
      { apiGroups: [''], resources: ['services'], verbs: [...READ, 'create'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: [...READ, 'create', 'update'] },
    ],
  },
  isWanted: ({ dns, realNode }) => dns !== undefined && realNode !== undefined,
  load: async () => (await import('./dns-program.ts')).body,
};
