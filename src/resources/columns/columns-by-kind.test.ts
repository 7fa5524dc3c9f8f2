import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes, canonicalize } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import { columnsFor, rowRulesFor } from './index.ts';

type Row = readonly [cells: readonly unknown[], object: ApiObject, conditions?: readonly unknown[]];

interface Recorded {
  readonly now: string;
  readonly tables: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly columns: readonly (readonly [name: string, type: string, format: string, priority: number])[];
    readonly rows: readonly Row[];
  }[];
}

const { now: recordedAt, tables } = JSON.parse(
  readFileSync(new URL('testdata/tables.json', import.meta.url), 'utf8'),
) as Recorded;
const now = Date.parse(recordedAt);

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

const DEFAULT_COLUMNS = ['Name', 'Created At'];

/** Kubernetes puts an age behind the columns that an IPAddress has; nobody is told what it is. */
function withoutSurplus(cells: readonly unknown[], count: number): readonly unknown[] {
  return cells.slice(0, count);
}

describe('columnsFor() shows what kube-apiserver shows', () => {
  for (const { apiVersion, kind, columns, rows } of tables) {
    const group = groupOf(apiVersion);
    const ours = columnsFor(group, kind);
    const isDefault = columns.map(([name]) => name).join() === DEFAULT_COLUMNS.join();

    test(`the columns of ${apiVersion} ${kind}`, () => {
      const defined = ours.map(({ name, type, format, priority }) => [name, type, format, priority]);
      expect(defined).toEqual(isDefault ? [] : columns);
      for (const { description } of ours) expect(description).not.toBe('');
    });

    if (isDefault) continue;
    for (const [cells, object, conditions] of rows) {
      test(`${apiVersion} ${kind} "${object.metadata.name}"`, () => {
        const shown = ours.map(({ value }, index) => (cells[index] === null ? null : value(object, { now })));

        expect(shown).toEqual(withoutSurplus(cells, ours.length));
        expect(rowRulesFor(group, kind).rowConditions?.(object) ?? []).toEqual(conditions ?? []);
      });
    }
  }
});

describe('columnsFor()', () => {
  const types = builtInTypes();
  const kinds = types.resources().filter(({ verbs }) => verbs.includes('list'));

  test('has columns for every kind that kube-apiserver has columns for', () => {
    const without = kinds.filter(({ group, kind }) => columnsFor(group, kind).length === 0).map(({ kind }) => kind);

    expect([...new Set(without)].sort()).toEqual([
      'CSIStorageCapacity',
      'ClusterRole',
      'CustomResourceDefinition',
      'LimitRange',
      'Role',
    ]);
  });

  test.each(kinds.map(({ group, version, kind, type }) => ({ group, version, kind, type })))(
    'shows an empty $kind of $group/$version, as bookmarks are',
    ({ group, version, kind, type }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const empty = canonicalize({ kind, apiVersion, metadata: {} }, type) as unknown as ApiObject;

      for (const { value } of columnsFor(group, kind)) expect(value(empty, { now })).not.toBe(undefined);
    },
  );
});

describe('rowRulesFor()', () => {
  test('lists FlowSchemas in the order in which they are tried', () => {
    const schemas = [
      { metadata: { name: 'b' }, spec: { matchingPrecedence: 2 } },
      { metadata: { name: 'c' }, spec: { matchingPrecedence: 1 } },
      { metadata: { name: 'a' }, spec: { matchingPrecedence: 2 } },
    ];

    const { compareRows } = rowRulesFor('flowcontrol.apiserver.k8s.io', 'FlowSchema');

    expect(schemas.toSorted(compareRows).map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
  });
});
