import { describe, expect, test } from 'vitest';
import type { KubernetesVersion } from '../../base/index.ts';
import { TypeTable } from '../schema/type-table.ts';
import { pack } from './pack.ts';
import { parseDefinitions } from './parse.ts';
import { covers, parseRanged, pieces } from './version-range.ts';
import { versionView } from './version-view.ts';

const text = `group example.io/v1
package io.example.v1

resource widgets Widget namespaced
  subresource status Widget verbs=get,patch,update since=1.35
resource gadgets Gadget cluster since=1.36

kind Widget  // A widget
  name   1 string  required@1.36 required=checked@..1.35  // Its name
  mode   2 string  enum(A|B)@..1.34 enum(A|B|C)@1.35  // How it works
  old    3 *Old    until=1.34  // Gone
  size   4 string  until=1.34  // How large it is
  size   5 int32   since=1.35

kind Gadget  // A gadget
  part  1 *Part  // What it is made of

type Old  // Only there for a field that is gone
  value  1 string

type Part  // Only there for a kind that is new
  value  1 string
`;

const file = parseDefinitions(text, 'example.api');

function tableOf(version: KubernetesVersion): TypeTable {
  return new TypeTable(pack([file]), version);
}

function widget(version: KubernetesVersion) {
  const struct = tableOf(version).kind({ group: 'example.io', version: 'v1', kind: 'Widget' });
  if (struct === undefined) throw new Error('no Widget');
  return struct;
}

describe('a definition', () => {
  test('shows a field from its first to its last version', () => {
    expect(widget('1.34').fields.map(({ name }) => name)).toContain('old');
    expect(widget('1.35').fields.map(({ name }) => name)).not.toContain('old');
  });

  test('shows the flags of a field that hold in the version', () => {
    const choices = (version: KubernetesVersion): unknown => widget(version).field('mode')?.shape.constraints?.enum;
    expect(choices('1.34')).toEqual(['A', 'B']);
    expect(choices('1.35')).toEqual(['A', 'B', 'C']);
    expect(widget('1.35').field('name')).toMatchObject({ required: true, isOnlyChecked: true });
    expect(widget('1.36').field('name')).toMatchObject({ required: true, isOnlyChecked: false });
  });

  test('gives a field whose type changes one line for each, and one description', () => {
    expect(widget('1.34').field('size')).toMatchObject({ number: 4, shape: { scalar: 'string' } });
    expect(widget('1.35').field('size')).toMatchObject({ number: 5, shape: { scalar: 'int32' } });
    const sizes = file.types[0]?.fields.filter(({ name }) => name === 'size') ?? [];
    expect(sizes.map(({ description }) => description)).toEqual(['How large it is', 'How large it is']);
  });

  test('shows resources and subresources of the version', () => {
    const names = (version: KubernetesVersion): string[] =>
      tableOf(version)
        .resources()
        .flatMap(({ plural, subresources }) => [plural, ...subresources.map(({ name }) => `${plural}/${name}`)]);
    expect(names('1.34')).toEqual(['widgets']);
    expect(names('1.35')).toEqual(['widgets', 'widgets/status']);
    expect(names('1.36')).toEqual(['widgets', 'widgets/status', 'gadgets']);
  });

  test('hides kinds of other versions, except from a reader of what is stored', () => {
    const table = tableOf('1.35');
    for (const kind of ['Gadget', 'GadgetList']) {
      expect(table.kind({ group: 'example.io', version: 'v1', kind })).toBeUndefined();
      expect(table.storedKind({ group: 'example.io', version: 'v1', kind })?.shortName).toBe(kind);
    }
  });

  test('is refused with a version that is none', () => {
    const broken = text.replace('until=1.34  // Gone', 'until=2  // Gone');
    expect(() => parseDefinitions(broken, 'example.api')).toThrow('example.api:11: "2" is not a version such as 1.36');
  });
});

test('versionView() leaves out types that nothing of the version refers to', () => {
  const typesOf = (minor: number): string[] =>
    versionView([file], minor).flatMap(({ types }) => types.map(({ name }) => name));
  expect(typesOf(34)).toEqual(['Widget', 'Old']);
  expect(typesOf(35)).toEqual(['Widget']);
  expect(typesOf(36)).toEqual(['Widget', 'Gadget', 'Part']);
});

test('versionView() leaves out files of other versions', () => {
  const later = parseDefinitions(text.replace('example.io/v1', 'example.io/v1 since=1.36'), 'example.api');
  expect(versionView([later], 35)).toEqual([]);
  expect(tableOf('1.35').resources()).toHaveLength(1);
});

describe('ranges of versions', () => {
  test.each([
    ['required', { word: 'required', range: {} }],
    ['required@1.36', { word: 'required', range: { since: 36 } }],
    ['required@..1.35', { word: 'required', range: { until: 35 } }],
    ['enum(A|B)@1.34..1.35', { word: 'enum(A|B)', range: { since: 34, until: 35 } }],
    ['format=user@host', { word: 'format=user@host', range: {} }],
    ['format=name@', { word: 'format=name@', range: {} }],
  ])('are read from behind a word: %s', (word, expected) => {
    expect(parseRanged(word)).toEqual(expected);
  });

  test('are cut where a part begins or ends, within the whole', () => {
    const parts = [{ since: 36 }, { until: 34 }, { since: 40 }];
    expect(pieces({ since: 33, until: 37 }, parts)).toEqual([
      { since: 33, until: 34 },
      { since: 35, until: 35 },
      { since: 36, until: 37 },
    ]);
    expect(pieces({}, [])).toEqual([{}]);
    expect(covers({ since: 36 }, { since: 36, until: 37 })).toBe(true);
    expect(covers({ since: 36 }, { since: 35, until: 35 })).toBe(false);
    expect(covers({ until: 34 }, { since: 35 })).toBe(false);
  });
});
