import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

const LEFT_OUT = new Set(['node_modules', '.git', 'dist']);

/** Many faults make a test wait for ever. Tests that need longer without a fault say nothing then. */
const HANGS_AFTER_MS = 20_000;

export type TestOutcome =
  | { readonly type: 'passed' }
  | { readonly type: 'failed'; readonly files: readonly string[] }
  | { readonly type: 'hung' };

/** A copy of the repository in which faults can be planted. */
export class Checkout implements Disposable {
  readonly #root: string;
  readonly path: string;

  constructor(root: string) {
    this.#root = root;
    this.path = mkdtempSync(join(tmpdir(), 'keelson-mutate-'));
    cpSync(root, this.path, { recursive: true, filter: (from) => !LEFT_OUT.has(basename(from)) });
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  restore(file: string): void {
    this.write(file, readFileSync(join(this.#root, file), 'utf8'));
  }

  /** Runs tests until one fails, within a time. */
  async test(files: readonly string[], limitMs: number): Promise<TestOutcome> {
    const report = join(this.path, 'report.json');
    rmSync(report, { force: true });
    const cache = ['--experimental.fsModuleCache=true', `--experimental.fsModuleCachePath=${this.#scratch('modules')}`];
    const patience = [`--testTimeout=${HANGS_AFTER_MS}`];
    const args = ['run', ...files, '--bail=1', '--reporter=json', `--outputFile=${report}`, ...cache, ...patience];
    const code = await this.#run(join('node_modules', '.bin', 'vitest'), args, limitMs);
    if (code === 'hung') return { type: 'hung' };
    if (code === 0) return { type: 'passed' };
    return { type: 'failed', files: this.#failedFiles(report) };
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

  #failedFiles(report: string): string[] {
    try {
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
        testResults: { name: string; status: string }[];
      };
      return testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(this.path, name));
    } catch {
      return []; // it did not get that far
    }
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
