import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGoLoad } from './client-go.ts';
import type { Part } from './part.ts';
import { fill } from './request-parts.ts';
import type { ServerKind } from './server-under-test.ts';

const SETTLE_MS = 3000;
const OBJECTS = 100_000;

/** What a connection and a watch cost while nothing happens. */
export const idle: Part = {
  name: 'idle',
  title: 'Idle connections and watches',
  needs: 'client-go',
  on: 'a server of its own',
  async measure(bench) {
    const share = Math.min(1, bench.scale * 2);
    const connections = { clients: Math.ceil(1000 * share), watches: 0 };
    const watches = { clients: Math.ceil(100 * share), watches: 100 };
    await using server = await bench.startServer();
    const { folder } = bench;
    const settled = async (): Promise<number> => {
      await sleep(SETTLE_MS);
      return server.rssMb();
    };
    const before = await settled();
    await using _connections = await ClientGoLoad.prepare(server, 'idle', { folder, flags: connections });
    const withConnections = await settled();
    await using _watches = await ClientGoLoad.prepare(server, 'idle', { folder, flags: watches });
    const withWatches = await settled();
    const add = (what: string, grownMb: number, count: number): void =>
      bench.add({ name: `memory of an idle ${what}`, unit: 'KB', better: 'lower' }, (grownMb * 1024) / count);
    add('connection', withConnections - before, connections.clients);
    add('watch, 100 on each connection', withWatches - withConnections, watches.clients * watches.watches);
  },
};

/** A start on a store with many objects, which is filled once, in `folder`, and started in every round. */
export function fullStart(folder: string): Part {
  const filled = new Set<ServerKind>();
  return {
    name: 'full start',
    title: 'Start with many objects',
    needs: 'h2load',
    on: 'a server of its own',
    async measure(bench) {
      const objects = Math.round(OBJECTS * Math.min(1, bench.scale));
      const data = join(folder, bench.kind.replaceAll(' ', '-'));
      if (!filled.has(bench.kind)) {
        await using server = await bench.startServer(data);
        await fill(server, { folder: bench.folder, objects });
        filled.add(bench.kind);
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
