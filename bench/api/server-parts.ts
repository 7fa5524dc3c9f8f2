import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from './part.ts';

const IDLE_MS = 3000;

/** The start, and memory before anything was asked. */
export const start: Part = {
  name: 'start',
  title: 'Start',
  on: 'the server of the round',
  async measure(server, bench) {
    bench.add({ name: 'start until ready', unit: 'ms', better: 'lower', aim: { times: 10 } }, server.startMs);
    await sleep(IDLE_MS);
    bench.add({ name: 'idle memory', unit: 'MB', better: 'lower', aim: { times: 2 } }, server.rssMb());
  },
};

/** Memory after all other parts on the same server; both have had the same requests. */
export const memory: Part = {
  name: 'memory',
  title: 'Memory after the load',
  on: 'the server of the round',
  async measure(server, bench) {
    await sleep(IDLE_MS);
    const measure = { name: 'memory after all of the above', unit: 'MB', better: 'lower', aim: { times: 3 } } as const;
    bench.add(measure, server.rssMb());
  },
};
