import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { buildDashboard } from '../../../scripts/build-dashboard.mjs';
import { BundledCommand } from '../../support/bundled-command.ts';

/** A program of the command line that has printed the address of its dashboard. */
export class DashboardProgram implements AsyncDisposable {
  readonly url: string;
  /** The lines that it has printed and logged. */
  readonly printed: readonly string[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, printed: readonly string[]) {
    this.#child = child;
    this.url = url;
    this.printed = printed;
  }

  static async start(command: string, args: readonly string[]): Promise<DashboardProgram> {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed: string[] = [];
    const ended = new AbortController();
    child.once('exit', () => ended.abort());
    const url = new Promise<string>((resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(new Error(`The program ended:\n${printed.join('\n')}`)));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface(stream).on('line', (line) => {
          printed.push(line);
          const found = /https?:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(line)?.[0];
          if (found !== undefined) resolve(found);
        });
      }
    });
    return new DashboardProgram(child, await url, printed);
  }

  /** The process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  get key(): string {
    return new URL(this.url).hash.slice(1);
  }

  /** A request as the page sends it: `path` begins with `/cluster` or `/keelson`. */
  async request(
    path: string,
    init: { readonly method?: string; readonly body?: unknown; readonly type?: string } = {},
  ): Promise<Response> {
    return fetch(`${this.origin}${path}`, {
      method: init.method ?? 'GET',
      headers: { 'X-Keelson-Key': this.key, 'Content-Type': init.type ?? 'application/json' },
      ...(init.body === undefined
        ? {}
        : { body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body) }),
    });
  }

  /** The answer to a request that must succeed. */
  async json<T = Record<string, unknown>>(
    path: string,
    init: { readonly method?: string; readonly body?: unknown; readonly type?: string } = {},
  ): Promise<T> {
    const response = await this.request(path, init);
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}

export interface DashboardClusterOptions {
  /** Further flags; they may name the program. */
  readonly flags?: (program: string) => readonly string[];
  readonly command?: 'up' | 'learn';
  /** The program that was built before, such as `dist/keelson.js`; by default one is built from the sources. */
  readonly program?: string;
}

/** `keelson up` with a dashboard, all in a folder of its own. */
export class DashboardCluster implements AsyncDisposable {
  readonly up: DashboardProgram;
  readonly folder: string;
  readonly #program: string;
  readonly #built: AsyncDisposable | undefined;

  private constructor(
    up: DashboardProgram,
    folder: string,
    { program, built }: { readonly program: string; readonly built: AsyncDisposable | undefined },
  ) {
    this.up = up;
    this.folder = folder;
    this.#program = program;
    this.#built = built;
  }

  static async start({ flags, command = 'up', program }: DashboardClusterOptions = {}): Promise<DashboardCluster> {
    const built = program === undefined ? await buildProgram() : undefined;
    const path = built?.path ?? program ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dashboard-'));
    const own =
      command === 'learn'
        ? ['learn', '--port=0']
        : ['up', '--in-memory', '--port=0', '--dashboard-port=0', `--kubeconfig-out=${join(folder, 'kubeconfig')}`];
    const up = await DashboardProgram.start(path, [...own, ...(flags?.(path) ?? [])]);
    return new DashboardCluster(up, folder, { program: path, built });
  }

  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig');
  }

  /** Another dashboard of the same cluster, such as one for another user. */
  async dashboard(args: readonly string[]): Promise<DashboardProgram> {
    return DashboardProgram.start(this.#program, ['dashboard', '--port=0', ...args]);
  }

  /** What a command that ends by itself prints. */
  async print(args: readonly string[]): Promise<string> {
    return (await promisify(execFile)(process.execPath, [this.#program, ...args])).stdout;
  }

  /** A kubeconfig for a service account, as JSON, which is YAML. */
  async kubeconfigOf(namespace: string, account: string): Promise<string> {
    const path = `/cluster/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await this.up.json<{ status: { token: string } }>(path, { method: 'POST', body });
    const text = await readFile(this.kubeconfig, 'utf8');
    const entry = (name: string): string => new RegExp(`${name}: "?([^\\s"]+)`).exec(text)?.[1] ?? '';
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'c',
          cluster: { server: entry('server'), 'certificate-authority-data': entry('certificate-authority-data') },
        },
      ],
      users: [{ name: 'u', user: { token: status.token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
      'current-context': 'x',
    };
    const file = join(this.folder, `${account}.kubeconfig`);
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.up[Symbol.asyncDispose]();
    await this.#built?.[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The program and the page from the sources. */
async function buildProgram(): Promise<BundledCommand> {
  const command = await BundledCommand.make();
  await buildDashboard(join(command.folder, 'dashboard'));
  return command;
}
