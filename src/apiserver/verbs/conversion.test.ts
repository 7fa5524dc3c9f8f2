import { describe, expect, test } from 'vitest';
import { type ApiObject, builtInTypes, type Field, type Status, StatusError, type Struct } from '../../api/index.ts';
import { customCapabilities } from '../capabilities.ts';
import type { Convert, Resource } from '../resource.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { MemoryServer } from '../testing/memory-server.ts';

/** A test kind: `spec.size` in v1, `spec.extent` in v2; its converter is asynchronous. */
function gadgetType(version: string, ...members: readonly string[]): Struct {
  const pod = builtInTypes().struct('io.k8s.api.core.v1.Pod');
  const text = pod.field('kind') as Field;
  const spec: Struct = struct(
    `${version}.Spec`,
    members.map((name) => ({ ...text, name })),
  );
  const kept = ['kind', 'apiVersion', 'metadata'].map((name) => pod.field(name) as Field);
  return struct(`${version}.Gadget`, [...kept, { ...text, name: 'spec', shape: { kind: 'struct', struct: spec } }]);
}

function struct(name: string, fields: readonly Field[]): Struct {
  const field = (wanted: string): Field | undefined => fields.find((each) => each.name === wanted);
  const rest = { kind: undefined, isAtomic: false, unions: [], preservesUnknown: false };
  return { name, shortName: name, fields, field, ...rest };
}

interface Renaming {
  readonly batches: string[];
  failsWith: Error | undefined;
  readonly convert: Convert;
}

function renaming(): Renaming {
  const state: Renaming = {
    batches: [],
    failsWith: undefined,
    async convert(objects, apiVersion, signal) {
      state.batches.push(`${objects.length} to ${apiVersion}`);
      await Promise.resolve();
      signal.throwIfAborted();
      if (state.failsWith !== undefined) throw state.failsWith;
      return objects.map((object) => {
        const { size, extent = size, ...rest } = object['spec'] as Record<string, unknown>;
        if (extent === undefined) return { ...object, apiVersion };
        return { ...object, apiVersion, spec: { ...rest, [apiVersion.endsWith('v1') ? 'size' : 'extent']: extent } };
      });
    },
  };
  return state;
}

class Gadgets extends MemoryServer {
  readonly renaming = renaming();

