import { describe, expect, test } from 'vitest';
import { discardLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { resource } from '../resource/resource.ts';
import type { ApiAnswer, ApiCall } from './api-call.ts';
import { ApiHandler } from './api-handler.ts';
import { api } from './api.ts';
import { memoryStorage } from './memory-storage.ts';

const VERSION = 'shop.example.dev/v1';
const BASE = `/apis/${VERSION}/namespaces/default/toys`;
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const Toy = resource(VERSION, 'Toy', {
  spec: {
    type: 'object',
    required: ['color'],
    properties: { color: { type: 'string', maxLength: 10 }, size: { type: 'integer', default: 1 } },
  },
  status: { type: 'object', properties: { sold: { type: 'boolean' } } },
  columns: { Color: (toy) => toy.spec.color, Size: { path: (toy) => toy.spec.size, priority: 1 } },
  selectableFields: [(toy) => toy.spec.color],
});

interface Sent {
  readonly body?: unknown;
  readonly accept?: string;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
type Json = any;

class Shop {
  readonly clock = new VirtualClock({ startMs: Date.UTC(2026, 0) });
  readonly #handler = new ApiHandler([api(VERSION, { toys: memoryStorage(Toy, { clock: this.clock, history: 5 }) })], {
    clock: this.clock,
    random: new SeededRandom('shop'),
    log: discardLogger,
    identify: async () => ({ name: 'joe', groups: [] }),
    authorize: async () => undefined,
    ensureNamespace: async () => undefined,
  });

  answer(method: string, target: string, { body, accept, type, signal }: Sent = {}): Promise<ApiAnswer> {
    const headers: Record<string, string | undefined> = { accept, 'content-type': type };
    const call: ApiCall = {
      method,
      target,
      header: (name) => headers[name],
      headers: (name) => (headers[name] === undefined ? [] : [headers[name]]),
      headerNames: Object.keys(headers),
      body: async () => Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      signal: signal ?? new AbortController().signal,
    };
    return this.#handler.answer(call);
  }

  async send(method: string, target: string, sent: Sent = {}): Promise<{ code: number; body: Json }> {
    const { status, body } = await this.answer(method, target, sent);
    return { code: status, body: JSON.parse(String(body)) };
  }

  create(name: string, color: string, query = ''): Promise<{ code: number; body: Json }> {
    return this.send('POST', `${BASE}${query}`, { body: { metadata: { name, labels: { color } }, spec: { color } } });
  }

  /** Reads the first `count` lines of a watch. */
  async lines(target: string, count: number, sent: Sent = {}): Promise<Json[]> {
    const { body } = await this.answer('GET', target, sent);
    const lines: Json[] = [];
    for await (const line of body as AsyncIterable<string>) {
      lines.push(JSON.parse(line));
      if (lines.length === count) break;
    }
    return lines;
  }
}

