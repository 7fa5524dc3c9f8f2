import { describe, expect, test } from 'vitest';
import { DESIRED_REPLICAS, MAX_REPLICAS } from './annotations.ts';
import { sortSets } from './replica-sets.ts';
import { isScalingEvent, planScaling } from './scaling-plan.ts';
import { rolling, set, view } from './testing/samples.ts';

/** Scales sets of the given sizes, newest first and the first current, from one size of the Deployment to another. */
function scale(
  [before, after]: readonly [number, number],
  sizes: readonly number[],
  { maxSurge = 0 }: { readonly maxSurge?: number } = {},
): number[] {
  const deployment = rolling(after, { maxSurge, maxUnavailable: 1 });
  const annotations = { [DESIRED_REPLICAS]: String(before), [MAX_REPLICAS]: String(before + maxSurge) };
  const sets = sizes.map((size, index) =>
    set(`s${index}`, size, { image: index === 0 ? 'new' : 'old', ageSeconds: 10 + index, annotations }),
  );
  const { resizes } = planScaling(deployment, sortSets(sets, deployment.template));
  return sets.map((one, index) => resizes.find((resize) => resize.set === one)?.replicas ?? sizes[index] ?? 0);
}

describe('scaling a Deployment', () => {
  test.each<[string, [number, number, number], number[], number[]]>([
    // what it shows; the Deployment's size before and after, and its surge; sizes before and after
    ['the only ReplicaSet gets all', [10, 12, 0], [10], [12]],
    ['the only one with pods gets all', [10, 5, 0], [10, 0], [5, 0]],
    ['an old one alone with pods gets all', [10, 5, 0], [0, 10], [0, 5]],
    ['the current one gets all when none has pods', [0, 6, 0], [0, 0, 0], [6, 0, 0]],
    ['growth is proportional', [10, 12, 0], [5, 5], [6, 6]],
    ['shrinking is proportional', [10, 5, 0], [5, 5], [3, 2]],
    ['more is proportional', [10, 20, 0], [5, 3, 2], [10, 6, 4]],
    ['what rounding leaves goes to the largest when growing', [10, 20, 0], [6, 2, 2], [12, 4, 4]],
    ['rounding cannot exceed the whole', [5, 6, 0], [3, 1, 1], [4, 1, 1]],
    ['equal ones: the newest is the first to grow', [12, 13, 0], [4, 4, 4], [5, 4, 4]],
    ['equal ones: the oldest is the first to shrink', [12, 11, 0], [4, 4, 4], [4, 4, 3]],
    ['to nothing', [10, 0, 0], [5, 5], [0, 0]],
    ['with surge, what is left goes to the largest', [10, 20, 2], [6, 5], [13, 9]],
  ])('%s: %o', (_, [before, after, maxSurge], sizes, expected) => {
    expect(scale([before, after], sizes, { maxSurge })).toEqual(expected);
  });

  test('empties the old ReplicaSets when the current one is complete', () => {
    const deployment = rolling(10, { maxSurge: 2 });
    const annotations = { [DESIRED_REPLICAS]: '10', [MAX_REPLICAS]: '12' };
    const current = set('current', 10, { image: 'new', annotations, status: { availableReplicas: 10 } });
    const old = set('old', 2, { annotations });
    const plan = planScaling(deployment, sortSets([current, old], deployment.template));
    expect(plan).toEqual({ resizes: [{ set: old, replicas: 0 }], isForced: false });
  });

  test('writes all ReplicaSets of a rollout, including those that keep their size', () => {
    const deployment = rolling(10, { maxSurge: 2 });
    const sets = [set('current', 5, { image: 'new' }), set('old', 7)];
    const { resizes, isForced } = planScaling(deployment, sortSets(sets, deployment.template));
    expect(isForced).toBe(true);
    expect(resizes).toHaveLength(2);
  });

  test('is distinguished from a rollout by the size annotations', () => {
    const sets = (desired: string): ReturnType<typeof sortSets> =>
      sortSets([set('current', 10, { image: 'new', annotations: { [DESIRED_REPLICAS]: desired } })], view().template);
    expect(isScalingEvent(view(), sets('10'))).toBe(false);
    expect(isScalingEvent(view(), sets('9'))).toBe(true);
    expect(isScalingEvent(view(), sets('many'))).toBe(false);
  });
});
