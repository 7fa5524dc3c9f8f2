import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../api/index.ts';
import type { Column, Resource } from '../resource.ts';
import { callOf, newEncoder, resourceOf, stored, textOf } from './testing/answer-fixture.ts';

interface Table {
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly conditions?: unknown;
    readonly object: unknown;
  }[];
}

function configMap(name: string): ApiObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, uid: 'u', resourceVersion: '1' } };
}

const apiVersionColumn: Column = {
  name: 'Version',
  type: 'string',
  format: '',
  description: 'Version of what the cell was made from',
  priority: 0,
  value: ({ apiVersion }) => apiVersion,
};

const nameColumn: Column = { ...apiVersionColumn, name: 'Name', value: ({ metadata }) => metadata.name };

async function tableOf(names: readonly string[], resource: Resource, query = ''): Promise<Table> {
  const items = names.map((name) => stored(configMap(name), resource));
  const call = callOf(`/api/v1/configmaps${query}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  const metadata = { resourceVersion: '1' };
  return JSON.parse(await textOf(newEncoder().encode({ type: 'list', resource, items, metadata }, call))) as Table;
}

describe('a table', () => {
  test('computes its cells from the stored version, and has objects in the requested version', async () => {
    const configMaps = resourceOf({ kind: 'ConfigMap', columns: [apiVersionColumn] });
    const newer: Resource = { ...configMaps, version: 'v2', type: { ...configMaps.type } };

    const { rows } = await tableOf(['a'], newer, '?includeObject=Object');

    expect(rows[0]?.cells).toEqual(['v1']);
    expect(rows[0]?.object).toMatchObject({ apiVersion: 'v2', metadata: { name: 'a' } });
  });

  test('keeps the order of the list, unless the kind defines another', async () => {
    const configMaps = resourceOf({ kind: 'ConfigMap', columns: [nameColumn] });
    const reversed: Resource = {
      ...configMaps,
      compareRows: (left, right) => ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? 1 : -1),
    };

    expect((await tableOf(['b', 'a', 'c'], configMaps)).rows.map(({ cells }) => cells)).toEqual([['b'], ['a'], ['c']]);
    expect((await tableOf(['b', 'a', 'c'], reversed)).rows.map(({ cells }) => cells)).toEqual([['c'], ['b'], ['a']]);
  });

  test('has the kind’s row conditions', async () => {
    const done = { type: 'Completed', status: 'True', reason: 'Done', message: 'It is done.' } as const;
    const configMaps: Resource = {
      ...resourceOf({ kind: 'ConfigMap', columns: [nameColumn] }),
      rowConditions: ({ metadata }) => (metadata.name === 'a' ? [done] : []),
    };

    const { rows } = await tableOf(['a', 'b'], configMaps, '?includeObject=None');

    expect(rows).toEqual([
      { cells: ['a'], conditions: [done], object: null },
      { cells: ['b'], object: null },
    ]);
  });

  test('has null for an empty cell', async () => {
    const columns: readonly Column[] = [{ ...nameColumn, value: () => undefined }];

    expect((await tableOf(['a'], resourceOf({ kind: 'ConfigMap', columns }))).rows[0]?.cells).toEqual([null]);
  });
});
