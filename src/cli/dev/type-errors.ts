import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import { isSource, SourceFiles } from './source-files.ts';

/** The most lines that are shown at a time. */
const MAX_LINES = 20;
/** The most output of a compiler that is kept. */
const MAX_OUTPUT = 1024 * 1024;

export interface TypeErrorsOptions {
  readonly clock: Clock;
  /** The Node.js binary. */
  readonly node: string;
  /** A folder for what the compiler remembers from one run to the next. */
  readonly cache: string;
  print(line: string): void;
}

/**
 * Reports type errors of a project, at the start and after each change: Node.js only removes types. The compiler is the
 * project's own, in a process of its own, with the project's `tsconfig.json`; without either, nothing is checked. Errors in
 * tests are left out, since tests are not watched.
 */
export class TypeErrors implements Disposable {
  readonly #folder: string;
  readonly #options: TypeErrorsOptions;
  readonly #compiler: string | undefined;
  readonly #sources: SourceFiles | undefined;
  #running: ChildProcess | undefined;
  #hadErrors = false;

  constructor(folder: string, options: TypeErrorsOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#compiler = existsSync(join(folder, 'tsconfig.json')) ? compilerOf(folder) : undefined;
    if (this.#compiler === undefined) return;
    this.#sources = new SourceFiles(folder, { clock: options.clock, onChange: () => this.#check() });
    this.#check();
  }

  [Symbol.dispose](): void {
    this.#sources?.[Symbol.dispose]();
    this.#running?.kill('SIGKILL');
    this.#running = undefined;
  }

  #check(): void {
    this.#running?.kill('SIGKILL'); // it looks at files that are no longer so
    const { node, cache } = this.#options;
    const info = ['--incremental', '--tsBuildInfoFile', join(cache, 'types.tsbuildinfo')];
    const child = spawn(node, [this.#compiler ?? '', '--noEmit', '--pretty', 'false', ...info], {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#running = child;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
    child.on('error', () => undefined); // no types are checked; the app runs all the same
    child.once('close', () => {
      if (this.#running !== child) return;
      this.#running = undefined;
      this.#tell(errorLines(output));
    });
  }

  #tell(lines: readonly string[]): void {
    const { print } = this.#options;
    if (lines.length === 0 && this.#hadErrors) print('no more type errors');
    this.#hadErrors = lines.length > 0;
    for (const line of lines.slice(0, MAX_LINES)) print(line);
    if (lines.length > MAX_LINES) print(`and ${lines.length - MAX_LINES} lines more: npx tsc --noEmit shows them`);
  }
}

/** The lines about sources: `a.ts(3,7): error TS2322: …`, and what is indented below them. */
export function errorLines(output: string): readonly string[] {
  let isWanted = false;
  return output.split('\n').flatMap((line) => {
    const error = /^(.+)\((\d+),(\d+)\): error (TS\d+): (.*)$/.exec(line);
    if (error !== null) {
      const [, file = '', row, column, code, text] = error;
      isWanted = isSource(basename(file));
      return isWanted ? [`type error in ${file}:${row}:${column}: ${text} (${code})`] : [];
    }
    const isOfProject = /^error TS\d+: /.test(line);
    if (isOfProject) isWanted = true;
    if (isOfProject) return [`type ${line}`];
    return isWanted && /^\s+\S/.test(line) ? [line] : [];
  });
}

/** The path of the project's compiler. */
function compilerOf(folder: string): string | undefined {
  try {
    const path = createRequire(join(folder, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(path, 'utf8')) as { readonly bin?: { readonly tsc?: string } };
    return bin?.tsc === undefined ? undefined : join(dirname(path), bin.tsc);
  } catch {
    return undefined; // the project has none
  }
}
