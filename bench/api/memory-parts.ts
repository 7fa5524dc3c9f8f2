import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGoLoad } from './client-go.ts';
import type { Part } from './part.ts';
import { fill } from './request-parts.ts';
import type { ServerKind } from './server-under-test.ts';

const SETTLE_MS = 4000;
const OBJECTS = 100_000;

/** What a connection and a watch cost while nothing happens. */
export const idle: Part = {
  name: 'idle',
  title: 'Idle connections and watches',
  needs: 'client-go',
  on: 'a server of its own',
  async measure(bench) {
    const share = Math.min(1, bench.scale * 2);
    for (const { what, clients, watches } of [
      { what: 'connection', clients: Math.ceil(1000 * share), watches: 0 },
      { what: 'watch, 100 on each connection', clients: Math.ceil(100 * share), watches: 100 },
    ]) {
      await using server = await bench.startServer();
      await sleep(SETTLE_MS);
      const before = server.rssMb();
      const flags = { clients, watches };
      await using _load = await ClientGoLoad.prepare(server, 'idle', { folder: bench.folder, flags });
      await sleep(SETTLE_MS);
      const count = Math.max(1, watches) * clients;
      const name = `memory of an idle ${what}`;
      bench.add({ name, unit: 'KB', better: 'lower' }, ((server.rssMb() - before) * 1024) / count);
    }
  },
};

/** A start on a store with many objects, which is filled once and started in every round. */
export function fullStart(folder: string): Part {
  const filled = new Map<ServerKind, string>();
  return {
    name: 'full start',
    title: 'Start with many objects',
    needs: 'h2load',
    on: 'a server of its own',
    async measure(bench) {
      const objects = Math.round(OBJECTS * Math.min(1, bench.scale));
      const data = filled.get(bench.kind) ?? (await mkdtemp(join(folder, 'full-')));
      if (!filled.has(bench.kind)) {
        await using server = await bench.startServer(data);
        await fill(server, { folder: bench.folder, objects });
        filled.set(bench.kind, data);
      }
      await using server = await bench.startServer(data);
      const name = `start with ${objects.toLocaleString('en')} objects of 1 KB`;
      bench.add({ name, unit: 'ms', better: 'lower', aim: { atMost: 700 } }, server.startMs);
      await sleep(SETTLE_MS);
      const memory = { name: `${name}: memory`, unit: 'MB', better: 'lower', aim: { atMost: 250 } } as const;
      bench.add(memory, server.rssMb());
    },
  };
}
