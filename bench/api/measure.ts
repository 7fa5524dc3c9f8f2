import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fanOut } from './fan-out.ts';
import { load, type LoadOptions } from './load.ts';
import type { Report } from './report.ts';
import type { ServerUnderTest } from './server-under-test.ts';

const CONNECTIONS = [1, 16, 256];
const WATCHERS = 1000;
const EVENTS = 20;

/** Measures one server, from its start to what it weighs at the end. */
export async function measure(server: ServerUnderTest, report: Report, scale: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
  try {
    await new Measuring(server, report, { folder, scale }).run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Measuring {
  readonly #server: ServerUnderTest;
  readonly #report: Report;
  readonly #folder: string;
  readonly #scale: number;
  readonly #objects: string;
  readonly #object: string;

  constructor(server: ServerUnderTest, report: Report, options: { readonly folder: string; readonly scale: number }) {
    this.#server = server;
    this.#report = report;
    this.#folder = options.folder;
    this.#scale = options.scale;
    this.#objects = `${server.url}/api/v1/namespaces/default/configmaps`;
    this.#object = `${server.url}/api/v1/namespaces/default`;
  }

  async run(): Promise<void> {
    const { name } = this.#server;
    this.#report.add(name, { name: 'start until ready', unit: 'ms', better: 'lower', aim: 10 }, this.#server.startMs);
    await sleep(3000);
    this.#report.add(name, { name: 'idle memory', unit: 'MB', better: 'lower', aim: 2 }, this.#server.rssMb());
    await this.#creates();
    await this.#gets();
    await this.#patches();
    await this.#lists();
    await this.#events();
    this.#report.add(name, { name: 'memory after the load', unit: 'MB', better: 'lower' }, this.#server.rssMb());
  }

  async #creates(): Promise<void> {
    const bodyFile = join(this.#folder, 'configmap.json');
    const object = { metadata: { generateName: 'load-', labels: { app: 'load' } }, data: { text: 'x'.repeat(600) } };
    await writeFile(bodyFile, JSON.stringify(object));
    const request = { url: this.#objects, bodyFile, contentType: 'application/json' };
    for (const connections of CONNECTIONS)
      await this.#load('durable create', 5, { ...request, connections, requests: connections === 1 ? 3000 : 10_000 });
    await this.#load('durable create', 5, { ...request, connections: 1, streams: 16, requests: 10_000 });
  }

  async #gets(): Promise<void> {
    const request = { url: this.#object };
    for (const connections of CONNECTIONS)
      await this.#load('get', 4, { ...request, connections, requests: connections === 1 ? 8000 : 30_000 });
    await this.#load('get', 4, { ...request, connections: 1, streams: 16, requests: 40_000 });
  }

  async #patches(): Promise<void> {
    const bodyFile = join(this.#folder, 'patch.json');
    await writeFile(bodyFile, JSON.stringify({ metadata: { labels: { touched: 'yes' } } }));
    const contentType = 'application/merge-patch+json';
    const request = { url: this.#object, method: 'PATCH', bodyFile, contentType };
    await this.#load('patch that changes nothing', undefined, { ...request, connections: 16, requests: 8000 });
  }

  async #lists(): Promise<void> {
    const request = { url: `${this.#objects}?limit=5000`, connections: 2, requests: 60 };
    await this.#load('list of 5,000 objects (about 5 MiB)', 5, request);
  }

  async #events(): Promise<void> {
    const before = this.#server.cpuMs();
    const times = await fanOut(this.#server.url, { watchers: WATCHERS, events: EVENTS });
    const usPerEvent = ((this.#server.cpuMs() - before) * 1000) / EVENTS / WATCHERS;
    const what = `one event to ${WATCHERS.toLocaleString('en')} watchers`;
    const { name } = this.#server;
    this.#report.add(
      name,
      { name: what, unit: 'ms', better: 'lower', aim: 3 },
      times[Math.floor(times.length / 2)] ?? 0,
    );
    const cpu = `${what}, with the watches' start: CPU per event and watcher`;
    this.#report.add(name, { name: cpu, unit: 'µs', better: 'lower' }, usPerEvent);
  }

  async #load(what: string, aim: number | undefined, options: LoadOptions): Promise<void> {
    const { connections, streams = 1 } = options;
    const place = `${connections} connection${connections === 1 ? '' : 's'}${streams === 1 ? '' : ` × ${streams} streams`}`;
    const requests = Math.max(connections, Math.round(options.requests * this.#scale));
    const before = this.#server.cpuMs();
    const { perSecond, p99Ms } = await load({ ...options, requests });
    const cpuUs = ((this.#server.cpuMs() - before) * 1000) / requests;
    const { name } = this.#server;
    this.#report.add(name, { name: `${what}, ${place}`, unit: '1/s', better: 'higher', aim }, perSecond);
    this.#report.add(name, { name: `${what}, ${place}: p99`, unit: 'ms', better: 'lower' }, p99Ms);
    this.#report.add(name, { name: `${what}, ${place}: CPU per request`, unit: 'µs', better: 'lower' }, cpuUs);
  }
}
