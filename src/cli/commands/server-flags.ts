import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { parseRuntimeConfig, type RuntimeConfig } from '../../api/index.ts';
import { formatJson, formatText, LineLogger, type Logger, type LogLevel, RealClock } from '../../base/index.ts';
import {
  admissionProblems,
  type ControlPlaneOptions,
  type JoinToken,
  parseJoinToken,
  readAdmissionConfiguration,
  runningPlugins,
  type StorageOptions,
} from '../../cluster/alone.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { featureGateProblem } from '../upstream/feature-gates.ts';
import { aggregationFlags, aggregationSettings } from './aggregation-flags.ts';
import { kubeletFlags, kubeletSettings } from './kubelet-flags.ts';
import { authenticationFlags, authenticationSettings } from './authentication-flags.ts';
import { authorizationFlags, authorizationSettings } from './authorization-flags.ts';
import { durationFlag, fileFlag } from './file-flag.ts';
import { shutdownFlags } from './shutdown-delay.ts';
import { historyLimits } from './store-flags.ts';
import { workersFlags } from './workers-flags.ts';

/** Flags that `up` and `apiserver` share, under upstream's names. */
export const serverFlags: FlagDefinitions = {
  'etcd-servers': {
    type: 'string',
    multiple: true,
    value: 'URL,…',
    help: 'Keep objects in etcd instead of the embedded store',
  },
  'etcd-prefix': { type: 'string', value: 'PATH', default: '/registry', help: 'Prefix of all keys in etcd' },
  'etcd-compaction-interval': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'How often etcd is told to forget old revisions; 0 leaves that to others',
  },
  'etcd-cafile': { type: 'string', value: 'FILE', help: 'Certificate authority of etcd' },
  'etcd-certfile': { type: 'string', value: 'FILE', help: 'Client certificate for etcd' },
  'etcd-keyfile': { type: 'string', value: 'FILE', help: 'Key of the client certificate for etcd' },
  'join-token': {
    type: 'string',
    value: 'TOKEN',
    help: 'Have the same keys as other servers on this etcd that are given the same token, such as abcdef.0123456789abcdef',
  },
  'runtime-config': {
    type: 'string',
    multiple: true,
    value: 'KEY=BOOL,…',
    help: 'Turn APIs on or off: api/all, api/beta, GROUP/VERSION, …',
  },
  'enable-admission-plugins': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Admission plugins to run besides those that run by default',
  },
  'disable-admission-plugins': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Admission plugins not to run',
  },
  ...authorizationFlags,
  'admission-control-config-file': {
    type: 'string',
    value: 'FILE',
    help: 'AdmissionConfiguration: how admission plugins are configured',
  },
  'default-not-ready-toleration-seconds': {
    type: 'string',
    value: 'SECONDS',
    default: '300',
    help: 'How long pods stay on nodes that are not ready',
  },
  'default-unreachable-toleration-seconds': {
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
  'token-auth-file': { type: 'string', value: 'FILE', help: 'Bearer tokens: lines of token,user,uid,"groups"' },
  'event-ttl': { type: 'string', value: 'DURATION', default: '1h', help: 'How long events are kept' },
  'max-requests-inflight': { type: 'string', value: 'N', default: '400', help: 'Reads worked on at once' },
  'max-mutating-requests-inflight': { type: 'string', value: 'N', default: '200', help: 'Writes worked on at once' },
  'enable-priority-and-fairness': {
    type: 'boolean',
    default: true,
    help: 'Sort requests into levels of priority and share the server fairly; else only count reads and writes',
  },
  'min-request-timeout': {
    type: 'string',
    value: 'SECONDS',
    default: '1800',
    help: 'A watch lasts between this and twice this',
  },
  'advertise-address': { type: 'string', value: 'ADDRESS', help: 'Address that clients in the cluster are told' },
  'anonymous-auth': {
    type: 'boolean',
    default: true,
    help: 'Let in requests without credentials, as system:anonymous',
  },
  'feature-gates': {
    type: 'string',
    multiple: true,
    value: 'NAME=BOOL,…',
    help: 'Features to be on or off; only what is so by default in Kubernetes 1.36 can be asked for',
  },
  'http2-max-streams-per-connection': {
    type: 'string',
    value: 'N',
    default: '0',
    help: 'Requests at once on one connection; 0 stands for 100',
  },
  'logging-format': { type: 'string', value: 'text|json', default: 'text', help: 'How lines of the log look' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'What is logged: debug, info, warn or error, and all above it' },
  v: { type: 'string', value: 'N', default: '0', help: 'How much is logged; everything from 4 on' },
  ...authenticationFlags,
  ...aggregationFlags,
  ...kubeletFlags,
  ...shutdownFlags,
  ...workersFlags,
  'request-timeout': { type: 'string', value: 'DURATION', default: '1m', help: 'Deadline of other requests' },
};

/** What the shared flags say. */
export interface ServerSettings {
  readonly joinToken?: JoinToken;
  readonly runtimeConfig: RuntimeConfig;
  readonly tokenFile?: string;
  readonly authorization: NonNullable<ControlPlaneOptions['authorization']>;
  readonly enableAdmission: readonly string[];
  readonly disableAdmission: readonly string[];
  readonly admissionConfiguration?: ControlPlaneOptions['admissionConfiguration'];
  readonly tolerationSeconds: NonNullable<ControlPlaneOptions['tolerationSeconds']>;
  readonly serviceCidrs: readonly string[];
  readonly eventTtlSeconds: number;
  readonly limits: { readonly maxReads: number; readonly maxWrites: number; readonly minWatchSeconds: number };
  readonly priorityAndFairness: boolean;
  readonly hostname: string;
  readonly transportLimits: ControlPlaneOptions['transportLimits'];
  readonly anonymousAuth: boolean;
  readonly authentication: NonNullable<ControlPlaneOptions['authentication']>;
  readonly aggregation: NonNullable<ControlPlaneOptions['aggregation']>;
  readonly kubelets: NonNullable<ControlPlaneOptions['kubelets']>;
  readonly advertiseAddress?: string;
}

