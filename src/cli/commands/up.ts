import { join } from 'node:path';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import {
  type Cluster,
  type ClusterOptions,
  launchFenced,
  runClusterWorker,
  type StorageOptions,
} from '../../cluster/index.ts';
import {
  auditSettings,
  embeddedStorage,
  encryptionSettings,
  etcdStorage,
  historyLimits,
  server,
  serverSettings,
} from '../../cluster/programs/apiserver/index.ts';
import type { Program, ProgramEntry, UpstreamFlag } from '../../cluster/programs/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { type FlagDefinitions, Flags } from '../flags.ts';
import { helpOf } from '../help-text.ts';
import { ClusterDashboard, keptPast, upDashboardFlags } from '../dashboard/cluster-dashboard.ts';
import { KubectlContext } from '../running/kubectl-context.ts';
import { IdleCollector } from '../idle-collector.ts';
import { plain } from '../paint.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream-flags.ts';
import { YoungSpaceLimit } from '../young-space.ts';
import { electionTimeFlags, electionTiming } from './election-flags.ts';
import { defaultDataFolder, logLevelOf, logOf } from './log-flags.ts';
import { orderlyStop } from './shutdown-delay.ts';
import { leaveStoppingToMain, workerNumber, workersSettings } from './workers-flags.ts';

/** The flags of the cluster itself. */
const ownDefinitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    group: 'Storage',
    help: 'Folder of the store and the keys (default .keelson in the home folder)',
  },
  'in-memory': { type: 'boolean', group: 'Storage', help: 'Keep store and keys in memory only' },
  pki: {
    type: 'string',
    value: 'DIR',
    group: 'Storage',
    help: 'Folder of the authorities and keys that all servers of a cluster share (default pki in --data-dir)',
  },
  'bind-address': {
    type: 'string',
    value: 'ADDRESS',
    default: '127.0.0.1',
    group: 'Secure serving',
    help: 'Address to listen at',
  },
  port: {
    type: 'string',
    value: 'N',
    default: '6443',
    group: 'Secure serving',
    help: 'Port to listen on; 0 takes any free port',
  },
  name: {
    type: 'string',
    value: 'NAME',
    default: 'keelson',
    group: 'Kubeconfig',
    help: 'Name of the cluster in the kubeconfig',
  },
  'kubeconfig-out': {
    type: 'string',
    value: 'FILE',
    group: 'Kubeconfig',
    help: 'Write the kubeconfig to this file instead of merging it into yours',
  },
};

/** The flags of `keelson up`: its own, and those of every program in a cluster. */
export function upDefinitions(programs: readonly Program[]): FlagDefinitions {
  const { shared, inCluster } = server.flags;
  return {
    ...ownDefinitions,
    ...upDashboardFlags,
    ...Object.assign({}, ...programs.map(({ flags }) => flags.inCluster)),
    ...inCluster,
    ...shared,
    ...electionTimeFlags,
    ...Object.assign({}, ...programs.map(({ flags }) => flags.shared)),
  } as FlagDefinitions;
}

/** Flags of Kubernetes' programs. Where several have a flag of the same name, the server's meaning counts. */
function upstreamOf(programs: readonly Program[]): readonly UpstreamFlag[] {
  const all = [
    ...programs.flatMap(({ flags }) => flags.upstream?.inCluster ?? []).toReversed(),
    ...server.flags.upstream.inCluster,
  ];
  return [...new Map(all.map((flag) => [flag.name, flag])).values()];
}

const COMMON = {
  Cluster: ['in-memory', 'data-dir', 'etcd-servers', 'name', 'kubeconfig-out'],
  Network: ['bind-address', 'port', 'service-cluster-ip-range'],
  Programs: ['nodes', 'controllers', 'scheduler', 'scheduler-config'],
  Development: ['dev-webhooks', 'audit', 'log-level'],
};

const EXAMPLES = [
  ['keelson up --in-memory', 'a throw-away cluster; kubectl points at it'],
  ['keelson up --nodes 5 --data-dir ./data', 'five simulated nodes, kept in a folder'],
  ['keelson up --port 0 --kubeconfig-out ./kubeconfig', 'any free port, your kubeconfig left alone'],
  ['keelson up --controllers=false --scheduler=none --nodes 0', 'the API server only'],
] as const;

