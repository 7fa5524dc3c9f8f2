// An app that runs against a real control plane in this process.
import { aborted, type Logger, settle, type VirtualClock } from '../../base/index.ts';
import type { Client, Transport } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { type App, app, type AppOptions, type Part } from '../index.ts';

export class RunningApp implements AsyncDisposable {
  readonly app: App;
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly #cluster: TestCluster;
  readonly #stop: AbortController;
  readonly #running: Promise<void>;

  constructor(parts: {
    readonly app: App;
    readonly cluster: TestCluster;
    readonly stop: AbortController;
    readonly running: Promise<void>;
  }) {
    this.app = parts.app;
    this.client = parts.cluster.client();
    this.clock = parts.cluster.clock as VirtualClock;
    this.#cluster = parts.cluster;
    this.#stop = parts.stop;
    this.#running = parts.running;
  }

  /** Resolves when nothing is left to do without time passing. */
  async settle(): Promise<void> {
    do await settle();
    while (!this.app.isIdle);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#cluster[Symbol.asyncDispose]();
  }
}

export interface RunAppOptions extends AppOptions {
  readonly log?: Logger;
  /** Wraps the transport of the app's client. */
  readonly transport?: (inner: Transport) => Transport;
}

/** Starts a cluster, lets `before` fill it, and runs the parts on it; resolves when nothing is left to do. */
export async function runApp(
  parts: readonly Part[],
  before: (client: Client) => Promise<void> = async () => undefined,
  options: RunAppOptions = {},
): Promise<RunningApp> {
  const cluster = await TestCluster.start();
  await before(cluster.client());
  const stop = new AbortController();
  const made = app('test-app', parts, options);
  const { log, transport = (inner) => inner } = options;
  const client = cluster.clientOver(transport(cluster.transport('in process')), { log, userAgent: 'test-app' });
  const running = made.run(client, stop.signal);
  running.catch(() => aborted(stop.signal)); // `stop` reports the failure
  const started = new RunningApp({ app: made, cluster, stop, running });
  await started.settle();
  return started;
}
