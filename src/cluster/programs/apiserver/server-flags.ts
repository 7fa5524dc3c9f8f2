import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { parseRuntimeConfig } from '../../../api/index.ts';
import {
  type AccessOptions,
  type AdmissionOptions,
  admissionProblems,
  type ControlPlaneOptions,
  parseJoinToken,
  readAdmissionConfiguration,
  runningPlugins,
  type ServingOptions,
  type StorageOptions,
} from '../../server-only.ts';
import { type FlagDefinitions, FlagError, type FlagValues, grouped } from '../flag.ts';
import { featureGateProblem } from './feature-gates.ts';
import { aggregationFlags, aggregationSettings } from './aggregation-flags.ts';
import { kubernetesVersionFlags, kubernetesVersionOf } from './kubernetes-version.ts';
import { kubeletFlags, kubeletSettings } from './kubelet-flags.ts';
import { authenticationFlags, authenticationSettings } from './authentication-flags.ts';
import { authorizationFlags, authorizationSettings } from './authorization-flags.ts';
import { durationFlag, fileFlag } from '../read-flags.ts';
import { historyLimits } from './store-flags.ts';

/** Flags that `up` and `apiserver` share, under upstream's names. */
export const serverFlags: FlagDefinitions = {
  'etcd-servers': {
    group: 'Etcd',
    type: 'string',
    multiple: true,
    value: 'URL,…',
    help: 'Keep objects in etcd instead of the embedded store',
  },
  'etcd-prefix': {
    group: 'Etcd',
    type: 'string',
    value: 'PATH',
    default: '/registry',
    help: 'Prefix of all keys in etcd',
  },
  'etcd-compaction-interval': {
    group: 'Etcd',
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'How often to compact etcd; 0 leaves that to others',
  },
  'etcd-cafile': { group: 'Etcd', type: 'string', value: 'FILE', help: 'Certificate authority of etcd' },
  'etcd-certfile': { group: 'Etcd', type: 'string', value: 'FILE', help: 'Client certificate for etcd' },
  'etcd-keyfile': { group: 'Etcd', type: 'string', value: 'FILE', help: 'Key of the client certificate for etcd' },
  'join-token': {
    group: 'Etcd',
    type: 'string',
    value: 'TOKEN',
    help: 'Have the same keys as other servers on this etcd that are given the same token, such as abcdef.0123456789abcdef',
  },
  'runtime-config': {
    group: 'API enablement',
    type: 'string',
    multiple: true,
    value: 'KEY=BOOL,…',
    help: 'Turn APIs on or off: api/all, api/beta, GROUP/VERSION, …',
  },
  'enable-admission-plugins': {
    group: 'Admission',
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Admission plugins to run besides those that run by default',
  },
  'disable-admission-plugins': {
    group: 'Admission',
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Admission plugins not to run',
  },
  ...grouped('Authorization', authorizationFlags),
  'admission-control-config-file': {
    group: 'Admission',
    type: 'string',
    value: 'FILE',
    help: 'AdmissionConfiguration: how admission plugins are configured',
  },
  'default-not-ready-toleration-seconds': {
    group: 'Admission',
    type: 'string',
    value: 'SECONDS',
    default: '300',
    help: 'How long pods stay on nodes that are not ready',
  },
  'default-unreachable-toleration-seconds': {
    group: 'Admission',
    type: 'string',
    value: 'SECONDS',
    default: '300',
    help: 'How long pods stay on nodes that are not reachable',
  },
  'service-cluster-ip-range': {
    type: 'string',
    value: 'CIDR',
    default: '10.96.0.0/16',
    help: 'Network of service addresses',
  },
  'token-auth-file': {
    group: 'Authentication',
    type: 'string',
    value: 'FILE',
    help: 'Bearer tokens: lines of token,user,uid,"groups"',
  },
  'event-ttl': { type: 'string', value: 'DURATION', default: '1h', help: 'How long events are kept' },
  'max-requests-inflight': { type: 'string', value: 'N', default: '400', help: 'Max reads at a time' },
  'max-mutating-requests-inflight': { type: 'string', value: 'N', default: '200', help: 'Max writes at a time' },
  'enable-priority-and-fairness': {
    type: 'boolean',
    default: true,
    help: 'Sort requests into priority levels and share the server fairly among them',
  },
  'min-request-timeout': {
    type: 'string',
    value: 'SECONDS',
    default: '1800',
    help: 'A watch lasts between this and twice this',
  },
  'advertise-address': {
    type: 'string',
    value: 'ADDRESS',
    help: 'Address that is advertised to clients in the cluster',
  },
  'external-hostname': {
    type: 'string',
    value: 'HOST',
    help: 'Host name of the server in what it tells clients outside the cluster, such as its OpenID configuration (default: --advertise-address)',
  },
  'anonymous-auth': {
    group: 'Authentication',
    type: 'boolean',
    default: true,
    help: 'Let in requests without credentials, as system:anonymous',
  },
  ...kubernetesVersionFlags,
  'feature-gates': {
    group: 'Features',
    type: 'string',
    multiple: true,
    value: 'NAME=BOOL,…',
    help: 'Features to turn on or off; only the defaults of the version of Kubernetes are accepted',
  },
  'http2-max-streams-per-connection': {
    type: 'string',
    value: 'N',
    default: '0',
    help: 'Max requests at a time on one connection; 0 means 100',
  },
  'logging-format': { group: 'Logs', type: 'string', value: 'text|json', default: 'text', help: 'Format of log lines' },
  'log-level': {
    group: 'Logs',
    type: 'string',
    value: 'LEVEL',
    help: 'Lowest level that is logged: debug, info, warn or error',
  },
  v: {
    group: 'Logs',
    type: 'string',
    value: 'N',
    default: '0',
    help: 'Verbosity of the log; 4 and more log single steps',
  },
  ...grouped('Authentication', authenticationFlags),
  ...grouped('Aggregation', aggregationFlags),
  ...grouped('Nodes', kubeletFlags),
  'shutdown-delay-duration': {
    type: 'string',
    value: 'DURATION',
    default: '0s',
    help: 'How long requests are still served after the signal to stop, while /readyz reports the coming shutdown',
  },
  workers: {
    type: 'string',
    value: 'N',
    default: '1',
    help: 'Processes that serve requests on one port; from 2 on, they run beside the one that has the store',
  },
  'request-timeout': { type: 'string', value: 'DURATION', default: '1m', help: 'Deadline of other requests' },
};

