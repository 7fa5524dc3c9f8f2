import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { encodeJson } from '../json/index.ts';
import { checkTyped } from './check-typed.ts';
import { compareObjects } from './compare-objects.ts';
import { extractItems } from './extract-applied.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { mergeObjects } from './merge-objects.ts';
import { mergeTypeOf } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { removeItems } from './prune-object.ts';
import { setOf } from './set-of.ts';

const types = builtInTypes();
const podSpec = mergeTypeOf(types.struct('io.k8s.api.core.v1.PodSpec'));
const meta = mergeTypeOf(types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
const service = mergeTypeOf(types.struct('io.k8s.api.core.v1.ServiceSpec'));
const schema = mergeTypeOf(types.struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'));
const volume = mergeTypeOf(types.struct('io.k8s.api.core.v1.PersistentVolumeSpec'));

function printed(set: FieldSet): unknown {
  return JSON.parse(encodeJson(printFieldsV1(set)));
}

describe('setOf() lists what a configuration sets', () => {
  test('leaves, list items and map entries, but not the structs on the way', () => {
    const config = {
      containers: [{ name: 'c', image: 'i', args: ['a'], ports: [{ containerPort: 80 }] }],
      nodeSelector: { a: 'b' },
      securityContext: {},
    };
    expect(printed(setOf(config, podSpec))).toEqual({
      'f:containers': {
        'k:{"name":"c"}': {
          '.': {},
          'f:args': {},
          'f:image': {},
          'f:name': {},
          'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
        },
      },
      'f:nodeSelector': {},
      'f:securityContext': {},
    });
  });

  test('map entries and set items one by one, atomic structs as a whole', () => {
    const metadata = { labels: { a: '1' }, finalizers: ['f'], ownerReferences: [{ uid: 'u', name: 'n' }] };
    expect(printed(setOf(metadata, meta))).toEqual({
      'f:finalizers': { 'v:"f"': {} },
      'f:labels': { 'f:a': {} },
      'f:ownerReferences': { 'k:{"uid":"u"}': {} },
    });
  });

  test('an atomic struct is granular if the field says so', () => {
    expect(printed(setOf({ claimRef: { name: 'n' } }, volume))).toEqual({ 'f:claimRef': { 'f:name': {} } });
  });

  test('of any value, objects member by member and lists as a whole', () => {
    expect(printed(setOf({ default: { a: { b: 1 }, c: [1] } }, schema))).toEqual({
      'f:default': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} },
    });
  });

  test('duplicates by their key only', () => {
    expect(printed(setOf({ finalizers: ['f', 'f', 'g'] }, meta))).toEqual({
      'f:finalizers': { 'v:"f"': {}, 'v:"g"': {} },
    });
  });
});

