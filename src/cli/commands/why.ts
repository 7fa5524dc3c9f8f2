import { type Client, connect, findConnection, hasReason, type Pod, type Stored } from '../../client/index.ts';
import type { SchedulingAttempt } from '../../cluster/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { attemptsText, conditionText } from '../why/why-text.ts';
import { placeOf } from './trace.ts';

const definitions: FlagDefinitions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster, as kubectl takes it' },
  context: { type: 'string', value: 'NAME', help: 'A context of the kubeconfig' },
  namespace: { type: 'string', value: 'NAME', help: "The pod's namespace; -n for short (that of the context)" },
  json: { type: 'boolean', help: 'Print JSON' },
};

/** `keelson why`: what the scheduler's plugins and extenders say about a pod. */
export const whyCommand: Command = {
  name: 'why',
  summary: 'Show why a pod went to its node, or to none: what each plugin and extender said',
  usage: `Usage: keelson why pod/NAME [FLAGS]\n\n${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(
      args.map((arg) => (arg === '-n' ? '--namespace' : arg)),
      definitions,
    );
    const [subject = '', ...more] = flags.positionals;
    if (more.length > 0) throw new UsageError(`unexpected argument "${more[0] ?? ''}"`);
    const name = /^(?:pods?|po)\/(.+)$/.exec(subject)?.[1];
    if (name === undefined) throw new UsageError(`which pod? Say pod/NAME, got "${subject}"`);
    const { environment, signal } = context;
    const place = placeOf(flags);
    const namespace =
      flags.text('namespace') ?? (await findConnection({ ...place, environment })).namespace ?? 'default';
    await using client = await connect({ ...place, environment, userAgent: 'keelson-why' });
    const pod = await client.core.v1.pods.namespace(namespace).get(name, { signal });
    const attempts = await attemptsOf(client, `${namespace}/${name}`, signal);
    if (flags.isSet('json')) context.print(JSON.stringify({ items: attempts ?? [] }));
    else context.print(attempts === undefined ? fallback(pod) : attemptsText(attempts));
  },
};

/** Undefined when nobody remembers. */
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
  return `${conditionText(pod)}\n(only the scheduler within "keelson up" tells more, of the last 1,000 pods)`;
}
