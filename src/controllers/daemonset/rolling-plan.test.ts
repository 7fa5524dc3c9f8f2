import { describe, expect, test } from 'vitest';
import type { DaemonSetSpec } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { viewDaemonSet } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';
import { planRollingUpdate } from './rolling-plan.ts';
import { daemonSet, rolling } from './testing/samples.ts';

const stored = { namespace: 'default', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const yes: NodeFit = { shouldRun: true, shouldStay: true };
const stays: NodeFit = { shouldRun: false, shouldStay: true };

/** A pod described by words such as `old`, `new broken` or `old leaving`. */
function pod(name: string, facts: string): Observed<Pod> {
  const isLeaving = facts.includes('leaving');
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      ...stored,
      name,
      uid: name,
      labels: { 'controller-revision-hash': facts.includes('new') ? 'new' : 'old' },
      ...(isLeaving ? { deletionTimestamp: stored.creationTimestamp } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: facts.includes('broken') ? 'False' : 'True' }] },
  };
}

interface Nodes {
  readonly [name: string]: readonly string[];
}

function plan(
  strategy: Pick<DaemonSetSpec, 'updateStrategy'>,
  nodes: Nodes,
  unwanted: readonly string[] = [],
): { readonly create: readonly string[]; readonly delete: readonly string[] } {
  const set = { kind: 'DaemonSet', apiVersion: 'apps/v1', ...daemonSet(strategy) } as const;
  const view = viewDaemonSet({ ...set, metadata: { ...stored, name: 'log', uid: 'log' } });
  const names = Object.keys(nodes);
  const fits = new Map(names.map((name) => [name, unwanted.includes(name) ? stays : yes]));
  const pods = new Map(names.map((name) => [name, nodes[name]?.map((facts) => pod(`${name} ${facts}`, facts)) ?? []]));
  const planned = planRollingUpdate(view, { fits, pods, hash: 'new', nowMs: 0 });
  return { create: planned.create, delete: planned.delete.map(({ metadata }) => metadata.name) };
}

describe('without surge, pods are deleted', () => {
  test.each([
    ['one at a time', rolling(1), { a: ['old'], b: ['old'], c: ['old'] }, ['a old']],
    ['a share, rounded up', rolling('50%'), { a: ['old'], b: ['old'], c: ['old'] }, ['a old', 'b old']],
    ['not while a new one does not work', rolling(1), { a: ['new broken'], b: ['old'] }, []],
    ['not while one is missing', rolling(1), { a: [], b: ['old'] }, []],
    ['not while one leaves', rolling(1), { a: ['old leaving'], b: ['old'] }, []],
    [
      'at once when they do not work',
      rolling(1),
      { a: ['old broken'], b: ['old broken'] },
      ['a old broken', 'b old broken'],
    ],
    ['not where there are too many', rolling(2), { a: ['old', 'old'], b: ['old'] }, ['b old']],
    ['even if the bounds forbid it', rolling(0), { a: ['old'] }, ['a old']],
  ])('%s', (_, strategy, nodes, deleted) => {
    expect(plan(strategy, nodes)).toEqual({ create: [], delete: deleted });
  });
});

describe('with surge', () => {
  test.each([
    ['new pods are made beside old ones', { a: ['old'], b: ['old'] }, { create: ['a'], delete: [] }],
    ['not while one surges', { a: ['old', 'new broken'], b: ['old'] }, { create: [], delete: [] }],
    [
      'the old one goes when the new one works',
      { a: ['old', 'new'], b: ['old'] },
      { create: ['b'], delete: ['a old'] },
    ],
    [
      'those that do not work are replaced at once',
      { a: ['old broken'], b: ['old broken'] },
      { create: ['a', 'b'], delete: [] },
    ],
  ])('%s', (_, nodes, wanted) => {
    expect(plan(rolling(0, 1), nodes)).toEqual(wanted);
  });

  test('a pod on an ineligible node is deleted when enough others are available', () => {
    expect(plan(rolling(0, 1), { a: ['old'], b: ['new'] }, ['a'])).toEqual({ create: [], delete: ['a old'] });
    expect(plan(rolling(0, 1), { a: ['old'], b: ['new broken'] }, ['a'])).toEqual({ create: [], delete: [] });
    expect(plan(rolling(0, 1), { a: ['old broken'], b: ['new'] }, ['a']).delete).toEqual(['a old broken']);
  });
});
