import { readFile } from 'node:fs/promises';
import { aborted, type Clock, CryptoRandom, type Random, RealClock } from '../../base/index.ts';
import { type ClusterConnection, findConnection, loadKubeconfig } from '../../client/index.ts';
import { selfSigned, type ServingCertificate } from '../../dashboard/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { historyFlags, historySettings, LOOPBACK, newKey, openDashboard } from '../dashboard/dashboard-flags.ts';
import { pageFolder } from '../dashboard/page-folder.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { logLevelOf, logOf } from './log-flags.ts';
import { placeOf } from './trace.ts';

const definitions: FlagDefinitions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster and your credentials, as kubectl takes them' },
  context: { type: 'string', value: 'NAME', help: 'A context of the kubeconfig' },
  port: { type: 'string', value: 'N', help: 'Port to listen on; 0 takes any free port (default 6464 if it is free)' },
  'read-only': { type: 'boolean', help: 'Refuse all writes, also commands in containers and ports of pods' },
  'viewer-tokens': {
    type: 'boolean',
    help: 'Serve HTTPS, and ask each viewer for a token of their own instead of using your credentials; for dashboards in a cluster',
  },
  'bind-address': {
    type: 'string',
    value: 'ADDRESS',
    default: LOOPBACK,
    help: 'Address to listen at; others than 127.0.0.1 need --viewer-tokens',
  },
  'tls-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate for --viewer-tokens (default: one that it signs itself)',
  },
  'tls-private-key-file': { type: 'string', value: 'FILE', help: 'Key of the certificate' },
  ...historyFlags,
  'log-level': { type: 'string', value: 'LEVEL', help: 'Lowest level that is logged: debug, info, warn or error' },
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'Format of log lines: text or json' },
};

/** `keelson dashboard`: shows any cluster in a browser. */
export const dashboardCommand: Command = {
  usage: `Usage: keelson dashboard [FLAGS]

  keelson dashboard                        the cluster that kubectl points at
  keelson dashboard --context prod --read-only

Prints an address for your browser. It has a key, with which the dashboard acts with your credentials: keep it to yourself.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const [clock, random] = [new RealClock(), new CryptoRandom()];
    const place = await listeningPlace(flags, { clock, random });
    const { environment } = context;
    const connection = await findConnection({ ...placeOf(flags), environment, clock });
    const isKeyed = place.certificate === undefined;
    const settings = {
      connection,
      clusterName: await clusterName(flags, connection, context),
      ...(isKeyed ? { key: newKey(random) } : {}),
      isReadOnly: flags.isSet('read-only'),
      pageFolder: pageFolder(),
      history: historySettings(flags),
      clock,
      random,
      log: logOf(flags, context.printError, logLevelOf(flags) ?? 'warn'),
    };
    await using dashboard = await openDashboard(settings, flags, { ...place, flag: 'port' });
    context.print(`dashboard of ${connection.server} at ${dashboard.url}`);
    await aborted(context.signal);
  },
};

async function listeningPlace(
  flags: Flags,
  tools: { readonly clock: Clock; readonly random: Random },
): Promise<{ readonly host: string; readonly certificate?: ServingCertificate }> {
  const host = flags.text('bind-address') ?? LOOPBACK;
  const [certificateFile, keyFile] = [flags.text('tls-cert-file'), flags.text('tls-private-key-file')];
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together');
  if (!flags.isSet('viewer-tokens')) {
    if (host !== LOOPBACK && host !== '::1')
      throw new UsageError(
        `--bind-address ${host} would let others act with your credentials; --viewer-tokens asks each viewer for their own`,
      );
    if (certificateFile !== undefined) throw new UsageError('--tls-cert-file makes sense with --viewer-tokens only');
    return { host };
  }
  if (certificateFile === undefined || keyFile === undefined) return { host, certificate: selfSigned(tools) };
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { host, certificate: { certificate, key } };
}

/** The cluster's name in the kubeconfig; its address where there is none. */
async function clusterName(
  flags: Flags,
  { server }: ClusterConnection,
  { environment }: CommandContext,
): Promise<string> {
  const { kubeconfig: path, context } = placeOf(flags);
  const config = await loadKubeconfig({ ...(path === undefined ? {} : { path }), environment }).catch(() => undefined); // in a pod
  return config?.contexts.get(context ?? config.currentContext ?? '')?.cluster ?? new URL(server).host;
}
