import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { type ApiObject, decodeProtobuf, openProtobufEnvelope } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { jsonStorage } from '../storage/storage-codec.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { EncodedAnswer, ListMetadata } from './answer.ts';
import { callOf, newEncoder, resourceOf, stored, textOf, types } from './testing/answer-fixture.ts';
import { bytesOf } from '../testing/memory-server.ts';

const PARTIAL = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const configMaps = resourceOf({ kind: 'ConfigMap' });

function configMap(name: string, revision: number, data?: Readonly<Record<string, string>>): ApiObject {
  const metadata = {
    name,
    namespace: 'ns',
    uid: '00000000-0000-0000-0000-000000000001',
    resourceVersion: String(revision),
  };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, ...(data === undefined ? {} : { data }) };
}

interface ListOf {
  readonly resource?: Resource;
  readonly accept?: string;
  readonly metadata?: ListMetadata;
  readonly path?: string;
}

function list(items: readonly StoredObject[], options: ListOf = {}): EncodedAnswer {
  const {
    resource = configMaps,
    accept = '',
    metadata = { resourceVersion: '9' },
    path = '/api/v1/configmaps',
  } = options;
  return newEncoder().encode({ type: 'list', resource, items, metadata }, callOf(path, { accept }));
}

describe('a list', () => {
  test('without items is an empty list', async () => {
    expect(await textOf(list([]))).toBe(
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}\n',
    );
    expect(await textOf(list([], { path: '/api/v1/configmaps?pretty=1' }))).toBe(
      '{\n  "kind": "ConfigMapList",\n  "apiVersion": "v1",\n  "metadata": {\n    "resourceVersion": "9"\n  },\n  "items": []\n}',
    );
    const gadgets = resourceOf({ group: 'ans.example.com', kind: 'Gadget', isCustom: true });
    expect(await textOf(list([], { resource: gadgets }))).toBe(
      '{"apiVersion":"ans.example.com/v1","items":[],"kind":"GadgetList","metadata":{"continue":"","resourceVersion":"9"}}\n',
    );
  });

  test('of metadata without items has null for a list', async () => {
    expect(await textOf(list([], { accept: `application/json;${PARTIAL}` }))).toBe(
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"items":null}\n',
    );
  });

  test('has a continue token', async () => {
    const metadata = { resourceVersion: '9', continue: 'token', remainingItemCount: 5 };
    const gadgets = {
      ...resourceOf({ group: 'ans.example.com', kind: 'Gadget', isCustom: true }),
      listKind: 'Gadgets',
    };

    expect(await textOf(list([], { metadata }))).toContain(
      '"metadata":{"resourceVersion":"9","continue":"token","remainingItemCount":5}',
    );
    expect(await textOf(list([], { metadata, resource: gadgets }))).toContain(
      '"kind":"Gadgets","metadata":{"continue":"token","remainingItemCount":5,"resourceVersion":"9"}',
    );
  });

  test('of 5,000 objects equals their JSON', async () => {
    const objects = Array.from({ length: 5000 }, (_, index) =>
      configMap(`c${index}`, index, { k: 'ä'.repeat(index % 600) }),
    );

    const text = await textOf(list(objects.map((object) => stored(object, configMaps))));

    const items = objects.map(({ metadata, data }) => ({ metadata, ...(data === undefined ? {} : { data }) }));
    expect(JSON.parse(text)).toEqual({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9' },
      items,
    });
  });

  test('contains large objects unchanged', async () => {
    const objects = [40_000, 10, 100_000].map((length, index) =>
      configMap(`c${index}`, index + 1, { k: 'x'.repeat(length) }),
    );
    const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
    const sources = objects.map((object) => stored(object, configMaps));

    expect(JSON.parse(await textOf(list(sources)))).toMatchObject({ items });
    expect(JSON.parse(await textOf(list(sources, { accept: 'application/json;pretty=1' })))).toMatchObject({ items });
  });

  test('contains objects that another program stored with other member order', async () => {
    const { kind, apiVersion, metadata } = configMap('a', 1, {});
    const codec = jsonStorage(configMaps.type);
    const value = Buffer.from(JSON.stringify({ metadata, apiVersion, kind }));
    const item = new StoredObject({ key: 'k', value, modRevision: 1 }, codec);

    expect(JSON.parse(await textOf(list([item])))).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
    expect(JSON.parse(await textOf(list([item], { accept: `application/json;${PARTIAL}` })))).toMatchObject({
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    });
  });

  test('in protobuf can be decoded', async () => {
    const objects = Array.from({ length: 300 }, (_, index) =>
      configMap(`c${index}`, index + 1, { k: 'v'.repeat(index) }),
    );
    const answer = list(
      objects.map((object) => stored(object, configMaps)),
      { accept: 'application/vnd.kubernetes.protobuf' },
    );

    const { typeMeta, raw } = openProtobufEnvelope(await bytesOf(answer));
    expect(typeMeta).toEqual({ apiVersion: 'v1', kind: 'ConfigMapList' });
    const type = types.struct('io.k8s.api.core.v1.ConfigMapList');
    const { items } = decodeProtobuf(raw, type, { typeMeta }) as unknown as { items: readonly ApiObject[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(objects.map(({ metadata }) => metadata.name));
  });

  test('as a table of large objects is encoded piece by piece', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const objects = [70_000, 70_000].map((length, index) =>
      configMap(`c${index}`, index + 1, { k: 'x'.repeat(length) }),
    );
    const sources = objects.map((object) => stored(object, configMaps));
    const { body } = list(sources, { accept });

    expect(body).not.toBeInstanceOf(Uint8Array);
    const { rows } = JSON.parse(await textOf(list(sources, { accept }))) as { rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells[0])).toEqual(['c0', 'c1']);
  });

  test('as a table has default columns when the resource has none', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

    const table = JSON.parse(await textOf(list([stored(configMap('a', 1), configMaps)], { accept }))) as {
      readonly columnDefinitions: readonly { readonly name: string; readonly type: string }[];
      readonly rows: readonly { readonly cells: unknown }[];
    };

    expect(table.columnDefinitions.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'Name string',
      'Created At date',
    ]);
    expect(table.rows.map(({ cells }) => cells)).toEqual([['a', '0001-01-01T00:00:00Z']]);
  });
});
