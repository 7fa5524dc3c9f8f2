import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, hasReason, mergePatch } from '../../src/client/index.ts';

const CONFIG_MAPS = 400;
const DEPLOYMENTS = 5;
const MAX_REPLICAS = 8;
const TICK_MS = 50;
const VALUE = 'x'.repeat(1_500);

/** Steady use of a cluster: config maps come, change and go, and deployments are scaled up and down. */
export class Churn {
  readonly #client: Client;
  readonly #writesPerSecond: number;
  readonly #present = new Set<number>();
  /** Requests that have been answered, without what the cluster's own programs write because of them. */
  writes = 0;

  constructor(client: Client, writesPerSecond: number) {
    this.#client = client;
    this.#writesPerSecond = writesPerSecond;
  }

  /** Rejects when a write fails. */
  async run(signal: AbortSignal): Promise<void> {
    for (let index = 0; index < DEPLOYMENTS; index++) await this.#deploy(`web-${index}`);
    const start = performance.now();
    let scaled = 0;
    while (!signal.aborted) {
      const seconds = (performance.now() - start) / 1_000;
      const due = Math.floor(seconds * this.#writesPerSecond) - this.writes;
      if (seconds >= scaled) await this.#scale(scaled++);
      await Promise.all(Array.from({ length: Math.min(due, CONFIG_MAPS / 2) }, (_unused, index) => this.#write(index)));
      await sleep(TICK_MS);
    }
  }

  /** Each name is made, changed twice, and removed. */
  async #write(offset: number): Promise<void> {
    const number = this.writes + offset;
    const index = number % CONFIG_MAPS;
    const round = Math.floor(number / CONFIG_MAPS) % 4;
    const name = `churn-${index}`;
    const maps = this.#client.core.v1.configmaps.namespace('default');
    const data = { value: VALUE, number: String(number) };
    if (!this.#present.has(index)) await maps.create({ metadata: { name }, data });
    else if (round === 3) await maps.delete(name);
    else await maps.patch(name, mergePatch({ data }));
    if (this.#present.has(index) && round === 3) this.#present.delete(index);
    else this.#present.add(index);
    this.writes += 1;
  }

  async #deploy(name: string): Promise<void> {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    await this.#client.apps.v1.deployments
      .namespace('default')
      .create({ metadata: { name }, spec: { replicas: 3, selector: { matchLabels: labels }, template } });
  }

  async #scale(turn: number): Promise<void> {
    const replicas = (turn * 5) % (MAX_REPLICAS + 1);
    const deployments = this.#client.apps.v1.deployments.namespace('default');
    try {
      await deployments.patch(`web-${turn % DEPLOYMENTS}`, mergePatch({ spec: { replicas } }));
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error; // a controller was faster; the next turn comes soon
    }
  }
}
