// How fast the dashboard's page is in a real browser: `npm run bench:dashboard [-- --rounds N --seconds S --minutes M]`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findTool } from '../src/base/testing/find-tool.ts';
import { TestBrowser } from '../test/dashboard/support/browser.ts';
import { DashboardCluster, type DashboardProgram } from '../test/dashboard/support/dashboard-cluster.ts';
import { createPods, touchPods } from './dashboard/pods.ts';
import { firstViewBytes } from './dashboard/first-view-size.ts';
import { idleCost, type IdleCost } from './dashboard/idle.ts';
import { firstRowMs, framesDuring, type Sample, samplesWhileOpen } from './dashboard/measure.ts';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '3' },
  },
});
const rounds = Number(values.rounds);
const CHANGES_PER_SECOND = 100;
const IDLE_ROUNDS = 3;

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

if (findTool('chromium-headless-shell') === undefined) {
  console.error('chromium-headless-shell is not installed, or not on the PATH: set CHROMIUM');
  process.exit(1);
}
// nothing but the API server: what is measured is the page
await using cluster = await DashboardCluster.start({
  program: join('dist', 'keelson.js'),
  flags: () => ['--controllers=false', '--scheduler=none', '--nodes=0'],
});
await using browser = await TestBrowser.launch();
const { up } = cluster;
const figures: Figure[] = [];
const program = join('dist', 'keelson.js');

// the account that pods need, which a controller would have made
await up.json('/cluster/api/v1/namespaces/default/serviceaccounts', {
  method: 'POST',
  body: { metadata: { name: 'default' } },
});
const firstView = await firstViewBytes(join('dist', 'dashboard'));
figures.push({ what: 'first view, compressed by gzip', value: firstView / 1024, limit: 80, unit: 'KB' });
await createPods(up, 0, 100);
figures.push(await firstRows('first view with 100 pods', 1000));
await createPods(up, 100, 10_000);
figures.push(await firstRows('first view with 10,000 pods', 2000));
figures.push(...(await churn()));
figures.push(...(await longOpen()));
if (process.platform === 'linux') await compareIdle();
for (const { what, value, limit, unit } of figures)
  console.log(`${value <= limit ? 'ok  ' : 'OVER'} ${what}: ${value.toFixed(1)} ${unit} (at most ${limit})`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

/** From the request for the page until the first rows are shown, in a browser without anything cached. */
async function firstRows(what: string, limit: number): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await firstRowMs(browser, listOf(up)));
  return { what: `${what}, median of ${rounds}`, value: median(times), limit, unit: 'ms' };
}

function listOf({ origin, key }: DashboardProgram): {
  readonly origin: string;
  readonly key: string;
  readonly place: string;
} {
  return { origin, key, place: '#/list/pods' };
}

async function churn(): Promise<Figure[]> {
  const frames = await framesDuring(
    browser,
    listOf(up),
    (signal) => touchPods(up, CHANGES_PER_SECOND, signal),
    Number(values.seconds),
  );
  console.log(
    `${frames.perSecond.toFixed(0)} pods changed a second; ${frames.shown} changes of rows in view in ${values.seconds} s, ${frames.count} frames`,
  );
  console.log(
    `longest task ${frames.longestTaskMs.toFixed(0)} ms with what other programs took meanwhile; ${frames.longTasks} above 50 ms`,
  );
  return [
    {
      what: `processor time of the longest task at ${CHANGES_PER_SECOND} changes a second among 10,000 pods`,
      value: frames.longestCpuMs,
      limit: 50,
      unit: 'ms',
    },
  ];
}

/** A list of pods and the changes, open at the same time. */
async function longOpen(): Promise<Figure[]> {
  const minutes = Number(values.minutes);
  const places = ['#/list/pods', '#/history'].map((place) => ({ ...listOf(up), place }));
  const { samples, perSecond } = await samplesWhileOpen(browser, places, {
    load: (signal) => touchPods(up, CHANGES_PER_SECOND, signal),
    minutes,
    serverPid: up.pid,
    onSample: ({ minute, heapMb, elements, serverMb }) =>
      console.log(
        `minute ${minute}: heaps ${heapMb.map((mb) => mb.toFixed(1)).join(' and ')} MB, documents ${elements.join(' and ')} elements, server ${serverMb.toFixed(0)} MB`,
      ),
  });
  console.log(`${perSecond.toFixed(0)} pods changed a second`);
  return places.flatMap(({ place }, index) => {
    const growthOf = (of: (sample: Sample) => number): number => {
      const some = Math.max(1, Math.floor(samples.length / 4));
      return median(samples.slice(-some).map(of)) - median(samples.slice(0, some).map(of));
    };
    const heap = growthOf(({ heapMb }) => heapMb[index] ?? 0);
    const elements = growthOf((sample) => sample.elements[index] ?? 0);
    return [
      { what: `${place}: growth of the heap in ${minutes} min under churn`, value: heap, limit: 3, unit: 'MB' },
      { what: `${place}: growth of the document`, value: elements, limit: 200, unit: 'elements' },
    ];
  });
}

/** `keelson up` with a dashboard that nobody opens, and without one, in turns. */
async function compareIdle(): Promise<void> {
  const costs: Record<string, IdleCost[]> = { '--dashboard=false': [], '--dashboard-port=0': [] };
  for (let round = 0; round < IDLE_ROUNDS; round++)
    for (const [flag, all] of Object.entries(costs)) all.push(await idleCost(program, [flag]));
  for (const [flag, all] of Object.entries(costs)) {
    const of = (member: keyof IdleCost): number => median(all.map((cost) => cost[member]));
    const [ready, memory, cpu] = [of('readyMs'), of('rssMb'), of('cpuMsPerMinute')];
    console.log(
      `keelson up ${flag}, median of ${IDLE_ROUNDS}: ready in ${ready.toFixed(0)} ms, ${memory.toFixed(1)} MB, ${cpu.toFixed(0)} ms of processor time a minute`,
    );
  }
}