/** `keelson up`: a whole cluster in this process. */
export async function upCommand(entries: readonly ProgramEntry[]): Promise<Command> {
  const programs = await Promise.all(entries.map(async (entry) => (await entry.load()).program));
  const definitions = upDefinitions(programs);
  const upstream = upstreamOf(programs);
  const known = withUpstreamFlags(definitions, upstream);
  return {
    ...helpOf({
      synopsis: 'keelson up [FLAGS]',
      description: 'Starts a cluster and points kubectl at it; Ctrl-C stops it.',
      definitions,
      common: COMMON,
      examples: EXAMPLES,
      upstream: { count: Object.keys(known).length - Object.keys(definitions).length },
    }),
    async run(args, context) {
      const clock = new RealClock();
      const started = clock.monotonic();
      const flags = new Flags(args.map(spelledOut), known);
      checkUpstreamFlags(flags, definitions, upstream);
      if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
      const bodies = await Promise.all(programs.map((program) => program.load()));
      const workload = bodies.map((body) => body.readFlags?.(flags, { clock }) ?? {});
      const server: StartOptions = Object.assign({ programs: entries }, ...workload, options(flags, context));
      const workers = workersSettings(flags, context, { command: 'up', args, log: server.log });
      if (workers.workers !== undefined && flags.isSet('dev-webhooks'))
        throw new UsageError('--dev-webhooks keeps reviews in one process, so --workers makes no sense with it');
      if (workers.workers !== undefined && flags.has('run-images'))
        throw new UsageError('--run-images keeps pods in one process, so --workers makes no sense with it');
      const settings =
        workers.workers === undefined
          ? server
          : { ...server, serving: { ...server.serving, ...workers }, ...nodesApart(flags, server) };
      using _collector = new IdleCollector(clock);
      using _young = new YoungSpaceLimit();
      const worker = workerNumber(context);
      if (worker !== undefined) {
        using _signals = leaveStoppingToMain(context);
        await runClusterWorker({ ...settings, clock, log: settings.log.with({ worker }) });
        return;
      }
      context.print('starting the cluster');
      using stop = orderlyStop(flags, { clock, signal: context.signal });
      const dataFolder =
        settings.storage.type === 'durable'
          ? (flags.text('data-dir') ?? defaultDataFolder(context.environment))
          : undefined;
      const say = (text: string): void => context.print(text);
      await using fenced = await launchFenced({ ...settings, clock, signal: stop.signal, dataFolder, say });
      const { cluster } = fenced;
      await using kubectl = await KubectlContext.open(cluster.plane, {
        kubeconfig: flags.text('kubeconfig-out'),
        isEphemeral: flags.isSet('in-memory'),
        command: ['keelson up', ...args].join(' '),
        clock,
        random: settings.random,
        context,
      });
      await cluster.nodesReady(context.signal);
      const ms = Math.round(clock.monotonic() - started);
      const { paint = plain } = context;
      context.print(`${paint('green', 'ready')} at ${cluster.plane.access.server} in ${ms} ms; ${kubectl.description}`);
      await using dashboard = await ClusterDashboard.open(cluster, flags, { ...settings, clock, context });
      if (dashboard !== undefined) context.print(`dashboard ${dashboard.url}`);
      const telling = tellOfRealNode(cluster, settings, context);
      await Promise.race([stop.serving(cluster.plane), cluster.running]);
      context.print('stopping');
      await telling;
    },
  };
}

/** Prints a line when the machine itself is ready as a node, which takes longer than the cluster does. */
async function tellOfRealNode(
  cluster: Pick<Cluster, 'areReady'>,
  { realNode, log }: Pick<StartOptions, 'realNode' | 'log'>,
  { signal, print }: CommandContext,
): Promise<void> {
  if (realNode?.name === undefined) return;
  const { name } = realNode;
  try {
    await cluster.areReady([name], signal);
    if (!signal.aborted) print(`node "${name}" is ready`);
  } catch (error) {
    if (!signal.aborted) log.warn('node cannot be followed', { node: name, error });
  }
}

type StartOptions = Omit<ClusterOptions, 'clock' | 'signal'>;

function options(flags: Flags, context: CommandContext): StartOptions {
  const folder = flags.text('data-dir') ?? defaultDataFolder(context.environment);
  const inMemory = flags.isSet('in-memory');
  if (inMemory && flags.has('data-dir'))
    throw new UsageError('--in-memory keeps nothing, so --data-dir makes no sense with it');
  const pki = flags.text('pki');
  const server = serverSettings(flags);
  const { printRequest, ...audit } = auditSettings(flags, context);
  const etcd = etcdStorage(flags);
  if (inMemory && etcd !== undefined) throw new UsageError('--in-memory and --etcd-servers exclude each other');
  const history = { ...historyLimits(flags), ...keptPast(flags) };
  const embedded: StorageOptions = inMemory
    ? { type: 'memory', history }
    : { ...embeddedStorage(flags, join(folder, 'store')), history };
  return {
    ...server,
    ...(etcd === undefined ? {} : nodesApart(flags, server)),
    ...electionTimes(flags),
    name: flags.text('name') ?? 'keelson',
    storage: { ...(etcd ?? embedded), ...server.storage, ...encryptionSettings(flags) },
    serving: {
      ...server.serving,
      listen: {
        host: flags.text('bind-address') ?? '127.0.0.1',
        port: flags.integer('port', { min: 0, max: 65_535 }) ?? 6443,
      },
      ...(inMemory ? {} : { pkiFolder: join(folder, 'pki') }),
      ...(pki === undefined ? {} : { sharedPkiFolder: pki }),
    },
    access: { ...server.access, ...audit },
    admission: { ...server.admission, devWebhooks: flags.isSet('dev-webhooks') },
    tracing: {
      tracedRequests: flags.integer('trace-requests', { min: 0, max: 10_000 }) ?? 500,
      ...(printRequest === undefined ? {} : { printRequest }),
    },
    random: new CryptoRandom(),
    log: logOf(flags, context.printError, logLevelOf(flags) ?? 'warn'),
  };
}

/**
 * Settings of nodes for servers in other processes, which reach them through ports only. The names of simulated nodes
 * cannot be resolved, so by default the servers use their addresses.
 */
function nodesApart(
  flags: Flags,
  { kubelets }: Pick<ClusterOptions, 'kubelets'>,
): Pick<ClusterOptions, 'kubelets' | 'nodeEndpoints'> {
  const isGiven = flags.has('kubelet-preferred-address-types');
  return {
    nodeEndpoints: true,
    kubelets: isGiven ? kubelets : { ...kubelets, addressTypes: ['InternalIP', 'ExternalIP'] },
  };
}

function electionTimes(flags: Flags): Pick<ClusterOptions, 'election'> {
  const { leaseDuration, renewDeadline, retryPeriod } = electionTiming(flags);
  return { election: { leaseDuration, renewDeadline, retryPeriod } };
}

function spelledOut(arg: string): string {
  return arg === '--scheduler=none' ? '--scheduler=false' : arg;
}
