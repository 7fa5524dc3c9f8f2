import type { Command } from './language/syntax.ts';
import { checkLength, ShellFailure } from './shell-failure.ts';

const MAX_VARIABLES = 4096;
/** The total length of names and values. */
const MAX_VARIABLE_CHARACTERS = 1024 * 1024;
const MAX_FUNCTIONS = 1024;

/** What a shell remembers between commands. A subshell begins with a copy. */
export class ShellState {
  readonly #variables: Map<string, string>;
  readonly #exported: Set<string>;
  readonly #readOnly: Set<string>;
  readonly #functions: Map<string, Command>;
  #characters: number;
  /** By number of the signal: the script to run; empty to ignore the signal. */
  readonly traps: Map<number, string>;
  /** Letters of `set`, and `pipefail`. */
  readonly options: Set<string>;
  /** `$0` */
  name: string;
  parameters: readonly string[];
  directory: string;
  /** The exit code of the last command. */
  code = 0;
  lastBackgroundPid: number | undefined;

  constructor(from: Iterable<readonly [string, string]> | ShellState, directory = '/') {
    if (from instanceof ShellState) {
      this.#variables = new Map(from.#variables);
      this.#exported = new Set(from.#exported);
      this.#readOnly = new Set(from.#readOnly);
      this.#functions = new Map(from.#functions);
      this.#characters = from.#characters;
      this.options = new Set(from.options);
      this.parameters = from.parameters;
      this.directory = from.directory;
      this.name = from.name;
      this.code = from.code;
      this.lastBackgroundPid = from.lastBackgroundPid;
      this.traps = new Map([...from.traps].filter(([, script]) => script === ''));
      return;
    }
    this.#variables = new Map(from);
    this.#exported = new Set(this.#variables.keys());
    this.#readOnly = new Set();
    this.#functions = new Map();
    this.#characters = [...this.#variables].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    this.options = new Set();
    this.parameters = [];
    this.directory = directory;
    this.name = 'sh';
    this.traps = new Map();
  }

  get(name: string): string | undefined {
    return this.#variables.get(name);
  }

  set(name: string, value: string): void {
    if (this.#readOnly.has(name)) throw new ShellFailure(`${name}: is read only`);
    checkLength(value.length);
    const before = this.#variables.get(name);
    this.#characters += value.length - (before === undefined ? -name.length : before.length);
    const isFull = this.#characters > MAX_VARIABLE_CHARACTERS || this.#variables.size >= MAX_VARIABLES;
    if (isFull && (before === undefined || value.length > before.length)) throw new ShellFailure('out of memory');
    this.#variables.set(name, value);
    if (this.options.has('a')) this.#exported.add(name);
  }

  unset(name: string): void {
    if (this.#readOnly.has(name)) throw new ShellFailure(`${name}: is read only`);
    const before = this.#variables.get(name);
    if (before !== undefined) this.#characters -= name.length + before.length;
    this.#variables.delete(name);
    this.#exported.delete(name);
  }

  export(name: string): void {
    this.#exported.add(name);
  }

  protect(name: string): void {
    this.#readOnly.add(name);
  }

  /** All variables by name. */
  get variables(): readonly (readonly [string, string])[] {
    return [...this.#variables].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** The environment of programs. */
  get environment(): Map<string, string> {
    return new Map([...this.#variables].filter(([name]) => this.#exported.has(name)));
  }

  isExported(name: string): boolean {
    return this.#exported.has(name);
  }

  functionNamed(name: string): Command | undefined {
    return this.#functions.get(name);
  }

  define(name: string, body: Command): void {
    if (this.#functions.size >= MAX_FUNCTIONS) throw new ShellFailure('out of memory');
    this.#functions.set(name, body);
  }

  undefine(name: string): void {
    this.#functions.delete(name);
  }
}
