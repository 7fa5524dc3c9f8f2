import { assignmentOf } from './language/assignment.ts';
import { type ExpansionScope, expandText, expandWords } from './language/expand-word.ts';
import type { Assignment, Script, Word } from './language/syntax.ts';
import type { ShellProcess } from './process.ts';
import { SharedInput } from './shared-input.ts';
import { ShellState } from './shell-state.ts';

/** Commands whose words may be assignments. */
const DECLARATIONS = new Set(['export', 'readonly', 'local', 'declare', 'typeset']);

export interface ShellOptions {
  readonly state?: ShellState;
  readonly isBash?: boolean;
}

/** The side of a shell that words see: variables, parameters and files. */
export abstract class ShellScope implements ExpansionScope {
  readonly state: ShellState;
  readonly hasBraces: boolean;
  /** The current open files; those of a compound command while it runs. */
  process: ShellProcess;

  constructor(process: ShellProcess, { state, isBash = false }: ShellOptions = {}) {
    const stdin = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
    this.process = { ...process, stdin };
    this.state = state ?? new ShellState(process.environment, process.directory);
    this.hasBraces = isBash;
  }

  abstract outputOf(script: Script): Promise<string>;

  get directory(): string {
    return this.state.directory;
  }

  get parameters(): readonly string[] {
    return this.state.parameters;
  }

  get expandsPatterns(): boolean {
    return !this.state.options.has('f');
  }

  get rejectsUnset(): boolean {
    return this.state.options.has('u');
  }

  get(name: string): string | undefined {
    const { state } = this;
    if (/^\d+$/.test(name)) return name === '0' ? state.name : state.parameters[Number(name) - 1];
    switch (name) {
      case '?':
        return String(state.code);
      case '#':
        return String(state.parameters.length);
      case '$':
        return String(this.process.pid);
      case '!':
        return state.lastBackgroundPid === undefined ? undefined : String(state.lastBackgroundPid);
      case '-':
        return [...state.options].filter((option) => option.length === 1).join('');
      case 'RANDOM':
        return String(this.process.machine.random.int(32_768));
      case 'PWD':
        return state.directory;
      default:
        return state.get(name);
    }
  }

  set(name: string, value: string): void {
    this.state.set(name, value);
  }

  names(directory: string): readonly string[] {
    return this.process.machine.files.names(directory);
  }

  exists(path: string): boolean {
    return this.process.machine.files.get(path) !== undefined;
  }

  /** Files of volumes are read before a command that names them. */
  async prepareFiles(words: readonly Word[]): Promise<void> {
    const { prepareFiles } = this.process.machine;
    if (prepareFiles === undefined) return;
    const texts = words.map((word) => word.map((part) => (part.type === 'text' ? part.text : '')).join(''));
    await prepareFiles(texts, this.directory);
  }

  /** The words of a simple command. */
  protected async expandCommand(words: readonly Word[]): Promise<string[]> {
    const [first] = words;
    const declares = first?.length === 1 && first[0]?.type === 'text' && DECLARATIONS.has(first[0].text);
    await this.prepareFiles(words);
    return declares ? this.#declaration(words) : expandWords(words, this);
  }

  /** Values of `export A=$B` are not split. */
  async #declaration(words: readonly Word[]): Promise<string[]> {
    const all: string[] = [];
    for (const word of words) {
      const assignment = assignmentOf(word);
      if (assignment === undefined) all.push(...(await expandWords([word], this)));
      else all.push(`${assignment.name}=${await expandText(assignment.value, this)}`);
    }
    return all;
  }

  protected async assign({ name, value, isAppended }: Assignment): Promise<void> {
    const text = await expandText(value, this);
    this.state.set(name, isAppended ? (this.state.get(name) ?? '') + text : text);
  }
}
