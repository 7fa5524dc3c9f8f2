// One informer, measured from inside. Run by bench/client.ts: port, mode, number of changes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, InformerFactory, Pod } from '../src/client/index.ts';

const [, , port = '', mode = 'default', changesText = '0'] = process.argv;
const changes = Number(changesText);
const authority = join(import.meta.dirname, '..', 'src', 'client', 'testdata', 'authority.crt');

async function usage(): Promise<{ readonly heap: number; readonly rss: number }> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

const client = connectTo({
  server: `https://127.0.0.1:${port}`,
  certificateAuthority: { pem: readFileSync(authority, 'utf8') },
});
const factory = new InformerFactory(client);
const scope = { fieldSelector: `changes=${changes}` };
const informer =
  mode === 'metadata'
    ? factory.metadataInformer(Pod, scope)
    : factory.informer(Pod, { ...scope, ...(mode === 'whole' ? { transform: (object) => object } : {}) });
const before = await usage();
let updates = 0;
let firstAt = 0;
let lastAt = 0;
let isDone = (): void => undefined;
const done = new Promise<void>((resolve) => (isDone = resolve));
const registration = informer.addHandler(
  {
    update() {
      if (updates++ === 0) firstAt = performance.now();
      if (updates < changes) return;
      lastAt = performance.now();
      isDone();
    },
  },
  { capacity: changes + 1 }, // every single change counts here
);
const stop = new AbortController();
const startedAt = performance.now();
const running = factory.run(stop.signal);
await registration.synced();
const syncMs = performance.now() - startedAt;
const cpuBefore = process.cpuUsage();
if (changes > 0) await done;
const cpu = process.cpuUsage(cpuBefore);
const after = await usage();
process.send?.({
  objects: informer.cache.size,
  syncMs,
  cpuMicrosPerEvent: (cpu.user + cpu.system) / changes,
  heapMB: (after.heap - before.heap) / 1e6,
  rssMB: (after.rss - before.rss) / 1e6,
  eventsPerSecond: changes === 0 ? 0 : (updates - 1) / ((lastAt - firstAt) / 1000),
});
stop.abort();
await running;
await client[Symbol.asyncDispose]();
process.disconnect();
