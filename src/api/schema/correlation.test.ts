import { expect, test } from 'vitest';
import { Correlation } from './correlation.ts';
import { structuralShape, type StructuralSchema } from './structural-schema.ts';

const text: StructuralSchema = { type: 'string' };
const keyed: StructuralSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
  items: { type: 'object', properties: { name: text, port: { type: 'integer' }, note: text } },
};
const shape = structuralShape({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: { a: text, keyed, plain: { type: 'array', items: text } },
});

test('members are correlated if they existed and the schema names them', () => {
  const pair = new Correlation({ a: 'x', odd: 1 }, { a: 'x', odd: 1 }, shape);
  expect(pair.key('a')?.isUnchanged).toBe(true);
  expect(pair.key('odd')).toBeUndefined();
  expect(pair.isUnchanged).toBe(false); // the schema does not describe `odd`
  expect(new Correlation({ a: 'x' }, {}, shape).key('a')).toBeUndefined();
  expect(new Correlation({ a: 'x' }, { a: 'x' }, shape).isUnchanged).toBe(true);
});

test('items of a keyed list are correlated wherever they have moved to', () => {
  const old = {
    keyed: [
      { name: 'a', port: 1, note: 'x' },
      { name: 'a', port: 2 },
    ],
  };
  const value = {
    keyed: [{ name: 'a', port: 2 }, { name: 'a', port: 1, note: 'y' }, { name: 'b', port: 1 }, { name: 'a' }],
  };
  const list = new Correlation(value, old, shape).key('keyed');
  expect([0, 1, 2, 3].map((place) => list?.index(place)?.isUnchanged)).toEqual([true, false, undefined, undefined]);
  expect(new Correlation({ keyed: old.keyed.toReversed() }, old, shape).key('keyed')?.isUnchanged).toBe(true);
});

test('other lists are correlated as a whole, or not at all', () => {
  const list = (value: readonly string[]): Correlation | undefined =>
    new Correlation({ plain: value }, { plain: ['a', 'b'] }, shape).key('plain');
  expect(list(['a', 'b'])?.isUnchanged).toBe(true);
  expect(list(['b', 'a'])?.isUnchanged).toBe(false);
  expect(list(['a', 'b'])?.index(0)).toBeUndefined();
});