export function serverSettings(flags: Flags): ServerSettings {
  const many = { min: 1, max: 1_000_000 };
  const gateProblem = featureGateProblem(flags.list('feature-gates'));
  if (gateProblem !== undefined) throw new UsageError(`--feature-gates: ${gateProblem}`);
  const tokenFile = fileFlag(flags, 'token-auth-file');
  const maxStreams = flags.integer('http2-max-streams-per-connection', { min: 0, max: 1_000_000 }) ?? 0;
  const advertiseAddress = advertised(flags);
  return {
    ...joinTokenOf(flags),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    runtimeConfig: parseRuntimeConfig(...flags.list('runtime-config')),
    authorization: authorizationSettings(flags),
    ...admission(flags),
    tolerationSeconds: {
      notReady: flags.integer('default-not-ready-toleration-seconds', ANY_INTEGER) ?? 300,
      unreachable: flags.integer('default-unreachable-toleration-seconds', ANY_INTEGER) ?? 300,
    },
    serviceCidrs: (flags.text('service-cluster-ip-range') ?? '').split(','),
    eventTtlSeconds: Math.round(durationFlag(flags, 'event-ttl') / 1000),
    limits: {
      maxReads: flags.integer('max-requests-inflight', many) ?? 400,
      maxWrites: flags.integer('max-mutating-requests-inflight', many) ?? 200,
      minWatchSeconds: flags.integer('min-request-timeout', many) ?? 1800,
    },
    priorityAndFairness: flags.isSet('enable-priority-and-fairness'),
    hostname: hostname(),
    transportLimits: {
      requestTimeoutMs: durationFlag(flags, 'request-timeout'),
      ...(maxStreams === 0 ? {} : { maxStreams }),
    },
    anonymousAuth: flags.isSet('anonymous-auth'),
    authentication: authenticationSettings(flags),
    aggregation: aggregationSettings(flags),
    kubelets: kubeletSettings(flags),
    ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
  };
}

const ANY_INTEGER = { min: 0, max: Number.MAX_SAFE_INTEGER };

function joinTokenOf(flags: Flags): Pick<ServerSettings, 'joinToken'> {
  const text = flags.text('join-token');
  if (text === undefined) return {};
  const joinToken = parseJoinToken(text);
  if (joinToken === undefined)
    throw new UsageError('--join-token must be six letters or digits, a dot and sixteen more, all in lower case');
  if (flags.list('etcd-servers').length === 0)
    throw new UsageError('--join-token is for servers on one etcd, so --etcd-servers must be given');
  return { joinToken };
}

function advertised(flags: Flags): string | undefined {
  const text = flags.text('advertise-address');
  if (text === undefined || isIP(text) !== 0) return text;
  throw new UsageError(`--advertise-address must be an IP address, got "${text}"`);
}

/** What `--log-level` says, if anything. */
export function logLevelOf(flags: Flags): LogLevel | undefined {
  const text = flags.text('log-level');
  if (text === undefined) return undefined;
  const level = LEVELS.find((each) => each === text);
  if (level === undefined) throw new UsageError(`--log-level must be ${LEVELS.join(', ')}, got "${text}"`);
  return level;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** The log that the flags ask for, and by default nothing below `level`. */
export function logOf(flags: Flags, printError: (line: string) => void, level: LogLevel): Logger {
  const format = flags.text('logging-format');
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--logging-format must be text or json, got "${format ?? ''}"`);
  const verbosity = flags.integer('v', { min: 0, max: 100 }) ?? 0;
  return new LineLogger({
    write: (line) => printError(line.trimEnd()),
    level: verbosity >= DEBUG_VERBOSITY ? 'debug' : level,
    format: format === 'json' ? formatJson : formatText,
    clock: new RealClock(),
  });
}

/** From here on kube-apiserver tells of single requests. */
const DEBUG_VERBOSITY = 4;

function admission(
  flags: Flags,
): Pick<ServerSettings, 'enableAdmission' | 'disableAdmission' | 'admissionConfiguration'> {
  const enable = flags.list('enable-admission-plugins');
  const disable = flags.list('disable-admission-plugins');
  const problems = admissionProblems({ enable, disable });
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  const path = flags.text('admission-control-config-file');
  const plugins = runningPlugins({ enable, disable });
  const read = (file: string): string => readFileSync(file, 'utf8');
  return {
    enableAdmission: enable,
    disableAdmission: disable,
    ...(path === undefined ? {} : { admissionConfiguration: readAdmissionConfiguration({ path, plugins, read }) }),
  };
}

type EtcdStorage = Extract<StorageOptions, { readonly type: 'etcd' }>;

/** etcd for a server, when it is asked for. */
export function etcdStorage(flags: Flags): EtcdStorage | undefined {
  const place = etcdPlace(flags);
  if (place === undefined) return undefined;
  const compactionIntervalMs = durationFlag(flags, 'etcd-compaction-interval');
  return { ...place, etcd: { ...place.etcd, history: historyLimits(flags), compactionIntervalMs } };
}

/** Where etcd is, when it is asked for. */
export function etcdPlace(flags: Flags, endpoints = flags.list('etcd-servers')): EtcdStorage | undefined {
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

/** Where a cluster keeps its store, keys and kubeconfig unless told otherwise. */
export function defaultDataFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['KEELSON_DATA_DIR'] ?? join(homedir(), '.keelson');
}
