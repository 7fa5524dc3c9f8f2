import { join } from 'node:path';
import { type Clock, CryptoRandom, messageOf, RealClock } from '../../base/index.ts';
import {
  chooseControllers,
  type ClusterOptions,
  configuredScheduler,
  controllerListProblems,
  defaultKubeconfigPath,
  MOST_SIMULATED_DEVICES,
  readSchedulerConfiguration,
  runClusterWorker,
  startCluster,
  type StorageOptions,
  writeKubeconfig,
} from '../../cluster/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { IdleCollector } from '../idle-collector.ts';
import { YoungSpaceLimit } from '../young-space.ts';
import { auditFlags, auditSettings } from './audit-flags.ts';
import { encryptionFlags, encryptionSettings } from './encryption-flags.ts';
import { controllerFlags, controllerSettings } from './controller-flags.ts';
import { apiserverFlags } from '../upstream/apiserver-flags.ts';
import { controllerManagerFlags, schedulerFlags } from '../upstream/program-flags.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream/verdict.ts';
import { electionTimeFlags, electionTiming } from './election-flags.ts';
import { fileFlag, usable } from './file-flag.ts';
import { orderlyStop } from './shutdown-delay.ts';
import { defaultDataFolder, etcdStorage, logLevelOf, logOf, serverFlags, serverSettings } from './server-flags.ts';
import { embeddedStorage, historyLimits, storeFlags } from './store-flags.ts';
import { leaveStoppingToMain, workerNumber, workersSettings } from './workers-flags.ts';

/** A cluster is all three programs; where they share the name of a flag, it is the server's. */
const upstream = [...schedulerFlags, ...controllerManagerFlags, ...apiserverFlags].filter(
  ({ name }, index, all) => all.findLastIndex((other) => other.name === name) === index,
);

/** What is obeyed. */
export const upDefinitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where the store and the keys are kept (default .keelson in the home folder)',
  },
  pki: {
    type: 'string',
    value: 'DIR',
    help: 'Where the authorities and keys are that all servers of a cluster have in common (pki in --data-dir)',
  },
  'in-memory': { type: 'boolean', help: 'Keep nothing: store and keys live in memory' },
  'bind-address': { type: 'string', value: 'ADDRESS', default: '127.0.0.1', help: 'Where to listen' },
  port: { type: 'string', value: 'N', default: '6443', help: 'Port to listen on; 0 takes any that is free' },
  nodes: { type: 'string', value: 'N', default: '1', help: 'How many simulated nodes there are' },
  'node-name': {
    type: 'string',
    value: 'NAME',
    help: 'Name of the node, with a number behind it if there are several (keelson; with etcd also machine and port)',
  },
  'node-endpoints': {
    type: 'boolean',
    help: 'Open a port for each node, where it answers as a kubelet does: logs, commands, statistics',
  },
  controllers: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    help: "Controllers to run, as kube-controller-manager's: *, name, -name; false leaves that to other programs (all)",
  },
  scheduler: { type: 'boolean', default: true, help: 'Run the scheduler; =none leaves that to another program' },
  'scheduler-config': {
    type: 'string',
    value: 'FILE',
    help: "How it works: kube-scheduler's configuration file with profiles, plugins and extenders",
  },
  'simulated-metrics': {
    type: 'boolean',
    default: true,
    help: 'Serve metrics.k8s.io for the simulated nodes, so that `kubectl top` works',
  },
  'simulated-storage': {
    type: 'boolean',
    default: true,
    help: 'Have a default storage class for the simulated nodes, whose claims get volumes',
  },
  'simulated-devices': {
    type: 'string',
    multiple: true,
    value: 'DRIVER=N',
    help: 'Have N devices of a driver on each simulated node, for claims of the device class with its name (none)',
  },
  name: { type: 'string', value: 'NAME', default: 'keelson', help: 'Name of the cluster in the kubeconfig' },
  'kubeconfig-out': {
    type: 'string',
    value: 'FILE',
    help: 'Write the kubeconfig there instead of merging it into yours',
  },
  'trace-requests': {
    type: 'string',
    value: 'N',
    default: '500',
    help: 'How many recent writes and refusals are kept for `keelson trace`; 0 keeps only requests that ask for it',
  },
  'dev-webhooks': {
    type: 'boolean',
    help: 'Let webhook configurations name http://127.0.0.1:PORT, and keep reviews for `keelson trace webhooks` and `keelson replay`',
  },
  ...serverFlags,
  audit: { type: 'boolean', help: 'Print a line for each request that comes over the network' },
  ...auditFlags,
  ...encryptionFlags,
  ...storeFlags,
  ...electionTimeFlags,
  ...controllerFlags,
};

