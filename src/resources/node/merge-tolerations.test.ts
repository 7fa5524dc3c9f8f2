import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Toleration } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { mergeTolerations } from './merge-tolerations.ts';

/** The definition of merging: compares each with all others. */
function mergedByComparing(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      merged.some((earlier) => covers(earlier, toleration)) ||
      all.slice(index + 1).some((later) => !areEqual(later, toleration) && covers(later, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (areEqual(wide, narrow)) return true;
  const isForAllKeys = (wide.key ?? '') === '' && wide.operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !isForAllKeys) return false;
  if ((wide.effect ?? '') !== (narrow.effect ?? '') && (wide.effect ?? '') !== '') return false;
  const limit = wide.tolerationSeconds;
  if (wide.effect === 'NoExecute' && limit !== undefined && !((narrow.tolerationSeconds ?? Infinity) <= limit))
    return false;
  if (wide.operator === 'Exists') return true;
  const isEqual = wide.operator === 'Equal' || (wide.operator ?? '') === '';
  return isEqual && narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}

/** Upstream's fields are empty where ours are absent. */
function areEqual(one: Toleration, other: Toleration): boolean {
  const empty = { key: '', operator: '', value: '', effect: '' };
  return deepEqual({ ...empty, ...one }, { ...empty, ...other });
}

const toleration = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('Exists', 'Equal', '', 'Gt'),
    value: fc.constantFrom('', 'x', 'y'),
    effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
    tolerationSeconds: fc.constantFrom(-5, 0, 60, 300),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Toleration>;

test('merging equals comparing each with all others', () => {
  fc.assert(
    fc.property(fc.array(toleration, { maxLength: 6 }), fc.array(toleration, { maxLength: 6 }), (first, second) => {
      expect(mergeTolerations(first, second)).toEqual(mergedByComparing([...first, ...second]));
    }),
    { numRuns: 3000 },
  );
});

test('of tolerations that cover each other, the last stays, as upstream', () => {
  const limited: Toleration = { key: 'b', operator: 'Equal', tolerationSeconds: 0 };

  expect(mergeTolerations([limited, { key: 'b', operator: 'Equal' }], [limited])).toEqual([limited]);
});

test('a hundred thousand tolerations of one key are merged', () => {
  const many = Array.from<unknown, Toleration>({ length: 100_000 }, (_unused, index) => ({
    key: 'a',
    operator: 'Equal',
    value: `v${index}`,
  }));

  expect(mergeTolerations(many, [{ key: 'b', operator: 'Exists' }])).toHaveLength(100_001);
  expect(mergeTolerations(many, [{ operator: 'Exists' }])).toEqual([{ operator: 'Exists' }]);
});
