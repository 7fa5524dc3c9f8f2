import { describe, expect, test } from 'vitest';
import { Snapshot } from '../cache/snapshot.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { nodeInfoOf, podInfoOf, sharedContext } from '../testing/objects.ts';
import { Cycle, type CycleKey } from './cycle.ts';
import { Diagnosis } from './diagnosis.ts';
import { Framework } from './framework.ts';
import type { Plugin, PostFilterAnswer } from './plugin.ts';
import { defaultProfile } from './profile.ts';
import { unresolvable, unschedulable } from './rejection.ts';
import {
  filtersFor,
  PluginTrial,
  type PostFilterOutcome,
  runPostFilters,
  runPreFilters,
  Trials,
} from './run-filters.ts';

const context = sharedContext();

function frameworkWith(...plugins: Plugin[]): Framework {
  const factories = new Map([
    ...builtInPlugins,
    ...plugins.map(({ name }, index) => [name, () => plugins[index]!] as const),
  ]);
  const uses = [
    ...plugins.map(({ name }) => ({ name })),
    ...defaultProfile.plugins.filter(({ name }) => name !== 'DefaultPreemption' && name !== 'DynamicResources'),
  ];
  return new Framework({ ...defaultProfile, plugins: uses }, factories, context);
}

/** The rejections of a pod on an empty node, after PreFilter. */
function filtered(framework: Framework, sketch: Parameters<typeof podInfoOf>[0]): readonly string[] | undefined {
  const cycle = new Cycle(podInfoOf(sketch));
  runPreFilters(framework, cycle, new Snapshot());
  return filtersFor(framework, cycle)(nodeInfoOf({}))?.reasons;
}

class Neighbours {
  count: number;

  constructor(count: number) {
    this.count = count;
  }

  clone(): Neighbours {
    return new Neighbours(this.count);
  }
}

const neighbours: CycleKey<Neighbours> = { name: 'Neighbours' };
/** Rejects a third pod; counts with the hooks alone. */
const lonely: Plugin = {
  name: 'Lonely',
  preFilter(cycle) {
    cycle.write(neighbours, new Neighbours(1));
    return undefined;
  },
  addPod: (cycle) => void (cycle.read(neighbours).count += 1),
  removePod: (cycle) => void (cycle.read(neighbours).count -= 1),
  filter: (cycle) => (cycle.read(neighbours).count > 1 ? unschedulable('Lonely', 'too crowded') : undefined),
};

describe('a trial', () => {
  test('calls the hooks for pods that are added and removed, and changes neither the node nor the cycle', () => {
    const framework = frameworkWith(lonely);
    const other = podInfoOf({ name: 'other', requests: { cpu: '3' } });
    const node = nodeInfoOf({}, [other]);
    const cycle = new Cycle(podInfoOf({ requests: { cpu: '2' } }));
    runPreFilters(framework, cycle, new Snapshot());
    const trial = new PluginTrial(new Trials(framework, cycle), cycle, node);
    expect(trial.filter()?.reasons).toEqual(['Insufficient cpu']);
    trial.remove(other);
    expect(trial.filter()).toBeUndefined();
    trial.add(podInfoOf({ name: 'small' }));
    trial.add(podInfoOf({ name: 'smaller' }));
    expect(trial.filter()?.reasons).toEqual(['too crowded']);
    expect([node.pods.length, cycle.read(neighbours).count]).toEqual([1, 1]);
  });
});

describe('filters', () => {
  test('count nominated pods of the same or a higher priority, and no others', () => {
    const framework = frameworkWith();
    const filterFor = (priority: number): readonly string[] | undefined =>
      filtered(framework, { name: 'new', priority, requests: { cpu: '2' } });
    context.nominatedPods.set(podInfoOf({ name: 'nominated', priority: 5, requests: { cpu: '3' } }), 'node');
    expect(filterFor(5)).toEqual(['Insufficient cpu']);
    expect(filterFor(6)).toBeUndefined();
    expect(filtered(framework, { name: 'nominated', priority: 5, requests: { cpu: '3' } })).toBeUndefined();
    context.nominatedPods.delete('uid-nominated');
    expect(filterFor(5)).toBeUndefined();
  });

  test('must also pass without the nominated pods, because they may end up elsewhere', () => {
    const friendly: Plugin = {
      name: 'Friendly',
      filter: (_, { pods }) => (pods.length === 0 ? unschedulable('Friendly', 'no company') : undefined),
    };
    const framework = frameworkWith(friendly);
    context.nominatedPods.set(podInfoOf({ name: 'nominated' }), 'node');
    expect(filtered(framework, {})).toEqual(['no company']);
    context.nominatedPods.delete('uid-nominated');
  });
});

describe('PostFilter', () => {
  const later =
    (answer: PostFilterAnswer): Plugin['postFilter'] =>
    () =>
      Promise.resolve(answer);
  const run = async (...answers: Plugin['postFilter'][]): Promise<PostFilterOutcome> => {
    const plugins = answers.map((postFilter, index) => ({ name: `P${index}`, postFilter }));
    const options = { snapshot: new Snapshot(), diagnosis: new Diagnosis(), signal: new AbortController().signal };
    return runPostFilters(frameworkWith(...plugins), new Cycle(podInfoOf()), options);
  };

  test('calls plugins until one succeeds, which may nominate the pod', async () => {
    const never: Plugin['postFilter'] = () => expect.unreachable();
    expect(await run(later(unschedulable('P0', 'no')), later({ nominatedNodeName: 'n1' }), never)).toEqual({
      message: '',
      nominatedNodeName: 'n1',
    });
    expect(await run(later('done'), never)).toEqual({ message: '' });
    expect(await run(later(unresolvable('P0', 'never')), never)).toEqual({ message: 'never' });
  });

  test('joins the messages of plugins that cannot help; one of them may remove a nomination', async () => {
    const no = { ...unschedulable('P0', 'no'), nominatedNodeName: '' };
    expect(await run(() => no, later(unschedulable('P1', 'neither')))).toEqual({
      message: 'no, neither',
      nominatedNodeName: '',
    });
  });

  test('that fails does not make the pod schedulable: the error is reported', async () => {
    expect(await run(() => Promise.reject(new Error('no luck')))).toEqual({ message: 'no luck' });
  });

  test('without plugins removes a nomination', async () => {
    expect(await run()).toEqual({ message: '', nominatedNodeName: '' });
  });
});

test.each([
  ['"no"', 'no'],
  ['false', false],
  ['a promise', Promise.resolve()],
])('a filter that returns %s gets an error with what it should return', (shown, answer) => {
  const odd = Object.assign({ name: 'Odd' }, { filter: () => answer as unknown }) as Plugin;
  expect(() => filtered(frameworkWith(odd), {})).toThrow(
    `running "Odd" filter plugin: it must return nothing, or a rejection such as unschedulable('Odd', 'reason'); got ${shown}`,
  );
});
