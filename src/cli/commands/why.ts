import {
  type Client,
  type ClusterConnection,
  connectTo,
  findConnection,
  hasReason,
  type Pod,
  type Stored,
} from '../../client/index.ts';
import type { SchedulingAttempt } from '../../cluster/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { attemptsText, conditionText } from '../why/why-text.ts';
import { findPod } from '../why/find-pod.ts';
import { placeOf } from './trace.ts';

const definitions: FlagDefinitions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster, as kubectl takes it' },
  context: { type: 'string', value: 'NAME', help: 'A context of the kubeconfig' },
  namespace: { type: 'string', value: 'NAME', help: "The pod's namespace; -n for short (that of the context)" },
  scheduler: {
    type: 'string',
    value: 'URL',
    help: 'A "keelson scheduler" that runs apart, by its --secure-port: https://HOST:10259',
  },
  'insecure-skip-tls-verify': {
    type: 'boolean',
    help: 'Trust any certificate of --scheduler: by default a scheduler makes its own in memory',
  },
  json: { type: 'boolean', help: 'Print JSON' },
};

/** `keelson why`: shows what the scheduler's plugins and extenders decided about a pod. */
export const whyCommand: Command = {
  usage: `Usage: keelson why NAME [FLAGS]

  keelson why web-5d79f54576-2m8rx   a pod by its name, here or in another namespace
  keelson why web                    the pod whose name begins so

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(
      args.map((arg) => (arg === '-n' ? '--namespace' : arg)),
      definitions,
    );
    const [subject = '', ...more] = flags.positionals;
    if (more.length > 0) throw new UsageError(`unexpected argument "${more[0] ?? ''}"`);
    const wanted = /^(?:(?:pods?|po)\/)?([^/]+)$/.exec(subject)?.[1];
    if (wanted === undefined) throw new UsageError(`which pod? Say NAME or pod/NAME, got "${subject}"`);
    const { environment, signal } = context;
    const connection = await findConnection({ ...placeOf(flags), environment });
    const namespace = flags.text('namespace') ?? connection.namespace ?? 'default';
    const userAgent = 'keelson-why';
    await using client = connectTo(connection, { userAgent });
    const pod = await findPod(client, { name: wanted, namespace, isAnywhere: !flags.has('namespace'), signal });
    await using scheduler = connectTo(placeOfScheduler(flags, connection), { userAgent });
    const key = `${pod.metadata.namespace ?? namespace}/${pod.metadata.name}`;
    if (key !== `${namespace}/${wanted}` && !flags.isSet('json')) context.print(`pod ${key}:`);
    const attempts = await attemptsOf(scheduler, key, signal);
    if (flags.isSet('json')) context.print(JSON.stringify({ items: attempts ?? [] }));
    else context.print(attempts === undefined ? fallback(pod) : attemptsText(attempts));
  },
};

/** A scheduler in the server's process is reached through the API server. */
function placeOfScheduler(flags: Flags, connection: ClusterConnection): ClusterConnection {
  const server = flags.text('scheduler');
  const insecureSkipTlsVerify = flags.isSet('insecure-skip-tls-verify');
  if (server === undefined && insecureSkipTlsVerify)
    throw new UsageError('--insecure-skip-tls-verify is about --scheduler, which is missing');
  if (server === undefined) return connection;
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:')
    throw new UsageError(`--scheduler must be a URL that begins with https://, got "${server}"`);
  return { ...connection, server, ...(insecureSkipTlsVerify ? { insecureSkipTlsVerify } : {}) };
}

/** Undefined when no attempts are kept. */
async function attemptsOf(
  client: Client,
  key: string,
  signal: AbortSignal,
): Promise<readonly SchedulingAttempt[] | undefined> {
  try {
    const answer = await client.request({ method: 'GET', path: `/keelson/scheduling/${key}`, signal });
    return (answer as { readonly items: readonly SchedulingAttempt[] }).items;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

function fallback(pod: Stored<Pod>): string {
  return `${conditionText(pod)}\n(only Keelson's scheduler tells more, of the last 1,000 pods; one that runs apart is named by --scheduler)`;
}
