import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { findConnection } from '../../client/index.ts';
import { startCluster, type StartClusterOptions, type TestCluster } from '../../testing/index.ts';
import { Dashboard } from '../dashboard.ts';
import type { DashboardSettings } from '../settings.ts';

export interface Got {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request as a client may send it, with nothing added. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const KEY = 'a-key-for-tests';
const PAGE = { 'index.html': '<!doctype html><title>Keelson</title>', 'assets/app-AbCdEf12.js': 'export {};' };

/** A dashboard of a whole cluster, reached over a real port. */
export class RunningDashboard implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly dashboard: Dashboard;
  readonly key = KEY;
  readonly #folder: string;

  private constructor(cluster: TestCluster, dashboard: Dashboard, folder: string) {
    this.cluster = cluster;
    this.dashboard = dashboard;
    this.#folder = folder;
  }

  static async start(
    settings: Partial<DashboardSettings> & { readonly hasTokens?: boolean } = {},
    options: StartClusterOptions = {},
  ): Promise<RunningDashboard> {
    const { hasTokens = false, ...own } = settings;
    const cluster = await startCluster(options);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dashboard-'));
    await mkdir(join(folder, 'assets'));
    for (const [name, text] of Object.entries(PAGE)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'assets', 'app-AbCdEf12.js.gz'), 'packed');
    const clock = new RealClock();
    const connection = await findConnection({ kubeconfig: await cluster.kubeconfig(), environment: {}, clock });
    const dashboard = await Dashboard.open(
      {
        connection,
        clusterName: 'test',
        ...(hasTokens ? {} : { key: KEY }),
        pageFolder: folder,
        history: { keepMs: 60 * 60_000, maxBytes: 1024 * 1024 },
        clock,
        random: new CryptoRandom(),
        log: discardLogger,
        ...own,
      },
      { host: '127.0.0.1', port: 0 },
    );
    return new RunningDashboard(cluster, dashboard, folder);
  }

  get port(): number {
    return Number(new URL(this.dashboard.origin).port);
  }

  /** Sends a request with the key. */
  get(path: string, { headers = {}, ...sent }: Sent = {}): Promise<Got> {
    return this.send(path, { ...sent, headers: { 'x-keelson-key': KEY, ...headers } });
  }

  /** The JSON of an answer with 200. */
  async json<T>(path: string, sent: Sent = {}): Promise<T> {
    const { code, text } = await this.get(path, sent);
    if (code !== 200) throw new Error(`${path} answered ${code}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** What arrives of an answer that does not end, until it has this text and the line is over. */
  until(path: string, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'x-keelson-key': KEY };
      const sent = request({ host: '127.0.0.1', port: this.port, path, headers, agent: false }, (response) => {
        let seen = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          seen += chunk;
          if (!seen.includes(text) || !seen.includes('\n', seen.indexOf(text))) return;
          sent.destroy();
          resolve(seen);
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Sends exactly this. */
  send(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Got> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: this.port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dashboard[Symbol.asyncDispose]();
    await this.cluster[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}
