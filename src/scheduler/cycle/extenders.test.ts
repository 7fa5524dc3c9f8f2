import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { SchedulerCache } from '../cache/scheduler-cache.ts';
import { Snapshot } from '../cache/snapshot.ts';
import { Cycle } from '../framework/cycle.ts';
import type { Extender } from '../framework/extender.ts';
import { FitError } from '../framework/fit-error.ts';
import { Framework } from '../framework/framework.ts';
import { defaultProfile } from '../framework/profile.ts';
import { runBind } from '../framework/run-binding.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { nodeOf, podInfoOf, sharedContext } from '../testing/objects.ts';
import { PodScheduler } from './schedule-pod.ts';

const NODES = ['n1', 'n2', 'n3'];

/** A cluster of three equal nodes with the extenders. */
function schedulerWith(...extenders: Extender[]): (sketch?: Parameters<typeof podInfoOf>[0]) => unknown {
  const framework = new Framework(defaultProfile, builtInPlugins, sharedContext({ extenders }));
  const cache = new SchedulerCache();
  for (const name of NODES) cache.setNode(nodeOf({ name }));
  const snapshot = new Snapshot();
  cache.update(snapshot);
  const scheduler = new PodScheduler(snapshot, new SeededRandom(1));
  return (sketch) => scheduler.schedule(framework, new Cycle(podInfoOf(sketch)));
}

const only = (...nodes: string[]): Extender => ({ name: `only ${nodes.join()}`, filter: async () => ({ nodes }) });
const failing: Extender = {
  name: 'failing',
  filter: () => Promise.reject(new Error('no answer')),
  prioritize: () => Promise.reject(new Error('no answer')),
};

describe('extenders', () => {
  test('filter the nodes that plugins accepted, one extender after the other', async () => {
    const seen: string[][] = [];
    const watching: Extender = {
      name: 'watching',
      filter: async (_, nodes) => ({ nodes: (seen[0] = nodes.map(({ name }) => name)) }),
    };
    await expect(schedulerWith(only('n2', 'n3'), only('n3'), watching)()).resolves.toMatchObject({ nodeName: 'n3' });
    expect(seen).toEqual([['n3']]);
  });

  test('give the reasons for rejected nodes, which appear in the message and limit preemption', async () => {
    const picky: Extender = {
      name: 'picky',
      filter: async () => ({
        nodes: [],
        failed: new Map([
          ['n1', 'no GPU left'],
          ['n2', 'no GPU left'],
        ]),
        unresolvable: new Map([
          ['n2', 'no GPU'],
          ['n3', 'no GPU'],
        ]),
      }),
    };
    const error = await Promise.resolve(schedulerWith(picky)()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(FitError);
    const { message, diagnosis } = error as FitError;
    expect(message).toBe(
      '0/3 nodes are available: 1 no GPU left, 2 no GPU. no new claims to deallocate, preemption: 0/3 nodes are ' +
        'available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    );
    expect([...diagnosis.unschedulablePlugins]).toEqual(['Extender']);
  });

  test('that fail make the attempt fail, unless they are ignorable', async () => {
    await expect(schedulerWith(failing)()).rejects.toThrow('no answer');
    await expect(schedulerWith({ ...failing, isIgnorable: true }, only('n1'))()).resolves.toMatchObject({
      nodeName: 'n1',
    });
  });

  test('that return a node they were not sent make the attempt fail', async () => {
    await expect(schedulerWith(only('n1'), only('n2'))()).rejects.toThrow(
      'extender "only n2" claims a filtered node "n2" which is not found in the input node list',
    );
  });

  test('add weighted scores; a failure to score is ignored', async () => {
    const scorer = (name: string, weight: number): Extender => ({
      name,
      weight,
      prioritize: async () => new Map([[name, 10]]),
    });
    const schedule = schedulerWith(scorer('n1', 1), scorer('n2', 3), scorer('n3', 2), {
      name: 'failing',
      prioritize: failing.prioritize,
    });
    await expect(schedule()).resolves.toMatchObject({ nodeName: 'n2', feasibleNodes: 3 });
  });

  test('are called for the nominated node first, and for the others if it does not fit', async () => {
    const status = { nominatedNodeName: 'n2' };
    await expect(schedulerWith(only('n2'))({ status })).resolves.toMatchObject({ nodeName: 'n2', evaluatedNodes: 1 });
    const notThere: Extender = {
      name: 'not there',
      filter: async (_, nodes) => ({ nodes: nodes.map(({ name }) => name).filter((name) => name !== 'n2') }),
    };
    await expect(schedulerWith(notThere)({ status })).resolves.toMatchObject({ feasibleNodes: 2 });
  });

  test('are not called for pods that they do not apply to, which are scheduled synchronously', () => {
    const schedule = schedulerWith({ ...failing, isInterested: ({ priority }) => priority > 0 });
    expect(schedule()).toMatchObject({ feasibleNodes: 3 });
    expect(schedulerWith()()).not.toBeInstanceOf(Promise);
  });

  test('bind instead of the plugins; an ignorable one that fails leaves it to them', async () => {
    const bound: string[] = [];
    const binder: Extender = { name: 'binder', bind: async (pod, node) => void bound.push(`${pod.key} to ${node}`) };
    const broken: Extender = { name: 'broken', isIgnorable: true, bind: () => Promise.reject(new Error('no answer')) };
    const bind = (...extenders: Extender[]): Promise<void> => {
      const framework = new Framework(defaultProfile, builtInPlugins, sharedContext({ extenders }));
      const options = { nodeName: 'n1', signal: new AbortController().signal };
      return runBind(framework, new Cycle(podInfoOf({ name: 'web' })), options);
    };
    await bind(broken, binder);
    expect(bound).toEqual(['default/web to n1']);
    await expect(bind(broken)).rejects.toThrow('running Bind plugin "DefaultBinder"');
    await expect(bind({ ...broken, isIgnorable: false })).rejects.toThrow('no answer');
  });
});
