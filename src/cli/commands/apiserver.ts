import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import {
  type ControlPlaneOptions,
  runWorker,
  type ServingOptions,
  startControlPlane,
  type StorageOptions,
} from '../../cluster/server-only.ts';
import {
  auditSettings,
  embeddedStorage,
  encryptionSettings,
  etcdStorage,
  kubernetesVersionOf,
  server,
  serverSettings,
} from '../../cluster/programs/apiserver/index.ts';
import { fileFlag, readFlagFile } from '../../cluster/programs/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { type FlagDefinitions, Flags } from '../flags.ts';
import { helpOf } from '../help-text.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream-flags.ts';
import { logLevelOf, logOf } from './log-flags.ts';
import { placeAt } from '../envtest/etcd-place.ts';
import { workloadOf } from '../envtest/workload-environment.ts';
import { IdleCollector } from '../idle-collector.ts';
import { YoungSpaceLimit } from '../young-space.ts';
import { versionAsked, versionFlags } from '../version-flag.ts';
import { orderlyStop } from './shutdown-delay.ts';
import { leaveStoppingToMain, workerNumber, workersSettings } from './workers-flags.ts';

const { flags: programFlags, help } = server;
const upstream = programFlags.upstream.standalone;

/** The flags that take effect. */
export const apiserverDefinitions: FlagDefinitions = {
  ...programFlags.standalone,
  ...programFlags.shared,
  ...versionFlags,
};

const known = withUpstreamFlags(apiserverDefinitions, upstream);

/** `keelson apiserver`: the API server alone, with kube-apiserver's flags. */
export const apiserverCommand: Command = {
  ...helpOf({
    synopsis: 'keelson apiserver (--etcd-servers URL | --data-dir DIR) [FLAGS]',
    description: "Runs the API server alone, with kube-apiserver's flags.",
    definitions: apiserverDefinitions,
    ...help,
    upstream: { count: Object.keys(known).length - Object.keys(apiserverDefinitions).length },
  }),
  async run(args, context) {
    const flags = new Flags(args, known);
    checkUpstreamFlags(flags, apiserverDefinitions, upstream);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const { printed, reported } = versionAsked(flags, kubernetesVersionOf(flags));
    if (printed !== undefined) return context.print(printed);
    const clock = new RealClock();
    using _collector = new IdleCollector(clock);
    using _young = new YoungSpaceLimit();
    const storage = await storageOf(flags, context.signal);
    const { storage: form, ...common } = { ...options(flags, context), clock };
    const workload = workloadOf(context.environment);
    if (workload !== undefined && flags.has('workers'))
      throw new UsageError('--workers needs an API server without other programs in its process');
    const workers = workersSettings(flags, context, { command: 'apiserver', args, log: common.log });
    const own = {
      ...common,
      storage: { ...storage, ...form },
      serving: { ...common.serving, ...workers, reportedVersion: reported },
    };
    const worker = workerNumber(context);
    if (worker !== undefined) {
      using _signals = leaveStoppingToMain(context);
      await runWorker({ ...own, log: own.log.with({ worker }) });
      return;
    }
    using stop = orderlyStop(flags, { clock, signal: context.signal });
    const settings = { ...own, signal: stop.signal };
    if (workload === undefined) {
      await using plane = await startControlPlane(settings);
      context.print(`serving at ${plane.url}`);
      await stop.serving(plane);
    } else {
      const { launchCluster } = await import('../../cluster/index.ts'); // few servers run other programs
      await using cluster = await launchCluster({ ...settings, ...workload });
      context.print(`serving at ${cluster.plane.url}`);
      await Promise.race([stop.serving(cluster.plane), cluster.running]);
    }
  },
};

/** etcd, or the folder of a placeholder for etcd, or the embedded store. */
async function storageOf(flags: Flags, signal: AbortSignal): Promise<StorageOptions> {
  const etcd = etcdStorage(flags);
  const folder = flags.text('data-dir');
  if (etcd?.type === 'etcd') {
    const place = await placeAt(etcd.etcd.endpoints[0] ?? '', signal);
    if (place === undefined) return etcd;
    const prefix = encodeURIComponent(etcd.etcd.prefix ?? '');
    return { ...embeddedStorage(flags, join(place.dataDir, 'keelson', prefix)), syncs: place.syncs };
  }
  if (folder === undefined) throw new UsageError('--etcd-servers or --data-dir must be given');
  return embeddedStorage(flags, join(folder, 'store'));
}

type ServerOptions = Omit<ControlPlaneOptions, 'clock' | 'signal' | 'storage'> & {
  readonly storage: Pick<StorageOptions, 'encryption' | 'eventTtl'>;
};

function options(flags: Flags, context: CommandContext): ServerOptions {
  const certificate = fileFlag(flags, 'tls-cert-file');
  const privateKey = fileFlag(flags, 'tls-private-key-file');
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together');
  }
  const clientAuthorities = fileFlag(flags, 'client-ca-file');
  const settings = serverSettings(flags);
  const { printRequest, ...audit } = auditSettings(flags, context);
  return {
    ...settings,
    name: 'keelson',
    storage: { ...settings.storage, ...encryptionSettings(flags) },
    serving: {
      ...settings.serving,
      listen: {
        host: flags.text('bind-address') ?? '0.0.0.0',
        port: flags.integer('secure-port', { min: 0, max: 65_535 }) ?? 6443,
      },
      ...keysOf(flags),
      ...(certificate === undefined || privateKey === undefined ? {} : { credential: { certificate, privateKey } }),
      certificateFiles: certificateFiles(flags),
    },
    access: { ...settings.access, ...audit, ...(clientAuthorities === undefined ? {} : { clientAuthorities }) },
    tracing: {
      tracedRequests: flags.integer('trace-requests', { min: 0, max: 10_000 }) ?? 0,
      ...(printRequest === undefined ? {} : { printRequest }),
    },
    random: new CryptoRandom(),
    log: logOf(flags, context.printError, logLevelOf(flags) ?? 'info'),
  };
}

/**
 * The folder of the keys. If it has a serving certificate but no key of our authority, it belongs to the user: nothing
 * is added to it, unless the key that signs tokens would be stored nowhere else.
 */
function keysOf(flags: Flags): Pick<ServingOptions, 'pkiFolder' | 'credential'> {
  const folder = flags.text('cert-dir') ?? '';
  const [certificate, privateKey] = ['apiserver.crt', 'apiserver.key'].map((name) => join(folder, name));
  const isTheirs = certificate !== undefined && existsSync(certificate) && !existsSync(join(folder, 'ca.key'));
  if (!isTheirs || privateKey === undefined || !flags.has('service-account-signing-key-file'))
    return { pkiFolder: folder };
  const read = (path: string): string => readFlagFile('cert-dir', path);
  return { credential: { certificate: read(certificate), privateKey: read(privateKey) } };
}

/** The files that are read again when they change. */
function certificateFiles(flags: Flags): NonNullable<ServingOptions['certificateFiles']> {
  const [certificate, privateKey] = [flags.text('tls-cert-file'), flags.text('tls-private-key-file')];
  const clientAuthorities = flags.text('client-ca-file');
  const proxyAuthorities = flags.text('requestheader-client-ca-file');
  return {
    ...(certificate === undefined || privateKey === undefined ? {} : { serving: { certificate, privateKey } }),
    ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
    ...(proxyAuthorities === undefined ? {} : { proxyAuthorities }),
  };
}
