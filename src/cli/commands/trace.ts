import { type Client, connect, connectTo, findConnection } from '../../client/index.ts';
import type { TracedRequest } from '../../cluster/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { isBackground, LIST_HEAD, listLine, treeText } from '../trace/trace-text.ts';
import { traceCommand } from '../trace/traced-command.ts';
import { showReviews } from './replay.ts';

const PATH = '/keelson/requests';
const WAIT = '25s';

const definitions: FlagDefinitions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster, as kubectl takes it' },
  context: { type: 'string', value: 'NAME', help: 'A context of the kubeconfig' },
  follow: { type: 'boolean', help: 'Follow new requests; -f for short' },
  all: { type: 'boolean', help: 'Leave out nothing: renewals of Leases, Events, steps that did nothing' },
  json: { type: 'boolean', help: 'Print JSON, one document per line' },
};

const usage = `Usage: keelson trace [-f] [FLAGS]          list recent requests that wrote something or were refused
       keelson trace ID [FLAGS]            show one, by its id or audit ID: what each stage, plugin, webhook and policy decided and changed
       keelson trace [FLAGS] -- COMMAND    run a command, such as kubectl, and show its requests
       keelson trace webhooks [ID]         list the last reviews that webhooks were sent, or show one (needs keelson up --dev-webhooks)

${describeFlags(definitions)}`;

/** `keelson trace`: shows what happened to requests, and why. */
export const traceCommandLine: Command = {
  usage,
  async run(args, context) {
    const end = args.indexOf('--');
    const own = (end < 0 ? args : args.slice(0, end)).map((arg) => (arg === '-f' ? '--follow' : arg));
    const command = end < 0 ? undefined : args.slice(end + 1);
    const flags = new Flags(own, definitions);
    const [first, ...more] = flags.positionals;
    if (command !== undefined) return traceThis(command, flags, context);
    await using client = await connect({
      ...placeOf(flags),
      environment: context.environment,
      userAgent: 'keelson-trace',
    });
    if (first === 'webhooks') return await showReviews(client, more, context);
    if (more.length > 0) throw new UsageError(`unexpected argument "${more[0] ?? ''}"`);
    if (first !== undefined) return await showOne(client, first, { flags, context });
    return await (flags.isSet('follow') ? follow(client, flags, context) : list(client, flags, context));
  },
};

export function placeOf(flags: Flags): { readonly kubeconfig?: string; readonly context?: string } {
  const [kubeconfig, context] = [flags.text('kubeconfig'), flags.text('context')];
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

async function requests(client: Client, query: Readonly<Record<string, string>>, signal: AbortSignal) {
  const { items } = (await client.request({ method: 'GET', path: PATH, query, signal })) as {
    readonly items: readonly TracedRequest[];
  };
  return items;
}

async function list(client: Client, flags: Flags, context: CommandContext): Promise<void> {
  const found = await requests(client, {}, context.signal);
  const shown = flags.isSet('all') ? found : found.filter((request) => !isBackground(request));
  if (!flags.isSet('json')) context.print(LIST_HEAD);
  for (const request of shown)
    context.print(flags.isSet('json') ? JSON.stringify(request) : listLine(request, context.paint));
  if (found.length === 0) context.printError('no requests were kept; see --trace-requests of keelson up and apiserver');
}

async function follow(client: Client, flags: Flags, context: CommandContext): Promise<void> {
  const { signal } = context;
  if (!flags.isSet('json')) context.print(LIST_HEAD);
  let after = (await requests(client, {}, signal)).at(-1)?.id ?? '0';
  while (!signal.aborted) {
    const next = await requests(client, { after, wait: WAIT }, signal).catch((error: unknown) => {
      if (signal.aborted) return [];
      throw error;
    });
    after = next.at(-1)?.id ?? after;
    for (const request of next) {
      if (isBackground(request) && !flags.isSet('all')) continue;
      context.print(flags.isSet('json') ? JSON.stringify(request) : listLine(request, context.paint));
    }
  }
}

interface Showing {
  readonly flags: Flags;
  readonly context: CommandContext;
}

async function showOne(client: Client, id: string, { flags, context }: Showing): Promise<void> {
  const request = await requestOf(client, id, context.signal);
  context.print(flags.isSet('json') ? JSON.stringify(request) : treeText(request, flags.isSet('all')));
}

async function requestOf(client: Client, id: string, signal: AbortSignal): Promise<TracedRequest> {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  return (await client.request({ method: 'GET', path, signal })) as TracedRequest;
}

async function traceThis(command: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  if (command.length === 0) throw new UsageError('which command?');
  const { environment, signal } = context;
  const connection = await findConnection({ ...placeOf(flags), environment });
  const { traces, code } = await traceCommand(command, connection, { environment, signal });
  await using client = connectTo(connection, { userAgent: 'keelson-trace' });
  const isEverything = flags.isSet('all') || flags.isSet('json');
  for (const id of traces) {
    const request = await requestOf(client, id, signal);
    if (flags.isSet('json')) context.print(JSON.stringify(request));
    else
      context.print(`\n${isEverything || !isPlainRead(request) ? treeText(request, isEverything) : readLine(request)}`);
  }
  if (code !== 0) throw new Error(`"${command[0] ?? ''}" ended with ${code}`);
}

/** A successful read, which a list leaves out. */
function isPlainRead({ method, code }: TracedRequest): boolean {
  return method === 'GET' && code < 400;
}

function readLine({ id, method, path, code, durationMs }: TracedRequest): string {
  return `${method} ${path}\nrequest ${id}, answered ${code} after ${durationMs.toFixed(1)} ms`;
}
