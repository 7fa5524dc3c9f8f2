// What `--workers N` changes: `node scripts/build.mjs --bundles-only`, then
// `node scripts/run.mjs bench/workers.ts [--workers 2 --rounds 3 --scale 0.5]`. Both servers run alternately and share the machine with the load.
import { parseArgs } from 'node:util';
import { fanOut } from './api/fan-out.ts';
import { measure } from './api/measure.ts';
import { Report } from './api/report.ts';
import { OURS, type ServerUnderTest, startOurs } from './api/server-under-test.ts';

const { values: flags } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
  },
});
const more = [`--workers=${flags.workers}`];
const report = new Report();
for (let round = 0; round < Number(flags.rounds); round++) {
  await measured(startOurs());
  await measured(startOurs(undefined, more));
}
console.log(report.markdown([OURS, ...more].join(' '), OURS));

async function measured(starting: Promise<ServerUnderTest>): Promise<void> {
  await using server = await starting;
  await measure(server, report, Number(flags.scale));
  const [watchers, events] = [1000, 20];
  const before = server.cpuMs();
  const times = await fanOut(server.url, { watchers, events, perSession: 1 });
  const name = 'one event to 1,000 connections with a watch each';
  report.add(server.name, { name, unit: 'ms', better: 'lower' }, times[Math.floor(times.length / 2)] ?? 0);
  const cpuUs = ((server.cpuMs() - before) * 1000) / events / watchers;
  report.add(server.name, { name: `${name}: CPU per event and watcher`, unit: 'µs', better: 'lower' }, cpuUs);
}
