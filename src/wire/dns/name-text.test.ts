import { expect, it } from 'vitest';
import { absoluteName, isWithin, labelsOf } from './name-text.ts';

it('labelsOf() splits at dots that are not escaped', () => {
  expect(labelsOf('a.b.')).toEqual(['a', 'b']);
  expect(labelsOf('a\\.b.c\\\\.d.')).toEqual(['a\\.b', 'c\\\\', 'd']);
  expect(labelsOf('.')).toEqual([]);
});

it('absoluteName() adds a last dot, unless there is one that ends the name', () => {
  expect(['a.b', 'a.b.', 'a\\.', 'a\\\\.'].map(absoluteName)).toEqual(['a.b.', 'a.b.', 'a\\..', 'a\\\\.']);
});

it('isWithin() looks at whole labels', () => {
  expect(isWithin('a.cluster.local.', 'cluster.local.')).toBe(true);
  expect(isWithin('cluster.local.', 'cluster.local.')).toBe(true);
  expect(isWithin('mycluster.local.', 'cluster.local.')).toBe(false);
  expect(isWithin('a\\.cluster.local.', 'cluster.local.')).toBe(false);
  expect(isWithin('a\\\\.cluster.local.', 'cluster.local.')).toBe(true);
  expect(isWithin('local.', 'cluster.local.')).toBe(false);
  expect(isWithin('local.', '.')).toBe(true);
});
