import { expect, test } from 'vitest';
import { z } from 'zod';
import { resource } from '../resource.ts';
import type { Definition } from '../resource-options.ts';
import type { SchemaSource } from '../schema-source.ts';
import { definitionChanges } from './definition-changes.ts';

const kind = (spec: SchemaSource): Definition => resource('example.dev/v1', 'Cache', { spec }).manifest();
const changesBetween = (old: Definition, next: Definition): readonly string[] =>
  definitionChanges(old, next).map(({ effect, path, message }) => `${effect} ${path}: ${message}`);

const base = { a: z.string().optional() };

test.each<[string, SchemaSource, SchemaSource, readonly string[]]>([
  ['nothing', z.object(base), z.object(base), []],
  ['a field is added', z.object(base), z.object({ ...base, b: z.int().optional() }), ['notice v1.spec.b: is new']],
  [
    'a field is removed',
    z.object({ ...base, b: z.int().optional() }),
    z.object(base),
    ['breaks v1.spec.b: is gone: stored values are dropped'],
  ],
  [
    'a field becomes required',
    z.object({ n: z.int(), a: z.string().optional() }),
    z.object({ n: z.int(), a: z.string() }),
    ['breaks v1.spec.a: is required now, and has no default'],
  ],
  [
    'a required field gets a default',
    z.object({ n: z.int() }),
    z.object({ n: z.int(), a: z.string().default('x') }),
    ['notice v1.spec.a: is new'],
  ],
  [
    'a type changes',
    z.object({ a: z.int() }),
    z.object({ a: z.string() }),
    ['breaks v1.spec.a: was integer, is string'],
  ],
  ['an integer may be any number', z.object({ a: z.int() }), z.object({ a: z.number() }), []],
  [
    'bounds are tightened',
    z.object({ a: z.int().min(1).max(9) }),
    z.object({ a: z.int().min(2).max(8) }),
    ['breaks v1.spec.a: maximum was 9, is 8', 'breaks v1.spec.a: minimum was 1, is 2'],
  ],
  ['bounds are loosened', z.object({ a: z.int().min(2).max(8) }), z.object({ a: z.int().min(1) }), []],
  [
    'a value is dropped',
    z.object({ a: z.enum(['x', 'y']) }),
    z.object({ a: z.enum(['x']) }),
    ['breaks v1.spec.a: "y" no longer fits'],
  ],
  ['a value is added', z.object({ a: z.enum(['x']) }), z.object({ a: z.enum(['x', 'y']) }), []],
  [
    'values are listed',
    z.object({ a: z.string() }),
    z.object({ a: z.enum(['x']) }),
    ['breaks v1.spec.a: only "x" fit now'],
  ],
  [
    'a pattern changes',
    z.object({ a: z.string().regex(/^a/) }),
    z.object({ a: z.string().regex(/^b/) }),
    ['breaks v1.spec.a: pattern is another: "^b"'],
  ],
  [
    'null is refused',
    z.object({ a: z.string().nullable() }),
    z.object({ a: z.string() }),
    ['breaks v1.spec.a: null is refused now'],
  ],
  [
    'inside of lists',
    z.object({ a: z.array(z.object({ b: z.string().max(9) })) }),
    z.object({ a: z.array(z.object({ b: z.string().max(5) })) }),
    ['breaks v1.spec.a[*].b: maxLength was 9, is 5'],
  ],
  [
    'a list becomes a set',
    { type: 'object', required: ['a'], properties: { a: { type: 'array', items: { type: 'string' } } } },
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
    },
    ['breaks v1.spec.a: x-kubernetes-list-type was "atomic", is "set"'],
  ],
  [
    'unknown fields are dropped',
    z.looseObject({ a: z.string() }),
    z.object({ a: z.string() }),
    ['breaks v1.spec: unknown fields are dropped now'],
  ],
])('%s', (_name, old, next, changes) => {
  expect(changesBetween(kind(old), kind(next))).toEqual(changes);
});

test('a new rule breaks unless it only concerns changes', () => {
  const spec = z.object({ a: z.int() });
  const rules = { 'self.a > 1': 'x', 'self.a >= oldSelf.a': 'y' };
  expect(changesBetween(kind(spec), resource('example.dev/v1', 'Cache', { spec, rules }).manifest())).toEqual([
    'breaks v1.spec: rule "self.a > 1" is new',
    'notice v1.spec: rule "self.a >= oldSelf.a" is new',
  ]);
});

test('scope, kind and versions', () => {
  const spec = z.object({ a: z.int() });
  const old = resource('example.dev/v1', 'Cache', { spec })
    .older('v1beta1', { spec })
    .older('v1alpha1', { spec })
    .manifest();
  old.status = { storedVersions: ['v1alpha1', 'v1'] };
  const next = resource('example.dev/v2', 'Store', {
    spec,
    scope: 'Cluster',
    plural: 'caches',
    singular: 'cache',
  }).older('v1', { spec }, { served: false });

  expect(changesBetween(old, next.manifest())).toEqual([
    'breaks kind: was Cache, is Store: stored objects are no longer found',
    'breaks scope: was Namespaced, is Cluster: stored objects are no longer found',
    'notice names.listKind: was "CacheList", is "StoreList"',
    'breaks v1: is no longer served',
    'breaks v1beta1: is gone',
    'breaks v1alpha1: is gone, and objects are stored in it',
    'notice v2: is new',
    'notice v2: objects are stored in it from now on; those stored in v1 stay until they are written again',
  ]);
});

test('without a webhook, a new storage version must accept what the last one stored', () => {
  const old = resource('example.dev/v1', 'Cache', { spec: z.object({ a: z.int() }) });
  const next = resource('example.dev/v2', 'Cache', { spec: z.object({ a: z.string() }) });
  const changes = changesBetween(old.manifest(), next.older('v1', { spec: z.object({ a: z.int() }) }).manifest());

  expect(changes).toContain('breaks v1 as v2.spec.a: was integer, is string');
});
