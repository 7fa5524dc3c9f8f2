import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ApiObject, canonicalize } from '../../api/index.ts';
import type { Resource } from '../../apiserver/index.ts';
import { TestApi } from '../testing/test-api.ts';

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

const { resources } = new TestApi();

function shown(group: string, kind: string): Pick<Resource, 'columns' | 'rowConditions' | 'compareRows'> {
  const found = resources.find((resource) => resource.group === group && resource.kind === kind);
  if (found === undefined) throw new Error(`No kind is named "${kind}"`);
  return found;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

const DEFAULT_COLUMNS = ['Name', 'Created At'];

/** Kubernetes appends an age to the cells of an IPAddress, without a column for it. */
function withoutSurplus(cells: readonly unknown[], count: number): readonly unknown[] {
  return cells.slice(0, count);
}

describe('tables show what kube-apiserver shows', () => {
  for (const { apiVersion, kind, columns, rows } of tables) {
    const group = groupOf(apiVersion);
    const { columns: ours, rowConditions } = shown(group, kind);
    const isDefault = columns.map(([name]) => name).join() === DEFAULT_COLUMNS.join();

    test(`the columns of ${apiVersion} ${kind}`, () => {
      const defined = ours.map(({ name, type, format, priority }) => [name, type, format, priority]);
      expect(defined).toEqual(isDefault ? [] : columns);
      for (const { description } of ours) expect(description).not.toBe('');
    });

    if (isDefault) continue;
    for (const [cells, object, conditions] of rows) {
      test(`${apiVersion} ${kind} "${object.metadata.name}"`, () => {
        const values = ours.map(({ value }, index) => (cells[index] === null ? null : value(object, { now })));

        expect(values).toEqual(withoutSurplus(cells, ours.length));
        expect(rowConditions?.(object) ?? []).toEqual(conditions ?? []);
      });
    }
  }
});

describe('columns', () => {
  const kinds = resources.filter(({ verbs }) => verbs.includes('list'));

  test('exist for every kind that kube-apiserver has columns for', () => {
    const without = kinds.filter(({ columns }) => columns.length === 0).map(({ kind }) => kind);

    expect([...new Set(without)].sort()).toEqual([
      'CSIStorageCapacity',
      'ClusterRole',
      'CustomResourceDefinition',
      'LimitRange',
      'Role',
    ]);
  });

  test.each(kinds.map(({ group, version, kind, type, columns }) => ({ group, version, kind, type, columns })))(
    'show an empty $kind of $group/$version, as bookmarks are',
    ({ group, version, kind, type, columns }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const empty = canonicalize({ kind, apiVersion, metadata: {} }, type) as unknown as ApiObject;

      for (const { value } of columns) expect(value(empty, { now })).not.toBe(undefined);
    },
  );
});

describe('rows', () => {
  test('of FlowSchemas are in the order in which they are tried', () => {
    const schemas = [
      { metadata: { name: 'b' }, spec: { matchingPrecedence: 2 } },
      { metadata: { name: 'c' }, spec: { matchingPrecedence: 1 } },
      { metadata: { name: 'a' }, spec: { matchingPrecedence: 2 } },
    ];

    const { compareRows } = shown('flowcontrol.apiserver.k8s.io', 'FlowSchema');

    expect(schemas.toSorted(compareRows).map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
  });
});