describe('writing', () => {
  test('fills in metadata and defaults, and refuses what the schema does not allow', async () => {
    const shop = new Shop();
    const { code, body } = await shop.create('car', 'red');
    expect(code).toBe(201);
    expect(body.spec).toEqual({ color: 'red', size: 1 });
    expect(body.metadata).toMatchObject({
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect((await shop.create('car', 'blue')).body.reason).toBe('AlreadyExists');
    expect((await shop.create('Car', 'ultramarines')).body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'metadata.name' }, { field: 'spec.color' }] },
    });
    const unknown = { metadata: { name: 'b' }, spec: { color: 'red', weight: 3 } };
    const strict = await shop.send('POST', `${BASE}?fieldValidation=Strict`, { body: unknown });
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.weight"');
    const warned = await shop.answer('POST', BASE, { body: unknown });
    expect(warned.headers['warning']).toEqual(['299 - "unknown field \\"spec.weight\\""']);
  });

  test('keeps writers of the status and of the rest apart, and refuses stale writes', async () => {
    const shop = new Shop();
    const made = (await shop.create('car', 'red')).body;
    const sold = await shop.send('PUT', `${BASE}/car/status`, {
      body: { ...made, spec: { color: 'blue' }, status: { sold: true } },
    });
    expect(sold.body).toMatchObject({ spec: { color: 'red' }, status: { sold: true }, metadata: { generation: 1 } });
    expect((await shop.send('PUT', `${BASE}/car`, { body: made })).body.reason).toBe('Conflict');
    const painted = await shop.send('PUT', `${BASE}/car`, {
      body: { ...sold.body, spec: { color: 'blue' }, status: {} },
    });
    expect(painted.body).toMatchObject({
      spec: { color: 'blue' },
      status: { sold: true },
      metadata: { generation: 2 },
    });
  });

  test('patches, and applies with field ownership', async () => {
    const shop = new Shop();
    await shop.create('car', 'red');
    const merge = { type: 'application/merge-patch+json', body: { spec: { size: 4 } } };
    expect((await shop.send('PATCH', `${BASE}/car`, merge)).body.spec.size).toBe(4);
    const operations = [{ op: 'replace', path: '/spec/size', value: 5 }];
    const json = { type: 'application/json-patch+json', body: operations };
    expect((await shop.send('PATCH', `${BASE}/car`, json)).body.spec.size).toBe(5);
    const apply = (size: number): Sent => ({
      type: 'application/apply-patch+yaml',
      body: { apiVersion: VERSION, kind: 'Toy', metadata: { name: 'ball' }, spec: { color: 'red', size } },
    });
    expect((await shop.send('PATCH', `${BASE}/ball?fieldManager=a`, apply(1))).code).toBe(201);
    const other = await shop.send('PATCH', `${BASE}/ball?fieldManager=b`, apply(2));
    expect(other.body).toMatchObject({ reason: 'Conflict', details: { causes: [{ field: '.spec.size' }] } });
    expect((await shop.send('PATCH', `${BASE}/ball?fieldManager=b&force=true`, apply(2))).body.spec.size).toBe(2);
    const strategic = { type: 'application/strategic-merge-patch+json', body: {} };
    expect((await shop.send('PATCH', `${BASE}/ball`, strategic)).code).toBe(415);
  });

  test('a dry run changes nothing, and answers what would happen', async () => {
    const shop = new Shop();
    expect((await shop.create('car', 'red', '?dryRun=All')).code).toBe(201);
    expect((await shop.send('GET', `${BASE}/car`)).code).toBe(404);
    await shop.create('car', 'red');
    expect((await shop.create('car', 'red', '?dryRun=All')).code).toBe(409);
    await shop.send('DELETE', `${BASE}/car?dryRun=All`);
    expect((await shop.send('GET', `${BASE}/car`)).code).toBe(200);
    expect((await shop.create('ball', 'red', '?dryRun=Some')).code).toBe(422);
  });

  test('an object with a finalizer is removed with its last finalizer', async () => {
    const shop = new Shop();
    const body = { metadata: { name: 'car', finalizers: ['shop.example.dev/wrap'] }, spec: { color: 'red' } };
    await shop.send('POST', BASE, { body });
    const marked = await shop.send('DELETE', `${BASE}/car`);
    expect(marked.body.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', generation: 2 });
    const patch = { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } };
    await shop.send('PATCH', `${BASE}/car`, patch);
    expect((await shop.send('GET', `${BASE}/car`)).body.message).toBe('toys.shop.example.dev "car" not found');
  });

  test('a deletion may have the uid of the object as a precondition', async () => {
    const shop = new Shop();
    await shop.create('car', 'red');
    const body = { preconditions: { uid: 'another' } };
    expect((await shop.send('DELETE', `${BASE}/car`, { body })).body.reason).toBe('Conflict');
    await shop.create('ball', 'blue');
    expect((await shop.send('DELETE', `${BASE}?labelSelector=color%3Dred`)).body.items).toHaveLength(1);
    expect((await shop.send('GET', BASE)).body.items.map((toy: Json) => toy.metadata.name)).toEqual(['ball']);
  });
});

