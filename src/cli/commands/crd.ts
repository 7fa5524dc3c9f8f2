import { readFileSync } from 'node:fs';
import type { Definition } from '../../kit/index.ts';
import type { ClusterFlags } from '../definitions/read-definitions.ts';
import type { Command, CommandContext } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  against: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'diff: what to compare with (default: the cluster)',
  },
  'round-trips': {
    type: 'string',
    value: 'N',
    default: '100',
    help: 'check: objects generated for each converted version',
  },
  service: {
    type: 'string',
    value: 'NAMESPACE/NAME',
    help: 'print: the Service of the conversion webhook, reached at /convert',
  },
  'ca-bundle': { type: 'string', value: 'FILE', help: 'print: PEM of the authority of its certificate' },
  output: { type: 'string', value: 'FORMAT', default: 'yaml', help: 'print: yaml or json' },
  kubeconfig: { type: 'string', value: 'FILE', help: 'diff: where the cluster is' },
  context: { type: 'string', value: 'NAME', help: 'diff: which of its contexts' },
};

/** A placeholder for commands that ignore the address of the conversion webhook. */
const NOWHERE = { conversion: { url: 'https://localhost/convert' } };

/** `keelson crd`: CustomResourceDefinitions of modules and files. */
export const crdCommand: Command = {
  usage: `Usage: keelson crd print|check|diff FILE… [FLAGS]

  keelson crd print cache.ts            the definitions of the kinds that a module exports
  keelson crd check cache.ts crd.yaml   what a server would say against them, and what conversions lose
  keelson crd diff cache.ts             what differs from the cluster, and what of it breaks stored objects

Exits with 1 when a check finds something, or when a difference breaks objects or clients.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [action = '', ...files] = flags.positionals;
    const act = actions[action];
    if (act === undefined) throw new UsageError(`expected print, check or diff, got "${action}"`);
    if (files.length === 0) throw new UsageError('a file must be given');
    await act(files, flags, context);
  },
};

type Action = (files: readonly string[], flags: Flags, context: CommandContext) => Promise<void>;

const actions: Readonly<Record<string, Action>> = { print, check, diff };

async function print(files: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const output = flags.text('output');
  if (output !== 'yaml' && output !== 'json')
    throw new UsageError(`--output must be yaml or json, got "${output ?? ''}"`);
  const { readDefinitions } = await import('../definitions/read-definitions.ts'); // other commands start without it
  const { encodeYaml } = await import('../../api/index.ts');
  const conversion = conversionOf(flags);
  const found = await readDefinitions(files, conversion === undefined ? {} : { conversion });
  const { withoutUrl } = await import('../manifests/without-url.ts');
  const definitions = found.map(({ definition }) => withoutUrl(definition));
  const texts = definitions.map((definition) =>
    output === 'json' ? JSON.stringify(definition, undefined, 2) : encodeYaml(definition).trimEnd(),
  );
  context.print(texts.join(output === 'json' ? '\n' : '\n---\n'));
}

function conversionOf(
  flags: Flags,
): { readonly service: { namespace: string; name: string; path: string } } | undefined {
  const service = flags.text('service');
  if (service === undefined) return undefined;
  const [namespace = '', name = '', ...rest] = service.split('/');
  if (name === '' || rest.length > 0) throw new UsageError(`--service must be NAMESPACE/NAME, got "${service}"`);
  const file = flags.text('ca-bundle');
  const bundle = file === undefined ? {} : { caBundle: readFileSync(file).toString('base64') };
  return { service: { namespace, name, path: '/convert' }, ...bundle };
}

async function check(files: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const runs = flags.integer('round-trips', { min: 0, max: 1_000_000 }) ?? 0;
  const { readDefinitions } = await import('../definitions/read-definitions.ts');
  const { checkFound } = await import('../definitions/check-definitions.ts');
  const lines: string[] = [];
  for (const found of await readDefinitions(files, NOWHERE)) lines.push(...(await checkFound(found, runs)));
  for (const line of lines) context.print(line);
  if (lines.length > 0) throw new Error(`${lines.length} problem${lines.length === 1 ? '' : 's'} found`);
}

async function diff(files: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const { readDefinitions, clusterDefinitions } = await import('../definitions/read-definitions.ts');
  const against = flags.list('against');
  const cluster: ClusterFlags = {
    kubeconfig: flags.text('kubeconfig'),
    context: flags.text('context'),
    signal: context.signal,
  };
  const old = against.length > 0 ? await readDefinitions(against, NOWHERE) : await clusterDefinitions(cluster);
  const byName = new Map(old.map(({ name, definition }) => [name, definition]));
  const { definitionChanges } = await import('../../kit/index.ts');
  let breaking = 0;
  for (const { name, definition } of await readDefinitions(files, NOWHERE)) {
    const before = byName.get(name);
    const changes = before === undefined ? [] : definitionChanges(before, definition);
    breaking += changes.filter(({ effect }) => effect === 'breaks').length;
    context.print(`${name}${sumUp(before, changes.length)}`);
    for (const { effect, path, message } of changes) context.print(`  ${effect}  ${path} ${message}`);
  }
  if (breaking > 0)
    throw new Error(`${breaking} change${breaking === 1 ? ' breaks' : 's break'} stored objects or clients`);
}

function sumUp(before: Definition | undefined, changes: number): string {
  if (before === undefined) return ': new';
  return changes === 0 ? ': the same' : '';
}