/** What the flags of a server say, by the groups of `ControlPlaneOptions`. */
export interface ServerSettings extends Pick<
  ControlPlaneOptions,
  'kubernetesVersion' | 'runtimeConfig' | 'serviceCidrs' | 'hostname' | 'aggregation' | 'kubelets'
> {
  readonly storage: Pick<StorageOptions, 'eventTtl'>;
  readonly serving: ServingOptions;
  readonly access: AccessOptions;
  readonly admission: AdmissionOptions;
}

export function serverSettings(flags: FlagValues): ServerSettings {
  const many = { min: 1, max: 1_000_000 };
  const kubernetesVersion = kubernetesVersionOf(flags);
  const gateProblem = featureGateProblem(flags.list('feature-gates'), kubernetesVersion);
  if (gateProblem !== undefined) throw new FlagError(`--feature-gates: ${gateProblem}`);
  const tokenFile = fileFlag(flags, 'token-auth-file');
  const maxStreams = flags.integer('http2-max-streams-per-connection', { min: 0, max: 1_000_000 }) ?? 0;
  const advertiseAddress = advertised(flags);
  const externalHost = flags.text('external-hostname');
  return {
    kubernetesVersion,
    runtimeConfig: parseRuntimeConfig(...flags.list('runtime-config')),
    serviceCidrs: (flags.text('service-cluster-ip-range') ?? '').split(','),
    hostname: hostname(),
    storage: { eventTtl: durationFlag(flags, 'event-ttl') },
    serving: {
      ...joinTokenOf(flags),
      ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
      ...(externalHost === undefined || externalHost === '' ? {} : { externalHost }),
      limits: {
        maxReads: flags.integer('max-requests-inflight', many) ?? 400,
        maxWrites: flags.integer('max-mutating-requests-inflight', many) ?? 200,
        minWatchSeconds: flags.integer('min-request-timeout', many) ?? 1800,
      },
      priorityAndFairness: flags.isSet('enable-priority-and-fairness'),
      transportLimits: {
        requestTimeout: durationFlag(flags, 'request-timeout'),
        ...(maxStreams === 0 ? {} : { maxStreams }),
      },
    },
    access: {
      ...(tokenFile === undefined ? {} : { tokenFile }),
      anonymousAuth: flags.isSet('anonymous-auth'),
      authentication: authenticationSettings(flags),
      authorization: authorizationSettings(flags),
    },
    admission: {
      ...admission(flags),
      tolerationSeconds: {
        notReady: flags.integer('default-not-ready-toleration-seconds', ANY_INTEGER) ?? 300,
        unreachable: flags.integer('default-unreachable-toleration-seconds', ANY_INTEGER) ?? 300,
      },
    },
    aggregation: aggregationSettings(flags),
    kubelets: kubeletSettings(flags),
  };
}