/** `keelson up`: a whole cluster in this process. */
export const upCommand: Command = {
  usage: `Usage: keelson up [FLAGS]\n\nStarts a cluster and points kubectl at it; Ctrl-C stops it.\n\n${describeFlags(upDefinitions)}`,
  async run(args, context) {
    const clock = new RealClock();
    const started = clock.monotonic();
    const flags = new Flags(args.map(spelledOut), withUpstreamFlags(upDefinitions, upstream));
    checkUpstreamFlags(flags, upDefinitions, upstream);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const server = options(flags, context, clock);
    const workers = workersSettings(flags, context, { command: 'up', args, log: server.log });
    if (workers.workers !== undefined && flags.isSet('dev-webhooks'))
      throw new UsageError('--dev-webhooks keeps reviews in one process, so --workers makes no sense with it');
    const settings = workers.workers === undefined ? server : { ...server, ...workers, ...nodesApart(flags, server) };
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
    await using cluster = await startCluster({ ...settings, clock, signal: stop.signal });
    const { access } = cluster.plane;
    const kubeconfig = flags.text('kubeconfig-out') ?? defaultKubeconfigPath(context.environment);
    const { random } = settings;
    await writeKubeconfig(kubeconfig, access, { random, clock });
    using _renewal = cluster.plane.onRenewed(() => {
      writeKubeconfig(kubeconfig, cluster.plane.access, { random, clock }).catch((error: unknown) =>
        context.printError(messageOf(error)),
      );
    });
    await cluster.nodesReady(context.signal);
    const ms = Math.round(clock.monotonic() - started);
    context.print(`ready at ${access.server} in ${ms} ms; kubeconfig ${kubeconfig}, context ${access.name}`);
    await Promise.race([stop.serving(cluster.plane), cluster.running]);
    context.print('stopping');
  },
};

function options(flags: Flags, context: CommandContext, clock: Clock): Omit<ClusterOptions, 'clock' | 'signal'> {
  const folder = flags.text('data-dir') ?? defaultDataFolder(context.environment);
  const inMemory = flags.isSet('in-memory');
  if (inMemory && flags.has('data-dir'))
    throw new UsageError('--in-memory keeps nothing, so --data-dir makes no sense with it');
  const pki = flags.text('pki');
  const server = serverSettings(flags);
  const etcd = etcdStorage(flags);
  if (inMemory && etcd !== undefined) throw new UsageError('--in-memory and --etcd-servers exclude each other');
  const embedded: StorageOptions = inMemory
    ? { type: 'memory', history: historyLimits(flags) }
    : embeddedStorage(flags, join(folder, 'store'));
  return {
    ...server,
    nodeEndpoints: flags.isSet('node-endpoints'),
    ...(etcd === undefined ? {} : nodesApart(flags, server)),
    ...auditSettings(flags, context),
    ...encryptionSettings(flags),
    controllerSettings: controllerSettings(flags),
    nodes: flags.integer('nodes', { min: 0, max: 10_000 }) ?? 1,
    tracedRequests: flags.integer('trace-requests', { min: 0, max: 10_000 }) ?? 500,
    ...nodeNameOf(flags),
    ...electionTimes(flags),
    devWebhooks: flags.isSet('dev-webhooks'),
    controllers: chosenControllers(flags),
    scheduler: schedulerSettings(flags, clock),
    simulatedStorage: flags.isSet('simulated-storage'),
    simulatedMetrics: flags.isSet('simulated-metrics'),
    simulatedDevices: devicesOf(flags),
    name: flags.text('name') ?? 'keelson',
    storage: etcd ?? embedded,
    listen: {
      host: flags.text('bind-address') ?? '127.0.0.1',
      port: flags.integer('port', { min: 0, max: 65_535 }) ?? 6443,
    },
    ...(inMemory ? {} : { pkiFolder: join(folder, 'pki') }),
    ...(pki === undefined ? {} : { sharedPkiFolder: pki }),
    random: new CryptoRandom(),
    log: logOf(flags, context.printError, logLevelOf(flags) ?? 'warn'),
  };
}

function nodeNameOf(flags: Flags): Pick<ClusterOptions, 'nodeName'> {
  const nodeName = flags.text('node-name');
  if (nodeName === undefined) return {};
  if (!/^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?$/.test(nodeName))
    throw new UsageError(`--node-name must be a name of small letters, digits, "-" and ".", got "${nodeName}"`);
  return { nodeName };
}

/**
 * Nodes for servers in other processes, which have no other way to them than ports. Nobody resolves the names of simulated nodes,
 * which are reached by their addresses unless flags say otherwise.
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

function schedulerSettings(flags: Flags, clock: Clock): ClusterOptions['scheduler'] {
  const text = fileFlag(flags, 'scheduler-config');
  if (!flags.isSet('scheduler') && text !== undefined)
    throw new UsageError('--scheduler=none runs no scheduler, so --scheduler-config makes no sense with it');
  if (text === undefined) return flags.isSet('scheduler');
  return usable(() => configuredScheduler(readSchedulerConfiguration(text), { clock }));
}

/** Such as `gpu.example.com=4`. */
function devicesOf(flags: Flags): ClusterOptions['simulatedDevices'] {
  const entries = (flags.list('simulated-devices') ?? []).map((text): [string, number] => {
    const [driver = '', count = ''] = text.split('=');
    const number = /^\d+$/.test(count) ? Number(count) : 0;
    if (driver === '' || number < 1 || number > MOST_SIMULATED_DEVICES) {
      const wanted = `a driver and a number from 1 to ${MOST_SIMULATED_DEVICES}, such as gpu.example.com=4`;
      throw new UsageError(`--simulated-devices needs ${wanted}, got "${text}"`);
    }
    return [driver, number];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** All of them, none, or a choice. */
function chosenControllers(flags: Flags): ClusterOptions['controllers'] {
  const list = flags.list('controllers');
  if (list.length === 0 || list.join() === 'true') return true;
  if (list.join() === 'false') return false;
  const problems = controllerListProblems(list);
  if (problems.length > 0) throw new UsageError(`--controllers: ${problems.join('; ')}`);
  return (builtIn) => chooseControllers(builtIn, list);
}
