import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ADMIN_TOKEN, findPeer } from '../../peers/index.ts';
import { cpuMsOf } from '../process-use.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** What a stage of a load gave, and the processor time that it took on both sides. */
export interface Stage<Result> {
  readonly result: Result;
  readonly serverCpuMs: number;
  readonly clientCpuMs: number;
}

export interface LoadFlags {
  readonly encoding?: 'protobuf' | 'json';
  readonly clients: number;
  /** Requests at once by each client. */
  readonly streams?: number;
  /** Watches of each client. */
  readonly watches?: number;
  readonly verb?: string;
  readonly requests?: number;
  readonly burst?: number;
  readonly singles?: number;
}

const KEPT_CHARACTERS = 4000;

/** A load by bench/client-go on a server; its connections are open. */
export class ClientGoLoad implements AsyncDisposable {
  readonly #server: ServerUnderTest;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #complaint = '';

  private constructor(server: ServerUnderTest, args: readonly string[]) {
    this.#server = server;
    this.#child = spawn(findPeer('client-go-load').path ?? '', args, { stdio: 'pipe' });
    this.#child.on('error', (error) => (this.#complaint += error.message));
    this.#child.stdin.on('error', () => undefined); // it has ended, which the next line reports
    this.#child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#complaint = (this.#complaint + text).slice(-KEPT_CHARACTERS)));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  static async prepare(
    server: ServerUnderTest,
    load: 'requests' | 'informers' | 'mixed' | 'idle',
    { folder, flags }: { readonly folder: string; readonly flags: LoadFlags },
  ): Promise<ClientGoLoad> {
    const kubeconfig = join(folder, 'kubeconfig.json');
    await writeFile(kubeconfig, kubeconfigOf(server.url), { mode: 0o600 });
    const args = Object.entries(flags).map(([name, value]) => `-${name}=${value}`);
    const started = new ClientGoLoad(server, [`-kubeconfig=${kubeconfig}`, ...args, load]);
    try {
      await started.#line();
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs the next stage to its end. */
  async next<Result>(): Promise<Stage<Result>> {
    const pid = this.#child.pid ?? 0;
    const before = { server: this.#server.cpuMs(), client: cpuMsOf(pid) };
    this.#child.stdin.write('\n');
    const result = JSON.parse(await this.#line()) as Result;
    const clientCpuMs = cpuMsOf(pid) - before.client;
    return { result, serverCpuMs: this.#server.cpuMs() - before.server, clientCpuMs };
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done !== true) return value;
    throw new Error(`client-go's load ended: ${this.#complaint.trim()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function kubeconfigOf(server: string): string {
  const named = { name: 'bench' };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ ...named, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ ...named, user: { token: ADMIN_TOKEN } }],
    contexts: [{ ...named, context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}
