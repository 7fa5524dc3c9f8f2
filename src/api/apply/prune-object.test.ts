import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { canonicalize } from '../json/index.ts';
import { type Converting, withConversions } from './conversion.ts';
import { union } from './field-set-algebra.ts';
import { mergeObjects } from './merge-objects.ts';
import { mergeTypeOf } from './merge-type.ts';
import { type FieldManager, managerId } from './field-managers.ts';
import { pruneLast, pruneObject } from './prune-object.ts';
import { setOf } from './set-of.ts';

const struct = builtInTypes().struct('io.k8s.api.core.v1.PodTemplate');
const type = mergeTypeOf(struct);

const env = fc
  .uniqueArray(fc.constantFrom('A', 'B', 'C'), { minLength: 1 })
  .map((names) => names.map((name) => ({ name, value: name })));
const container = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'c'),
    image: fc.constantFrom('i', 'j'),
    env,
    args: fc.constant(['x']),
    resources: fc.constant({}),
  },
  { requiredKeys: ['name'] },
);
const config = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('PodTemplate'),
  metadata: fc.record(
    { labels: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2')) },
    { requiredKeys: [] },
  ),
  template: fc.record({
    spec: fc.record(
      {
        containers: fc.uniqueArray(container, { selector: ({ name }) => name }),
        nodeSelector: fc.dictionary(fc.constantFrom('n'), fc.constantFrom('1', '2')),
        hostname: fc.constantFrom('h'),
      },
      { requiredKeys: [] },
    ),
  }),
});

/** The result of a computation on a kind with one version. */
function done<T>(work: Converting<T>): T {
  return withConversions(work, { convert: () => undefined }) as T;
}

function manager(name: string, set: FieldManager['set']): FieldManager {
  return { name, operation: 'Apply', apiVersion: 'v1', subresource: '', time: undefined, set };
}

test('applying everything again removes nothing, with and without the shortcut', () => {
  fc.assert(
    fc.property(config, config, config, (live, last, applied) => {
      const others = mergeObjects(live, last, type);
      const merged = { object: mergeObjects(others, applied, type), type, apiVersion: 'v1' };
      const lastSet = setOf(last, type);
      const appliedSet = union(setOf(applied, type), lastSet);
      const self = manager('m', appliedSet);
      const other = manager('o', setOf(live, type));
      const managers = new Map([self, other].map((one) => [managerId(one), one]));
      const pruning = { last: manager('m', lastSet), managers, applied: appliedSet };
      expect(done(pruneObject(merged, pruning))).toBe(merged);
      const pruned = done(pruneLast(merged, pruning.last, pruning));
      expect(canonicalize(pruned.object, struct)).toEqual(canonicalize(merged.object, struct));
    }),
  );
});

test('removes nothing that another manager owns', () => {
  fc.assert(
    fc.property(config, config, (mine, others) => {
      const merged = { object: mergeObjects(mine, others, type), type, apiVersion: 'v1' };
      const other = manager('o', setOf(others, type));
      const managers = new Map([[managerId(other), other]]);
      const pruning = { last: manager('m', setOf(mine, type)), managers, applied: setOf({}, type) };
      const pruned = done(pruneObject(merged, pruning));
      const left = setOf(canonicalize(pruned.object, struct), type);
      for (const path of setOf(canonicalize(others, struct), type).paths()) expect(left.has(path)).toBe(true);
    }),
  );
});
