import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

const LEFT_OUT = new Set(['node_modules', '.git', 'dist']);

/** How long the tests of one run may take. */
export interface TestLimits {
  readonly runMs: number;
  /** For each test. */
  readonly testMs: number;
}

export type TestOutcome =
  | { readonly type: 'passed' }
  /** The files with failed tests, and those of them that failed otherwise than by being slow. */
  | { readonly type: 'failed'; readonly files: readonly string[]; readonly asserted: readonly string[] }
  | { readonly type: 'hung' };

/** A copy of the repository in which faults can be planted. */
export class Checkout implements Disposable {
  readonly path: string;

  constructor(root: string) {
    this.path = mkdtempSync(join(tmpdir(), 'keelson-mutate-'));
    cpSync(root, this.path, { recursive: true, filter: (from) => !LEFT_OUT.has(basename(from)) });
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  /** Runs tests until one fails, within a time. */
  async test(files: readonly string[], { runMs, testMs }: TestLimits): Promise<TestOutcome> {
    const report = join(this.path, 'report.json');
    rmSync(report, { force: true });
    const cache = ['--experimental.fsModuleCache=true', `--experimental.fsModuleCachePath=${this.#scratch('modules')}`];
    const patience = [`--testTimeout=${Math.round(testMs)}`];
    const args = ['run', ...files, '--bail=1', '--reporter=json', `--outputFile=${report}`, ...cache, ...patience];
    const code = await this.#run(join('node_modules', '.bin', 'vitest'), args, runMs);
    if (code === 'hung') return { type: 'hung' };
    if (code === 0) return { type: 'passed' };
    return { type: 'failed', ...this.#failuresIn(report) };
  }

  /** What of the checks before the tests finds something in a file: the types, or the rule that promises are awaited. */
  async failedCheck(file: string, limitMs: number): Promise<string | undefined> {
    const incremental = ['--noEmit', '--incremental', '--tsBuildInfoFile', this.#scratch('types')];
    if ((await this.#run(join('node_modules', '.bin', 'tsc'), incremental, limitMs)) !== 0) return 'types';
    const rule = ['--type-aware', '-A', 'all', '-D', 'typescript/no-floating-promises', file];
    const isAwaited = (await this.#run(join('node_modules', '.bin', 'oxlint'), rule, limitMs)) === 0;
    return isAwaited ? undefined : 'lint';
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
    rmSync(this.#scratch(''), { recursive: true, force: true });
  }

  /** What is kept from one run to the next, beside the tree: transformed modules, checked types. */
  #scratch(name: string): string {
    return join(`${this.path}-kept`, name);
  }

  #failuresIn(report: string): { files: string[]; asserted: string[] } {
    const files: string[] = [];
    const asserted: string[] = [];
    for (const { name, status, assertionResults } of readReport(report)) {
      if (status !== 'failed') continue;
      files.push(relative(this.path, name));
      const messages = assertionResults.flatMap(({ failureMessages }) => failureMessages ?? []);
      if (messages.some((message) => !TIMED_OUT.test(message))) asserted.push(relative(this.path, name));
    }
    return { files, asserted };
  }

  /** A process group of its own, so that what the tests have started ends with them. */
  #run(command: string, args: readonly string[], limitMs: number): Promise<number | 'hung'> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd: this.path, stdio: 'ignore', detached: true });
      let isHung = false;
      const timer = setTimeout(() => {
        isHung = true;
        process.kill(-(child.pid as number), 'SIGKILL');
      }, limitMs);
      child.on('error', reject);
      child.on('exit', (code) => {
        clearTimeout(timer);
        resolve(isHung ? 'hung' : (code ?? 1));
      });
    });
  }
}

const TIMED_OUT = /timed out|AbortError|TimeoutError/;

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly failureMessages?: readonly string[] }[];
}

/** Empty if the run did not get as far as writing one. */
function readReport(path: string): readonly FileReport[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { testResults: FileReport[] }).testResults;
  } catch {
    return [];
  }
}
