import { parseArgs } from 'node:util';

/** A flag of a plugin; one without `value` is a switch. */
export interface PluginFlag {
  readonly help: string;
  /** The kind of value, in the help: `N`, `DURATION`. */
  readonly value?: string;
  readonly default?: string;
  /** One letter. */
  readonly short?: string;
}

/** The flags of a plugin by name. */
export type PluginFlags = Readonly<Record<string, PluginFlag>>;

/** What a plugin reads: text for flags with a value, whether it was given for switches. */
export type PluginFlagValues<Flags extends PluginFlags> = {
  readonly [Name in keyof Flags]: Flags[Name] extends { readonly value: string }
    ? Flags[Name] extends { readonly default: string }
      ? string
      : string | undefined
    : boolean;
};

/** The flags by which kubectl finds its cluster, and with them every plugin. */
export const CLUSTER_FLAGS = {
  kubeconfig: { value: 'FILE', help: 'The kubeconfig; default the one that kubectl uses' },
  context: { value: 'NAME', help: 'A context of the kubeconfig; default the current one' },
  namespace: { value: 'NAME', short: 'n', help: 'Default the namespace of the context' },
  as: { value: 'USER', help: 'Acts as another user' },
  'as-group': { value: 'GROUP', help: 'Acts as a member of the group; may be repeated' },
  help: { short: 'h', help: 'Shows this text' },
} as const satisfies PluginFlags;

export const ALL_NAMESPACES = {
  'all-namespaces': { short: 'A', help: 'Objects of all namespaces' },
} as const satisfies PluginFlags;

/** A command line that the plugin does not understand. */
export class PluginUsageError extends Error {
  override readonly name = 'PluginUsageError';
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  /** The last value of each flag that was given. */
  readonly values: ReadonlyMap<string, string>;
  /** All values of each flag that was given. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** Reads a command line as kubectl reads its own, with its messages. */
export function parseArguments(args: readonly string[], flags: PluginFlags): ParsedArguments {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(flags).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) } as const,
      ]),
    ),
  });
  const positionals: string[] = [];
  const lists = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined)
      throw new PluginUsageError(
        rawName.startsWith('--') ? `unknown flag: ${rawName}` : `unknown shorthand flag: '${name}' in ${rawName}`,
      );
    lists.set(name, [...(lists.get(name) ?? []), flagValue(rawName, flag, value)]);
  }
  const values = new Map([...lists].map(([name, given]) => [name, given.at(-1) ?? '']));
  return { positionals, values, lists };
}

function flagValue(rawName: string, { value: kind }: PluginFlag, value: string | undefined): string {
  if (kind !== undefined && value === undefined) throw new PluginUsageError(`flag needs an argument: ${rawName}`);
  if (kind !== undefined || value === undefined) return value ?? 'true';
  if (value === 'true' || value === 'false') return value;
  throw new PluginUsageError(`invalid argument ${JSON.stringify(value)} for "${rawName}" flag: must be true or false`);
}

/** Throws unless there are as many arguments as the usage names: `POD [CONTAINER] [MORE...]`. */
export function checkCount(positionals: readonly string[], usage: string): void {
  const words = usage.split(/\s+/).filter((word) => word !== '');
  const needed = words.filter((word) => !word.startsWith('['));
  const missing = needed[positionals.length];
  if (missing !== undefined) throw new PluginUsageError(`${missing} is missing`);
  if (/\.\.\.\]?$/.test(usage.trim()) || positionals.length <= words.length) return;
  throw new PluginUsageError(`unexpected argument ${JSON.stringify(positionals[words.length])}`);
}

/** The flags' lines of a help text. */
export function flagLines(flags: PluginFlags): string {
  const lines = Object.entries(flags).map(([name, { short, value, help, default: standard }]) => ({
    left: `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    right: standard === undefined ? help : `${help} (default ${standard})`,
  }));
  const width = Math.max(...lines.map(({ left }) => left.length));
  return lines.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