describe('compareObjects() lists what has changed', () => {
  test('an object that appears is a path itself, besides those in it', () => {
    const { added, modified, removed } = compareObjects({}, { labels: { a: '1' } }, meta);
    expect([added, modified, removed].map(printed)).toEqual([{ 'f:labels': { '.': {}, 'f:a': {} } }, {}, {}]);
  });

  test('null differs from absence, and is not an object that appears', () => {
    const { added, modified } = compareObjects({ containers: null }, { containers: [{ name: 'c' }] }, podSpec);
    expect(printed(added)).toEqual({ 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } });
    expect(printed(modified)).toEqual({});
  });

  test('list items are matched by key, wherever they are', () => {
    const before = { ports: [{ port: 80, name: 'a' }, { port: 443 }] };
    const after = { ports: [{ port: 443 }, { port: 80, name: 'b' }, { port: 80, protocol: 'UDP' }] };
    const { added, modified, removed } = compareObjects(before, after, service);
    expect(printed(modified)).toEqual({ 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:name': {} } } });
    expect(printed(added)).toEqual({
      'f:ports': { 'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} } },
    });
    expect(printed(removed)).toEqual({});
  });

  test.each([
    ['stay the same', ['f', 'f'], ['f', 'f'], [{}, {}, {}]],
    ['go', ['f', 'f'], ['g'], [{ 'f:finalizers': { 'v:"g"': {} } }, {}, { 'f:finalizers': { 'v:"f"': {} } }]],
    ['become one', ['f', 'f'], ['f'], [{ 'f:finalizers': { 'v:"f"': {} } }, {}, { 'f:finalizers': { 'v:"f"': {} } }]],
    ['come', ['f'], ['f', 'f'], [{ 'f:finalizers': { 'v:"f"': {} } }, {}, { 'f:finalizers': { 'v:"f"': {} } }]],
    ['become more', ['f', 'f'], ['f', 'f', 'f'], [{}, { 'f:finalizers': { 'v:"f"': {} } }, {}]],
  ])('duplicates that %s', (_name, before, after, want) => {
    const { added, modified, removed } = compareObjects({ finalizers: before }, { finalizers: after }, meta);
    expect([added, modified, removed].map(printed)).toEqual(want);
  });
});

describe('mergeObjects() overlays an object with a configuration', () => {
  const names = (value: unknown): unknown[] =>
    (value as { containers: { name: string }[] }).containers.map(({ name }) => name);
  const containers = (...all: string[]): { containers: { name: string }[] } => ({
    containers: all.map((name) => ({ name })),
  });

  test.each([
    ['abc', 'cb', 'acb'],
    ['abc', 'x', 'abcx'],
    ['abc', 'xa', 'xabc'],
    ['abc', 'cx', 'abcx'],
    ['abcd', 'dxb', 'acdxb'],
  ])('%s and %s are %s', (live, config, want) => {
    expect(names(mergeObjects(containers(...live), containers(...config), podSpec)).join('')).toBe(want);
  });

  test('unchanged parts are the same objects, so that comparing them costs nothing', () => {
    const live = { containers: [{ name: 'a', args: ['x'] }, { name: 'b' }], nodeSelector: { a: 'b' } };
    expect(mergeObjects(live, { containers: [{ name: 'a', args: ['x'] }], nodeSelector: { a: 'b' } }, podSpec)).toBe(
      live,
    );
    const merged = mergeObjects(live, { hostname: 'h' }, podSpec) as typeof live;
    expect(merged.containers).toBe(live.containers);
  });

  test('duplicates stay, unless the configuration contains their key', () => {
    const live = { finalizers: ['f', 'f', 'g'] };
    expect(mergeObjects(live, { finalizers: ['h'] }, meta)).toEqual({ finalizers: ['f', 'f', 'g', 'h'] });
    expect(mergeObjects(live, { finalizers: ['f'] }, meta)).toEqual({ finalizers: ['f', 'g'] });
  });

  test('"__proto__" is a member like any other', () => {
    const config = JSON.parse('{"labels":{"__proto__":"x"}}') as unknown;
    const merged = mergeObjects({ labels: { a: '1' } }, config, meta) as { labels: object };
    expect(Object.hasOwn(merged.labels, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(merged.labels)).toBe(Object.prototype);
  });
});

describe('checkTyped() refuses values that do not match their type', () => {
  test.each([
    [{ labels: 'x' }, '.labels: expected map, got &{x}'],
    [{ labels: { a: 5 } }, '.labels.a: expected string, got &value.valueUnstructured{Value:5}'],
    [
      { labels: { a: { b: [1, null] } } },
      '.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1, interface {}(nil)}}}',
    ],
    [{ unheard: 1 }, '.unheard: field not declared in schema'],
    [{ finalizers: ['f', 'f'] }, '.finalizers: duplicate entries for key [="f"]'],
    [{ finalizers: [{}] }, ".finalizers: element 0: associative list without keys has an element that's a map type"],
    [
      { ownerReferences: [null] },
      '.ownerReferences: element 0: associative list with keys may not have a null element',
    ],
    [{ ownerReferences: [{ controller: 'x' }] }, '.ownerReferences[uid=""].controller: expected boolean, got &{x}'],
    [
      { generation: 'x', labels: 1.5e7 },
      'errors:\n  .generation: expected numeric (int or float), got string\n  .labels: expected map, got &{15000000}',
    ],
  ])('%j', (value, message) => {
    expect(() => checkTyped(value, meta)).toThrow(message);
  });

  test('null matches every type', () => {
    expect(() => checkTyped({ labels: null, finalizers: null, name: null }, meta)).not.toThrow();
  });
});

describe('removeItems() and extractItems()', () => {
  const object = { containers: [{ name: 'a', image: 'i', args: [] }, { name: 'b' }], nodeSelector: { a: 'b' } };
  const set = parseFieldsV1({ 'f:containers': { 'k:{"name":"a"}': { 'f:image': {} }, 'k:{"name":"b"}': {} } });

  test('remove the named parts; what becomes empty becomes null', () => {
    expect(removeItems(object, set, podSpec)).toEqual({ ...object, containers: [{ name: 'a', args: [] }] });
    expect(removeItems({ labels: { a: '1' } }, parseFieldsV1({ 'f:labels': { 'f:a': {} } }), meta)).toEqual({
      labels: null,
    });
    expect(removeItems(object, fieldSet([fieldElement('hostname')]), podSpec)).toBe(object);
  });

  test('extract only the named parts, and the keys of items', () => {
    expect(extractItems(object, set, podSpec)).toEqual({ containers: [{ name: 'a', image: 'i' }, { name: 'b' }] });
  });
});
