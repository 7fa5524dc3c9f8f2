// `keelson up` with pods on a real node, and the same with its simulated node: what `npm run bench:node` starts in namespaces.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunningServer, startKeelson } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { PAUSE_IMAGE } from '../../test/real-node/images/suite-images.ts';
import { startRealCluster } from '../../test/real-node/index.ts';
import { room } from '../../test/real-node/namespaces.ts';
import { inTurns } from '../in-turns.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import { tell } from './figures-file.ts';
import { PodStates } from './pod-states.ts';

const LIMIT_MS = 240_000;
/** Garbage of the start is collected within this time. */
const SETTLE_MS = 20_000;
const SECONDS = 30;
const LEAST_SECONDS = 2;
const { values: flags } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    scale: { type: 'string', default: '1' },
    figures: { type: 'string', default: '/dev/stdout' },
  },
});
const count = Number(flags.pods);
const scale = Number(flags.scale);

try {
  await using cluster = await startRealCluster({
    controlPlane: 'keelson',
    agent: 'keelson',
    mode: 'up',
    print: console.error,
  });
  await measure(cluster.server, { node: cluster.node.name, what: 'a real node' });
} catch (error) {
  failed('keelson up with a real node', error);
}
try {
  await using server = await startKeelson({ folder: join(room(), 'simulated'), flags: ['--nodes=1'] });
  await measure(server, { node: 'keelson', what: 'a simulated node' });
} catch (error) {
  failed('keelson up with a simulated node', error);
}

async function measure(
  { kubeconfig, daemons }: RunningServer,
  { node: nodeName, what }: { readonly node: string; readonly what: string },
): Promise<void> {
  const pid = daemons[0]?.pid ?? 0;
  const add = (name: string, unit: string, value: number): void =>
    tell(flags.figures, {
      type: 'figure',
      measure: { name: `keelson up with ${what}, ${name}`, unit, better: 'lower' },
      value,
    });
  const addUse = async (held: string): Promise<void> => {
    await sleep(SETTLE_MS * scale);
    const seconds = Math.max(LEAST_SECONDS, SECONDS * scale);
    const before = cpuMsOf(pid);
    await sleep(seconds * 1000);
    add(`${held}: processor time`, '% of a processor', (cpuMsOf(pid) - before) / seconds / 10);
    add(`${held}: memory`, 'MB', rssMbOf(pid));
  };
  await addUse('no pods');
  await using client = await connect({ kubeconfig });
  const pods = client.core.v1.pods.namespace('default');
  await using states = await PodStates.watch(pods);
  const names = Array.from({ length: count }, (_, index) => `pod-${index}`);
  await inTurns(count, async (index) => {
    const spec = { nodeName, terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: PAUSE_IMAGE }] };
    await pods.create({ metadata: { name: names[index] ?? '' }, spec });
  });
  await states.until(names, 'ready', { limitMs: LIMIT_MS });
  await addUse(`${count} pods`);
  await inTurns(count, async (index) => void (await pods.delete(names[index] ?? '')));
  await states.until(names, 'gone', { limitMs: LIMIT_MS });
}

function failed(part: string, error: unknown): void {
  tell(flags.figures, { type: 'failure', part, message: error instanceof Error ? error.message : String(error) });
}
