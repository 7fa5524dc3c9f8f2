/** A flag as data: what it is called is its key in `FlagDefinitions`. Parsing is the command line's business. */
export interface FlagDefinition {
  readonly type: 'string' | 'boolean';
  /** May be given more than once, and takes comma-separated lists. */
  readonly multiple?: boolean;
  readonly default?: string | boolean;
  /** The value of a flag that is given without one: `--version` is `--version=true`. */
  readonly bare?: string;
  readonly help: string;
  /** How the help names the value, such as `DIR`. */
  readonly value?: string;
  /** The heading under which the full help lists it; default `Misc`. */
  readonly group?: string;
  /** Left out of the help. */
  readonly isHidden?: boolean;
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>;

/** The flags of one command line, after parsing. */
export interface FlagValues {
  /** Whether the command line has the flag. */
  has(name: string): boolean;
  /** The value, or the default. */
  text(name: string): string | undefined;
  /** The value of a boolean flag, or its default. */
  isSet(name: string): boolean;
  /** All values of a `multiple` flag, with lists split at commas. */
  list(name: string): readonly string[];
  /** A whole number within the range. Throws a `FlagError` for anything else. */
  integer(name: string, range: { readonly min: number; readonly max: number }): number | undefined;
}

/** A flag whose value cannot be used. The command line prints the message and a hint at the help, and exits with code 2. */
export class FlagError extends Error {
  override readonly name: string = 'FlagError';
}

/** The same flags under one heading of the full help, where they name no other. */
export function grouped(group: string, definitions: FlagDefinitions): FlagDefinitions {
  return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, { group, ...definition }]));
}
