// npm run chaos:rolling: restarts three servers behind a load balancer one after the other, under load. Ends with 1 when one request failed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, messageOf, RealClock } from '../../src/base/index.ts';
import { type Client, connectTo, findConnection, isTransportError } from '../../src/client/index.ts';
import { Fleet } from './fleet.ts';

const CLIENTS = 8;
const PAUSE_MS = 20;
/** Interval at which connections are replaced, as by clients that come and go. */
const REQUESTS_A_CONNECTION = 25;

const clock = new RealClock();
const folder = await mkdtemp(join(tmpdir(), 'keelson-rolling-'));
await using fleet = await Fleet.start(folder, clock, ['--shutdown-delay-duration=5s']);
if (!(await fleet.ready(clock, 120_000))) throw new Error(`The servers are not ready; see ${folder}`);
await clock.sleep(2000); // the load balancer looks once a second
const found = await findConnection({ kubeconfig: fleet.kubeconfig(0), clock });
const failures: string[] = [];
let requests = 0;
const stop = new AbortController();
const using = Array.from({ length: CLIENTS }, (_, index) => use(`client-${index}`));
for (const server of fleet.servers) {
  console.log(`restarting ${server.name}`);
  await server.stop();
  server.start();
  if (!(await fleet.ready(clock, 60_000))) failures.push(`${server.name} is not ready after a minute`);
  await clock.sleep(2000);
}
stop.abort();
await Promise.all(using);
failures.push(...fleet.endings);
for (const failure of failures.slice(0, 20)) console.log(`FAILED ${failure}`);
console.log(`${requests} requests during a rolling restart, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
if (failures.length === 0) await rm(folder, { recursive: true, force: true });

/** Writes and reads through the load balancer. */
async function use(name: string): Promise<void> {
  while (!stop.signal.aborted) {
    await using client = connectTo({ ...found, server: fleet.balanced }, { clock, random: new CryptoRandom() });
    await useConnection(client, name);
  }
}

async function useConnection(client: Client, name: string): Promise<void> {
  const maps = client.core.v1.configmaps.namespace('default');
  for (let count = 0; count < REQUESTS_A_CONNECTION && !stop.signal.aborted; count += 1) {
    requests += 1;
    try {
      const data = { value: String(requests) };
      const object = { metadata: { name, namespace: 'default' }, data };
      await taken(() => maps.apply(object, { fieldManager: 'rolling', force: true, maxRetries: 0 }));
      await taken(() => maps.get(name, { maxRetries: 0 }));
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
    await clock.sleep(PAUSE_MS);
  }
}

/** A request that the server says it has not looked at goes to another one, as with every client of HTTP/2; nothing else is tried again. */
async function taken(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isTransportError(error, 'refused')) throw error;
    await send();
  }
}
