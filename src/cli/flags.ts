import { parseArgs } from 'node:util';
import { type FlagDefinition, type FlagDefinitions, type FlagValues, grouped } from '../cluster/programs/index.ts';
import { UsageError } from './command.ts';
import { nearestName } from './nearest-name.ts';

export { type FlagDefinition, type FlagDefinitions, grouped };

/** The flags of a command line, read by name. */
export class Flags implements FlagValues {
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly #definitions: FlagDefinitions;
  readonly positionals: readonly string[];

  constructor(args: readonly string[], definitions: FlagDefinitions) {
    const options = Object.fromEntries(
      Object.entries(definitions).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
    );
    try {
      const spelled = spellOut(args, definitions);
      const parsed = parseArgs({ args: spelled, options, allowPositionals: true, allowNegative: true, strict: true });
      this.#values = parsed.values;
      this.positionals = parsed.positionals;
    } catch (cause) {
      throw new UsageError(problemOf(cause as Error, definitions), { cause });
    }
    this.#definitions = definitions;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#values[name] ?? this.#definitions[name]?.default;
    return typeof value === 'string' ? value : undefined;
  }

  isSet(name: string): boolean {
    return (this.#values[name] ?? this.#definitions[name]?.default) === true;
  }

  list(name: string): readonly string[] {
    const value = this.#values[name];
    const texts = Array.isArray(value) ? value.map(String) : [];
    return texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
  }

  integer(name: string, range: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value;
    throw new UsageError(`--${name} must be a whole number from ${range.min} to ${range.max}, got "${text}"`);
  }
}

/** `--flag=true` and `--flag=false` work for booleans, and some flags have a value that need not be given, as upstream. */
function spellOut(args: readonly string[], definitions: FlagDefinitions): string[] {
  return args.flatMap((arg) => {
    const bare = arg.startsWith('--') ? definitions[arg.slice(2)]?.bare : undefined;
    if (bare !== undefined) return [`${arg}=${bare}`];
    const match = /^--([\w-]+)=(true|false)$/.exec(arg);
    if (match === null || definitions[match[1] ?? '']?.type !== 'boolean') return [arg];
    return [match[2] === 'true' ? `--${match[1] ?? ''}` : `--no-${match[1] ?? ''}`];
  });
}

/** The error for an invalid command line; suggests the nearest flag for an unknown one. */
function problemOf({ message }: Error, definitions: FlagDefinitions): string {
  const [, unfinished] = /^Option '(--[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(message) ?? [];
  if (unfinished !== undefined)
    return `${unfinished} needs a value; one that begins with "-" is written as ${unfinished}=-…`;
  const [, flag] = /^Unknown option '(--?[^']+)'/.exec(message) ?? [];
  if (flag === undefined) return message;
  const shown = Object.keys(definitions);
  const isNegated = flag.startsWith('--no-');
  const nearest = nearestName(flag.replace(isNegated ? '--no-' : /^--?/, ''), shown);
  const hint = nearest === undefined ? '' : `; did you mean ${isNegated ? '--no-' : '--'}${nearest}?`;
  return `unknown flag ${flag}${hint}`;
}

/** The flags as lines of a help text. */
export function describeFlags(definitions: FlagDefinitions): string {
  const shown = Object.entries(definitions).filter(([, { isHidden = false }]) => !isHidden);
  const rows = shown.map(([name, { type, value, help, default: preset }]) => {
    const left = type === 'boolean' ? `--${name}` : `--${name} ${value ?? 'VALUE'}`;
    return [left, preset === undefined ? help : `${help} (default ${preset})`] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`).join('\n');
}
