import { type FlagDefinitions, grouped } from '../flag.ts';
import type { ProgramHelp } from '../program.ts';
import { auditFlags } from './audit-flags.ts';
import { encryptionFlags } from './encryption-flags.ts';
import { serverFlags } from './server-flags.ts';
import { storeFlags } from './store-flags.ts';
import { apiserverFlags } from './upstream-flags.ts';

const TRACE_REQUESTS_HELP =
  'Recent writes and refusals that are kept for `keelson trace`; 0 keeps only requests that ask for it';

const shared: FlagDefinitions = {
  ...serverFlags,
  ...grouped('Auditing', auditFlags),
  ...grouped('Storage', encryptionFlags),
  ...grouped('Storage', storeFlags),
};

const standalone: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    group: 'Storage',
    help: 'Keep objects in the embedded store in this folder',
  },
  ...grouped('Secure serving', {
    'bind-address': { type: 'string', value: 'ADDRESS', default: '0.0.0.0', help: 'Address to listen at' },
    'secure-port': { type: 'string', value: 'N', default: '6443', help: 'Port to listen on; 0 takes any free port' },
    'tls-cert-file': {
      type: 'string',
      value: 'FILE',
      help: 'Certificate shown to clients (default: one made in --cert-dir)',
    },
    'tls-private-key-file': { type: 'string', value: 'FILE', help: 'Key of --tls-cert-file' },
    'cert-dir': {
      type: 'string',
      value: 'DIR',
      default: '/var/run/kubernetes',
      help: 'Folder of keys and certificates; missing ones are made',
    },
  }),
  'client-ca-file': {
    type: 'string',
    value: 'FILE',
    group: 'Authentication',
    help: 'Authorities whose client certificates count',
  },
  'trace-requests': { type: 'string', value: 'N', default: '0', group: 'Traces', help: TRACE_REQUESTS_HELP },
};

const inCluster: FlagDefinitions = {
  'trace-requests': { type: 'string', value: 'N', default: '500', group: 'Traces', help: TRACE_REQUESTS_HELP },
  'dev-webhooks': {
    type: 'boolean',
    group: 'Development',
    help: 'Let webhook configurations name http://127.0.0.1:PORT, and keep reviews for `keelson trace webhooks` and `keelson replay`',
  },
  audit: { type: 'boolean', group: 'Auditing', help: 'Print a line for each request that comes over the network' },
};

const help: ProgramHelp = {
  common: {
    Storage: ['etcd-servers', 'data-dir', 'encryption-provider-config'],
    'Secure serving': ['bind-address', 'secure-port', 'cert-dir', 'tls-cert-file', 'tls-private-key-file'],
    Access: ['client-ca-file', 'token-auth-file', 'authorization-mode'],
    'API and logs': ['service-cluster-ip-range', 'runtime-config', 'enable-admission-plugins', 'log-level'],
  },
  examples: [
    ['keelson apiserver --data-dir /var/lib/keelson --cert-dir pki', 'on the embedded store'],
    ['keelson apiserver --etcd-servers http://127.0.0.1:2379 --cert-dir pki', 'on etcd'],
  ],
};

/** The API server: what all other programs are clients of. */
export const server = {
  name: 'kube-apiserver',
  flags: { shared, inCluster, standalone, upstream: { inCluster: apiserverFlags, standalone: apiserverFlags } },
  help,
} as const;
