import { type ConnectOptions, loadKubeconfig, Namespace } from '../../client/index.ts';
import { type ParsedArguments, parseArguments, type PluginFlags } from './plugin-arguments.ts';
import type { PluginContext } from './plugin-context.ts';

/** The last line that kubectl reads: an error, and "do not suggest files". */
export const COMPLETION_FAILED = ':1';
const NO_FILES = ':4';

interface CompletionParts {
  readonly flags: PluginFlags;
  readonly environment: ConnectOptions['environment'];
  /** Does something with the cluster that the words so far choose. */
  within<T>(parsed: ParsedArguments, work: (context: PluginContext) => Promise<T>): Promise<T>;
  /** The plugin's suggestions for its next argument. */
  own?(parsed: ParsedArguments): Promise<readonly string[]>;
}

/** The lines that answer kubectl: what may stand in place of the last word, then what the shell is to do with it. */
export async function completions(words: readonly string[], parts: CompletionParts): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const found = await suggestions(before, typed, parts);
  const fitting = found.filter((each) => each.startsWith(typed) && !/[\n\t]/.test(each));
  return [...new Set(fitting), NO_FILES];
}

async function suggestions(
  before: readonly string[],
  typed: string,
  parts: CompletionParts,
): Promise<readonly string[]> {
  const { flags } = parts;
  const isEnded = before.includes('--');
  const waiting = isEnded ? undefined : waitingFlag(before.at(-1), flags);
  if (waiting !== undefined) return valuesOf(waiting, before.slice(0, -1), parts);
  const inline = /^--([^=]+)=/.exec(typed);
  if (!isEnded && inline !== null) {
    const [start, name = ''] = inline;
    return (await valuesOf(name, before, parts)).map((value) => `${start}${value}`);
  }
  if (!isEnded && typed.startsWith('-')) return Object.keys(flags).map((name) => `--${name}`);
  return (await parts.own?.(parseArguments(before, flags))) ?? [];
}

/** The flag whose value comes next. */
function waitingFlag(word: string | undefined, flags: PluginFlags): string | undefined {
  const found = Object.entries(flags).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found?.[1].value === undefined ? undefined : found[0];
}

async function valuesOf(name: string, before: readonly string[], parts: CompletionParts): Promise<readonly string[]> {
  const parsed = parseArguments(before, parts.flags);
  if (name === 'context') {
    const path = parsed.values.get('kubeconfig');
    return [...(await loadKubeconfig({ path, environment: parts.environment })).contexts.keys()];
  }
  if (name !== 'namespace') return [];
  return parts.within(parsed, async ({ client, signal }) => {
    const { items } = await client.kind(Namespace).list({ limit: MAX_NAMES, signal });
    return items.map(({ metadata }) => metadata.name);
  });
}

const MAX_NAMES = 500;