describe('reading', () => {
  test('selects by labels and fields, in order and in pages', async () => {
    const shop = new Shop();
    for (const [name, color] of [
      ['c', 'red'],
      ['a', 'blue'],
      ['b', 'red'],
    ] as const)
      await shop.create(name, color);
    const names = async (query: string): Promise<string[]> =>
      (await shop.send('GET', `${BASE}?${query}`)).body.items.map((toy: Json) => toy.metadata.name);
    expect(await names('labelSelector=color%3Dred')).toEqual(['b', 'c']);
    expect(await names('fieldSelector=spec.color%3Dblue')).toEqual(['a']);
    expect((await shop.send('GET', `${BASE}?fieldSelector=spec.size%3D1`)).body).toMatchObject({
      code: 400,
      message: 'field label not supported: spec.size',
    });
    const first = (await shop.send('GET', `${BASE}?limit=2`)).body;
    expect(first.metadata.remainingItemCount).toBe(1);
    expect(await names(`limit=2&continue=${first.metadata.continue}`)).toEqual(['c']);
    expect((await shop.send('GET', `${BASE}?continue=x`)).body.reason).toBe('Expired');
  });

  test('answers with tables and metadata when the Accept header asks for them', async () => {
    const shop = new Shop();
    await shop.create('car', 'red');
    const table = (await shop.send('GET', BASE, { accept: TABLE })).body;
    expect(table.columnDefinitions.map(({ name, priority }: Json) => [name, priority])).toEqual([
      ['Name', 0],
      ['Color', 0],
      ['Size', 1],
    ]);
    expect(table.rows[0]).toMatchObject({ cells: ['car', 'red', 1], object: { kind: 'PartialObjectMetadata' } });
    const metadata =
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const partial = (await shop.send('GET', `${BASE}/car`, { accept: metadata })).body;
    expect(Object.keys(partial)).toEqual(['kind', 'apiVersion', 'metadata']);
    expect((await shop.send('GET', BASE, { accept: 'application/yaml' })).code).toBe(406);
  });

  test('publishes discovery', async () => {
    const shop = new Shop();
    const { body } = await shop.send('GET', `/apis/${VERSION}`);
    expect(body.resources.map(({ name }: Json) => name)).toEqual(['toys', 'toys/status']);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect((await shop.send('GET', '/apis', { accept })).body.items[0].versions[0].resources).toHaveLength(1);
    const document = (await shop.send('GET', `/openapi/v3/apis/${VERSION}`)).body;
    expect(document.components.schemas['dev.example.shop.v1.Toy'].properties.spec.required).toEqual(['color']);
    expect(Object.keys((await shop.send('GET', '/openapi/v2')).body.definitions)).toContain('dev.example.shop.v1.Toy');
    expect((await shop.send('GET', `/apis/${VERSION}/namespaces/default/cars`)).code).toBe(404);
    expect((await shop.send('PUT', BASE)).code).toBe(405);
  });
});

describe('watching', () => {
  test('begins with the existing objects, or after a version', async () => {
    const shop = new Shop();
    await shop.create('car', 'red');
    const { resourceVersion } = (await shop.send('GET', BASE)).body.metadata;
    await shop.create('ball', 'blue');
    const all = await shop.lines(`${BASE}?watch=true`, 2);
    expect(all.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'car'],
      ['ADDED', 'ball'],
    ]);
    const later = await shop.lines(`${BASE}?watch=true&resourceVersion=${resourceVersion}`, 1);
    expect(later[0].object.metadata.name).toBe('ball');
    const initial = await shop.lines(
      `${BASE}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      3,
    );
    expect(initial[2]).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  test('sends DELETED for an object that no longer matches the selector, and bookmarks for other changes', async () => {
    const shop = new Shop();
    await shop.create('car', 'red');
    const { resourceVersion } = (await shop.send('GET', BASE)).body.metadata;
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}&labelSelector=color%3Dred`;
    const patch = { type: 'application/merge-patch+json', body: { metadata: { labels: { color: 'blue' } } } };
    const blue = (await shop.send('PATCH', `${BASE}/car`, patch)).body.metadata.resourceVersion;
    const other = (await shop.create('ball', 'green')).body.metadata.resourceVersion;
    const lines = shop.lines(`${BASE}?${query}`, 2);
    await new Promise((resolve) => setImmediate(resolve));
    await shop.clock.advance('60s');
    expect((await lines).map(({ type, object }) => [type, object.metadata.resourceVersion])).toEqual([
      ['DELETED', blue],
      ['BOOKMARK', other],
    ]);
  });

  test('answers a version that is too old with an error, and ends a watch after its timeout', async () => {
    const shop = new Shop();
    const { resourceVersion } = (await shop.send('GET', BASE)).body.metadata;
    for (let index = 0; index < 7; index++) await shop.create(`toy-${index}`, 'red');
    const [error] = await shop.lines(`${BASE}?watch=true&resourceVersion=${resourceVersion}`, 1);
    expect(error).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    const lines = shop.lines(`${BASE}?watch=true&timeoutSeconds=5`, 100);
    await new Promise((resolve) => setImmediate(resolve));
    await shop.clock.advance('5s');
    expect(await lines).toHaveLength(7);
  });
});
