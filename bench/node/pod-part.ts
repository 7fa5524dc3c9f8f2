import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSE_IMAGE } from '../../test/real-node/images/suite-images.ts';
import { inTurns } from '../in-turns.ts';
import { median } from '../median.ts';
import { type NodeBench, type NodePart, NAMESPACE } from './part.ts';
import { PodStates } from './pod-states.ts';
import { addUseOver, cpuOf } from './use-over.ts';

const LIMIT_MS = 240_000;
/** Fewer pods than this at once are started again until there are as many figures. */
const LEAST_FIGURES = 5;
/** An agent that has just started looks after images and old containers. */
const SETTLE_MS = 10_000;
/** Agents remove folders, logs and cgroups after the pod is gone from the API. */
const CLEANUP_MS = 3000;

/** Without pods, before any was started. */
export const idlePart: NodePart = {
  name: 'idle',
  async measure(bench) {
    await sleep(SETTLE_MS * bench.scale);
    await addUseOver(bench, 'no pods');
  },
};

/** This many pods at once, from their creation until they are gone; with `isHeld`, what the agent uses while they run. */
export function podPart(count: number, { isHeld }: { readonly isHeld: boolean }): NodePart {
  return {
    name: `${count} pods`,
    async measure(bench) {
      const pods = bench.client.core.v1.pods.namespace(NAMESPACE);
      await using states = await PodStates.watch(pods);
      const figures: Figures = { running: [], ready: [], gone: [], start: [], end: [] };
      const repeats = Math.ceil(LEAST_FIGURES / count);
      for (let repeat = 0; repeat < repeats; repeat++) {
        const names = Array.from({ length: count }, (_, index) => `pod-${count}-${repeat}-${index}`);
        const batch = { names, states, figures };
        try {
          await startAll(bench, batch);
          if (isHeld && repeat === repeats - 1) await addUseOver(bench, `${podsText(count)} held`);
        } catch (error) {
          await pods.deleteCollection({ gracePeriodSeconds: 0 }); // the next parts get an empty node
          throw error;
        }
        await deleteAll(bench, batch);
      }
      addFigures(bench, count, figures);
    },
  };
}

/** Milliseconds from the request until each pod was seen so, and processor time a pod. */
interface Figures {
  readonly running: number[];
  readonly ready: number[];
  readonly gone: number[];
  readonly start: Use[];
  readonly end: Use[];
}

interface Use {
  readonly agentMs: number;
  readonly runtimeMs: number;
}

interface Batch {
  readonly names: readonly string[];
  readonly states: PodStates;
  readonly figures: Figures;
}

async function startAll({ client, node }: NodeBench, { names, states, figures }: Batch): Promise<void> {
  const pods = client.core.v1.pods.namespace(NAMESPACE);
  const sent = new Map<string, number>();
  const before = cpuOf(node);
  await inTurns(names.length, async (index) => {
    const name = names[index] ?? '';
    sent.set(name, performance.now());
    const containers = [{ name: 'main', image: PAUSE_IMAGE }];
    const spec = { nodeName: node.name, terminationGracePeriodSeconds: 5, containers };
    await pods.create({ metadata: { name }, spec });
  });
  await states.until(names, 'ready', { limitMs: LIMIT_MS });
  figures.start.push(useSince(before, node, names.length));
  for (const [name, sentMs] of sent)
    for (const state of ['running', 'ready'] as const) figures[state].push(states.at(name, state) - sentMs);
}

async function deleteAll({ client, node }: NodeBench, { names, states, figures }: Batch): Promise<void> {
  const pods = client.core.v1.pods.namespace(NAMESPACE);
  const sent = new Map<string, number>();
  const before = cpuOf(node);
  await inTurns(names.length, async (index) => {
    const name = names[index] ?? '';
    sent.set(name, performance.now());
    await pods.delete(name);
  });
  await states.until(names, 'gone', { limitMs: LIMIT_MS });
  for (const [name, sentMs] of sent) figures.gone.push(states.at(name, 'gone') - sentMs);
  await sleep(CLEANUP_MS);
  figures.end.push(useSince(before, node, names.length));
}

/** What each pod has taken. */
function useSince(before: Use, node: NodeBench['node'], pods: number): Use {
  const after = cpuOf(node);
  return { agentMs: (after.agentMs - before.agentMs) / pods, runtimeMs: (after.runtimeMs - before.runtimeMs) / pods };
}

function addFigures({ add }: NodeBench, count: number, figures: Figures): void {
  const what = `${podsText(count)} at once`;
  const better = 'lower';
  for (const [step, times] of [
    ['created until Running', figures.running],
    ['created until Ready', figures.ready],
    ['deleted until gone', figures.gone],
  ] as const) {
    add({ name: `${what}, ${step}: p50`, unit: 'ms', better }, median(times));
    add({ name: `${what}, ${step}: max`, unit: 'ms', better }, Math.max(...times));
  }
  for (const [step, used] of [
    ['start', figures.start],
    ['deletion', figures.end],
  ] as const) {
    const name = (whose: string): string => `${what}: ${whose} processor time for the ${step} of each`;
    add({ name: name("the agent's"), unit: 'ms', better }, mean(used.map(({ agentMs }) => agentMs)));
    add({ name: name("the runtime's"), unit: 'ms', better }, mean(used.map(({ runtimeMs }) => runtimeMs)));
  }
}

/** Processor time comes in steps too coarse for a single pod. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function podsText(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}
