import { describe, expect, test } from 'vitest';
import { type ClaimSituation, hasStalePod, judgeClaim } from './claim-owners.ts';

const keeping: ClaimSituation = {
  set: { name: 'web', uid: 'set' },
  pod: { name: 'web-0', uid: 'pod' },
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  isScaledDown: false,
};
const ofSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'web',
  uid: 'set',
  controller: true,
  blockOwnerDeletion: true,
};
const ofPod = { ...ofSet, apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'pod' };
const other = { ...ofSet, apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' };

describe('a claim', () => {
  test.each([
    ['is kept', ['Retain', 'Retain', false], []],
    ['is kept by a pod that goes', ['Retain', 'Retain', true], []],
    ['goes with the set', ['Retain', 'Delete', false], [ofSet]],
    ['goes with the set, even when its pod has gone', ['Retain', 'Delete', true], [ofSet]],
    ['stays while its pod is wanted', ['Delete', 'Retain', false], []],
    ['goes with its pod', ['Delete', 'Retain', true], [ofPod]],
    ['goes with the set, while its pod is wanted', ['Delete', 'Delete', false], [ofSet]],
    ['goes with its pod, when both say so', ['Delete', 'Delete', true], [ofPod]],
  ] as const)('%s', (_, [whenScaled, whenDeleted, isScaledDown], wanted) => {
    const situation = { ...keeping, whenScaled, whenDeleted, isScaledDown };
    for (const before of [[], [ofSet], [ofPod], [ofSet, ofPod]]) {
      const owners = judgeClaim(before, situation).owners ?? before;
      expect(owners).toEqual(wanted);
      expect(judgeClaim(owners, situation).owners).toBeUndefined();
    }
  });

  test('turns a plain owner into the controller', () => {
    const situation = { ...keeping, whenDeleted: 'Delete' } as const;
    expect(judgeClaim([{ ...ofSet, controller: false }], situation).owners).toEqual([ofSet]);
  });

  test('keeps owners that are unrelated to the set', () => {
    const owner = { ...other, controller: false };
    const situation = { ...keeping, whenDeleted: 'Delete' } as const;
    expect(judgeClaim([owner], situation).owners).toEqual([owner, ofSet]);
  });

  test('with another controller is left alone', () => {
    const situation = { ...keeping, whenDeleted: 'Delete' } as const;
    expect(judgeClaim([other], situation)).toEqual({ owners: undefined, isConflicting: true });
    expect(judgeClaim([other, ofSet], situation)).toEqual({ owners: [other], isConflicting: true });
    expect(judgeClaim([other], keeping)).toEqual({ owners: undefined, isConflicting: false });
  });

  test('of an earlier set or pod with the same name is left to the garbage collector', () => {
    const situation = { ...keeping, whenDeleted: 'Delete' } as const;
    expect(judgeClaim([{ ...ofSet, uid: 'earlier' }], situation).owners).toBeUndefined();
    expect(judgeClaim([{ ...ofPod, uid: 'earlier' }], keeping).owners).toBeUndefined();
    expect(hasStalePod([{ ...ofPod, uid: 'earlier' }], keeping.pod)).toBe(true);
    expect(hasStalePod([ofPod], keeping.pod)).toBe(false);
  });
});