  constructor() {
    super();
    const stored = gadgetType('v1', 'color', 'size');
    const later = gadgetType('v2', 'color', 'extent');
    this.server.registry.register([this.#resource('v1', stored, stored), this.#resource('v2', later, stored)]);
  }

  #resource(version: string, type: Struct, stored: Struct): Resource {
    return {
      group: 'x.example.com',
      version,
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Gadget',
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      type,
      capabilities: customCapabilities,
      storage: {
        prefix: '/registry/x.example.com/gadgets/',
        apiVersion: 'x.example.com/v1',
        kind: 'Gadget',
        type: stored,
        encoding: 'json',
        convert: this.renaming.convert,
      },
      strategy: {},
      subresources: new Map(),
      columns: [],
      selectableFields: ['spec.extent'],
      fieldValue: (object) => String((object['spec'] as { extent?: unknown }).extent ?? ''),
    };
  }

  async send(method: string, path: string, body: object | string = '', type = 'application/json'): Promise<unknown> {
    const answer = await this.server.answer(this.callOf(method, path, { body, type }));
    if (answer.type === 'object') return plain(answer.object, answer.resource);
    if (answer.type === 'list') return answer.items.map((item) => plain(item, answer.resource));
    if (answer.type === 'status') return answer.status;
    throw new Error(`Unexpected answer of type "${answer.type}"`);
  }

  /** The first events of a watch. */
  async watch(path: string, count: number): Promise<string[]> {
    const answer = await this.server.answer(this.callOf('GET', path));
    if (answer.type !== 'watch') throw new Error('No watch');
    const seen: string[] = [];
    for await (const batch of answer.events) {
      for (const event of batch) {
        if (event.type === 'ERROR') seen.push(`ERROR ${event.status.message}`);
        if (!('object' in event)) continue;
        const { metadata, spec } = event.object.as(answer.resource);
        seen.push(`${event.type} ${metadata.name} ${JSON.stringify(spec)}`);
      }
      if (seen.length >= count) break;
    }
    return seen;
  }

  stored(): Promise<string[]> {
    return this.store
      .range({ from: '/registry/', to: '/registry0' })
      .then(({ entries }) => entries.map(({ value }) => Buffer.from(value).toString()));
  }
}

function plain(object: StoredObject | ApiObject, resource: Resource): ApiObject {
  return object instanceof StoredObject ? object.as(resource) : object;
}

const V1 = '/apis/x.example.com/v1/namespaces/default/gadgets';
const V2 = '/apis/x.example.com/v2/namespaces/default/gadgets';

const named = (name: string, spec: object): object => ({ metadata: { name }, spec });

describe('a kind with an asynchronous converter', () => {
  test('is stored in one version and can be written and read in each', async () => {
    await using gadgets = new Gadgets();
    const created = await gadgets.send('POST', V2, named('a', { extent: '5' }));
    expect(created).toMatchObject({ apiVersion: 'x.example.com/v2', spec: { extent: '5' } });
    expect(await gadgets.stored()).toEqual([expect.stringContaining('"spec":{"size":"5"}')]);
    expect(await gadgets.send('GET', `${V1}/a`)).toMatchObject({ apiVersion: 'x.example.com/v1', spec: { size: '5' } });
    expect(await gadgets.send('GET', `${V2}/a`)).toMatchObject({ spec: { extent: '5' } });
  });

  test('is converted once per revision, all objects of a list together', async () => {
    await using gadgets = new Gadgets();
    for (const name of ['a', 'b', 'c']) await gadgets.send('POST', V1, named(name, { size: name }));
    expect(gadgets.renaming.batches).toEqual([]);
    expect(await gadgets.send('GET', V2)).toHaveLength(3);
    expect(await gadgets.send('GET', V2)).toHaveLength(3);
    expect(gadgets.renaming.batches).toEqual(['3 to x.example.com/v2']);
    expect(await gadgets.send('GET', `${V2}?fieldSelector=spec.extent=b`)).toHaveLength(1);
  });

  test('is changed, patched and deleted in any version', async () => {
    await using gadgets = new Gadgets();
    await gadgets.send('POST', V1, named('a', { size: '1', color: 'red' }));
    await gadgets.send('PATCH', `${V2}/a`, { spec: { extent: '2' } }, 'application/merge-patch+json');
    expect(await gadgets.send('GET', `${V1}/a`)).toMatchObject({ spec: { size: '2', color: 'red' } });
    await gadgets.send('PUT', `${V2}/a`, named('a', { extent: '3' }));
    expect(await gadgets.send('GET', `${V1}/a`)).toMatchObject({ spec: { size: '3' } });
    expect(await gadgets.send('DELETE', `${V2}/a`)).toMatchObject({ status: 'Success' });
    expect(await gadgets.stored()).toEqual([]);
  });

  test('keeps field managers across versions', async () => {
    await using gadgets = new Gadgets();
    const apply = (version: string, manager: string, spec: object): Promise<unknown> =>
      gadgets.send(
        'PATCH',
        `/apis/x.example.com/${version}/namespaces/default/gadgets/a?fieldManager=${manager}`,
        { apiVersion: `x.example.com/${version}`, kind: 'Gadget', metadata: { name: 'a' }, spec },
        'application/apply-patch+yaml',
      );
    await apply('v1', 'one', { size: '1', color: 'red' });
    const conflict = (await apply('v2', 'two', { extent: '2' })) as Status;
    expect(conflict.message).toContain('conflict with "one"');
    expect(await apply('v2', 'one', { color: 'red' })).toMatchObject({ spec: { color: 'red' } });
    expect(await apply('v2', 'two', { extent: '2' })).toMatchObject({ spec: { color: 'red', extent: '2' } });
    expect(await gadgets.send('GET', `${V1}/a`)).toMatchObject({ spec: { color: 'red', size: '2' } });
  });

  test('is watched in any version, with deletions', async () => {
    await using gadgets = new Gadgets();
    await gadgets.send('POST', V1, named('a', { size: '1' }));
    const events = gadgets.watch(`${V2}?watch=true&fieldSelector=spec.extent=1`, 3);
    await gadgets.send('POST', V1, named('b', { size: '1' }));
    await gadgets.send('PUT', `${V1}/b`, named('b', { size: '2' }));
    expect(await events).toEqual(['ADDED a {"extent":"1"}', 'ADDED b {"extent":"1"}', 'DELETED b {"extent":"1"}']);
  });

  test('cannot be read while its conversion fails, and nothing is written', async () => {
    await using gadgets = new Gadgets();
    await gadgets.send('POST', V1, named('a', { size: '1' }));
    gadgets.renaming.failsWith = new StatusError({ code: 500, message: 'conversion webhook failed' });
    expect(await gadgets.send('GET', `${V2}/a`)).toMatchObject({ code: 500, message: 'conversion webhook failed' });
    expect(await gadgets.send('GET', V2)).toMatchObject({ code: 500 });
    expect(await gadgets.send('POST', V2, named('b', { extent: '1' }))).toMatchObject({ code: 500 });
    expect(await gadgets.watch(`${V2}?watch=true`, 1)).toEqual(['ERROR conversion webhook failed']);
    expect(await gadgets.send('GET', V1)).toHaveLength(1);
  });
});
