import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AttackTarget } from './attack.ts';
import { bearer } from './wire.ts';

/** What a well-behaved client on its own connection noticed, in milliseconds. */
export interface Noticed {
  readonly gets: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** Runs on a separate thread, so that the attack's own work does not count: a GET every 20 ms until stopped. */
const PROGRAM = `
const { parentPort, workerData: { url, ca, headers } } = require('node:worker_threads');
const { connect } = require('node:http2');
const session = connect(url, { ca });
session.on('error', () => undefined);
const took = [];
let failed = 0;
let over = false;
parentPort.once('message', () => (over = true));
const get = () => new Promise((resolve) => {
  let code = 0;
  const stream = session.request({ ':path': '/api/v1/namespaces/default', ...headers });
  stream.on('response', (headers) => (code = headers[':status'])).on('error', () => undefined).resume();
  const timer = setTimeout(() => stream.destroy(), 20000);
  stream.on('close', () => { clearTimeout(timer); if (code !== 200) failed += 1; resolve(); });
});
(async () => {
  while (!over) {
    const start = performance.now();
    try { await get(); } catch { failed += 1; }
    took.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  session.destroy();
  parentPort.postMessage({ took, failed });
})();
`;

/** A server that does nothing else, on its own thread: how long it takes to answer is the machine's doing. */
const IDLE_PROGRAM = `
const { parentPort } = require('node:worker_threads');
const server = require('node:http2').createServer((_request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => parentPort.postMessage('http://127.0.0.1:' + server.address().port));
`;

/** Its URL; it ends with the process. */
export async function startIdleServer(): Promise<string> {
  const worker = new Worker(IDLE_PROGRAM, { eval: true });
  worker.unref();
  const [url] = (await once(worker, 'message')) as [string];
  return url;
}

export interface Watched<T> {
  readonly result: T;
  readonly noticed: Noticed;
  /** The same of a server beside it that does nothing else: what is due to a busy machine. */
  readonly beside: Noticed;
}

/** Watches how the server answers others while `act` goes on. */
export async function noticedDuring<T>(target: AttackTarget, act: () => Promise<T>): Promise<Watched<T>> {
  const { url, ca, viewer, idleUrl } = target;
  const end = probe({ url, ca, headers: bearer({ ...target, user: viewer }) });
  const endBeside = probe({ url: idleUrl, ca, headers: {} });
  const result = await act();
  const [noticed, beside] = await Promise.all([end(), endBeside()]);
  return { result, noticed, beside };
}

/** Sends GETs until the returned function is called. */
function probe(to: {
  readonly url: string;
  readonly ca: string;
  readonly headers: Readonly<Record<string, string>>;
}): () => Promise<Noticed> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: to });
  return () => ended(worker);
}

async function ended(worker: Worker): Promise<Noticed> {
  const result = once(worker, 'message') as Promise<[{ took: number[]; failed: number }]>;
  worker.postMessage('stop');
  const [{ took, failed }] = await result;
  await worker.terminate();
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { gets: took.length, failed, p50: at(0.5), p99: at(0.99), worst: at(1) };
}
