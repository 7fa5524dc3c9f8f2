import { parseRuntimeConfig } from '../../api/index.ts';
import {
  CryptoRandom,
  isKubernetesVersion,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
  RealClock,
} from '../../base/index.ts';
import type { SurfaceChange } from '../api/api-surface.ts';
import type { CheckedManifest, Verdict } from '../api/check-manifests.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const all = Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[];

const definitions: FlagDefinitions = {
  kind: { type: 'string', value: 'KIND', help: 'diff: only this kind, with the paths of its fields' },
  versions: {
    type: 'string',
    value: '1.N-1.M',
    default: `${all[0] ?? ''}-${all.at(-1) ?? ''}`,
    help: 'check: these versions of Kubernetes; a range, or a list with commas',
  },
  'runtime-config': {
    type: 'string',
    multiple: true,
    value: 'KEY=BOOL,…',
    help: 'check: turn APIs on or off: api/all, GROUP/VERSION, …',
  },
};

/** `keelson api`: versions of Kubernetes' API. */
export const apiCommand: Command = {
  usage: `Usage: keelson api diff|check …

  keelson api diff 1.34 1.36                       what changes from one version of Kubernetes to another
  keelson api diff 1.34 1.36 --kind Pod            the same of one kind
  keelson api check deploy/ --versions 1.33-1.37   which versions take these manifests, and what they say

Files may be folders. Each version checks on a server of its own, with the definitions of custom kinds among the manifests. Exits with 1
when a version refuses one.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [action = '', ...operands] = flags.positionals;
    if (action === 'diff') return diff(operands, flags, context);
    if (action === 'check') return check(operands, flags, context);
    throw new UsageError(`expected diff or check, got "${action}"`);
  },
};

async function diff(operands: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const [from, to, ...others] = operands;
  if (from === undefined || to === undefined || others.length > 0)
    throw new UsageError('two versions must be given, such as 1.34 1.36');
  const { builtInTypes } = await import('../../api/index.ts'); // other commands start without it
  const { surfaceChanges, surfaceOf, surfaceOfKind } = await import('../api/api-surface.ts');
  const kind = flags.text('kind');
  const [before, after] = [versionOf(from), versionOf(to)].map((version) =>
    kind === undefined ? surfaceOf(builtInTypes(version)) : surfaceOfKind(builtInTypes(version), kind),
  );
  if (before === undefined || after === undefined) return;
  if (kind !== undefined && before.resources.size + after.resources.size === 0)
    throw new UsageError(`neither version has a kind "${kind}"`);
  const { resources, fields } = surfaceChanges(before, after);
  const lines = [...resources, ...fields].map(changeLine);
  context.print(lines.length === 0 ? 'nothing changes' : lines.join('\n'));
}

function changeLine({ place, before, after }: SurfaceChange): string {
  if (before === undefined) return `+ ${place}  ${after ?? ''}`;
  if (after === undefined) return `- ${place}  ${before}`;
  return `~ ${place}  ${before} → ${after}`;
}

async function check(paths: readonly string[], flags: Flags, context: CommandContext): Promise<number> {
  if (paths.length === 0) throw new UsageError('a file must be given');
  const versions = versionsOf(flags.text('versions') ?? '');
  const { readManifests } = await import('../../client/manifests/index.ts'); // other commands start without it
  const { checkManifests } = await import('../api/check-manifests.ts');
  const checked = await checkManifests(await readManifests(paths), versions, {
    clock: new RealClock(),
    random: new CryptoRandom(),
    signal: context.signal,
    runtimeConfig: parseRuntimeConfig(...flags.list('runtime-config')),
  });
  context.print(checked.flatMap(manifestLines).join('\n'));
  return checked.some(({ verdicts }) => verdicts.some(({ problem }) => problem !== undefined)) ? 1 : 0;
}

/** The manifest, and under it what versions say, those that say the same together. */
function manifestLines({ manifest: { object, place }, verdicts }: CheckedManifest): string[] {
  const versions = new Map<string, KubernetesVersion[]>();
  for (const verdict of verdicts) {
    const text = verdictText(verdict);
    versions.set(text, [...(versions.get(text) ?? []), verdict.version]);
  }
  const name = object.metadata?.name ?? object.metadata?.generateName ?? '';
  return [
    `${object.kind} "${name}" of ${place}`,
    ...[...versions].map(([text, own]) => `  ${own.join(', ')}: ${text}`),
  ];
}

function verdictText({ problem, warnings, dropped }: Verdict): string {
  if (problem !== undefined) return `refused: ${problem}`;
  const lost = dropped.length === 0 ? '' : ` without ${dropped.join(', ')}`;
  return `accepted${lost}${warnings.length === 0 ? '' : `, with warnings: ${warnings.join('; ')}`}`;
}

/** `1.33-1.37`, or `1.33,1.36`. */
function versionsOf(text: string): readonly KubernetesVersion[] {
  const [first = '', last, ...others] = text.split('-');
  if (last === undefined) return text.split(',').map(versionOf);
  if (others.length > 0) throw new UsageError(`--versions must be a range or a list, got "${text}"`);
  const [from, to] = [all.indexOf(versionOf(first)), all.indexOf(versionOf(last))];
  if (from > to) throw new UsageError(`--versions: ${first} is later than ${last}`);
  return all.slice(from, to + 1);
}

function versionOf(text: string): KubernetesVersion {
  if (isKubernetesVersion(text)) return text;
  throw new UsageError(`the versions are ${all.join(', ')}, not "${text}"`);
}