const ANY_INTEGER = { min: 0, max: Number.MAX_SAFE_INTEGER };

function joinTokenOf(flags: FlagValues): Pick<ServingOptions, 'joinToken'> {
  const text = flags.text('join-token');
  if (text === undefined) return {};
  const joinToken = parseJoinToken(text);
  if (joinToken === undefined)
    throw new FlagError('--join-token must be six letters or digits, a dot and sixteen more, all in lower case');
  if (flags.list('etcd-servers').length === 0)
    throw new FlagError('--join-token is for servers on one etcd, so --etcd-servers must be given');
  return { joinToken };
}

function advertised(flags: FlagValues): string | undefined {
  const text = flags.text('advertise-address');
  if (text === undefined || isIP(text) !== 0) return text;
  throw new FlagError(`--advertise-address must be an IP address, got "${text}"`);
}

function admission(flags: FlagValues): AdmissionOptions {
  const enable = flags.list('enable-admission-plugins');
  const disable = flags.list('disable-admission-plugins');
  const problems = admissionProblems({ enable, disable });
  if (problems.length > 0) throw new FlagError(problems.join('; '));
  const path = flags.text('admission-control-config-file');
  const plugins = runningPlugins({ enable, disable });
  const read = (file: string): string => readFileSync(file, 'utf8');
  return {
    enable,
    disable,
    ...(path === undefined ? {} : { configuration: readAdmissionConfiguration({ path, plugins, read }) }),
  };
}

type EtcdStorage = Extract<StorageOptions, { readonly type: 'etcd' }>;

/** etcd for a server, when it is asked for. */
export function etcdStorage(flags: FlagValues): EtcdStorage | undefined {
  const place = etcdPlace(flags);
  if (place === undefined) return undefined;
  const compactionInterval = durationFlag(flags, 'etcd-compaction-interval');
  return { ...place, etcd: { ...place.etcd, history: historyLimits(flags), compactionInterval } };
}

/** Where etcd is, when it is asked for. */
export function etcdPlace(flags: FlagValues, endpoints = flags.list('etcd-servers')): EtcdStorage | undefined {
  if (endpoints.length === 0) return undefined;
  const [ca, certificate, key] = ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'].map((name) => fileFlag(flags, name));
  const tls = ca === undefined && certificate === undefined ? undefined : { ca, certificate, key };
  return {
    type: 'etcd',
    etcd: {
      endpoints,
      prefix: flags.text('etcd-prefix') ?? '/registry',
      ...(tls === undefined ? {} : { tls }),
    },
  };
}
