import { describe, expect, test } from 'vitest';
import { decodeProtobuf, type GroupVersion, openProtobufEnvelope, YamlBody } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { KindServer } from '../testing/kind-server.ts';
import { cronTabs } from '../testing/cron-tabs.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const GROUP = 'stable.example.com';
const KIND = { group: GROUP, plural: 'crontabs' };
const OBJECTS = `/apis/${GROUP}/v1/namespaces/default/crontabs`;

const cronTab = (name: string, spec: object = { schedule: '* * * * *' }): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'CronTab',
  metadata: { name },
  spec,
});

describe('a kind that is registered while the server runs', () => {
  test('is in discovery at once, with all its versions', async () => {
    await using api = new KindServer();
    expect((await api.get(`/apis/${GROUP}`)).code).toBe(404);

    api.server.registry.register(cronTabs());

    const { groups } = (await api.get('/apis')).json();
    expect(groups.at(-1)).toMatchObject({ name: GROUP, preferredVersion: { version: 'v1' }, versions: [{}, {}] });
    expect((await api.get(`/apis/${GROUP}`)).json().versions[1].version).toBe('v1beta1');
    expect((await api.get(`/apis/${GROUP}/v1`)).json().resources).toMatchObject([
      { name: 'crontabs', singularName: 'crontab', shortNames: ['ct'], storageVersionHash: expect.any(String) },
      { name: 'crontabs/status', kind: 'CronTab' },
    ]);
    expect((await api.get(`/apis/${GROUP}/v2`)).code).toBe(404);
    expect((await api.get('/')).json().paths).toContain(`/apis/${GROUP}/v1beta1`);
  });

  test('changes the ETag of aggregated discovery, which is restored when it is withdrawn', async () => {
    await using api = new KindServer();
    const before = (await api.get('/apis', { accept: AGGREGATED })).headers['etag'] as string;
    expect((await api.get('/apis', { accept: AGGREGATED, 'if-none-match': before })).code).toBe(304);

    api.server.registry.register(cronTabs());

    const with_ = await api.get('/apis', { accept: AGGREGATED, 'if-none-match': before });
    expect(with_.code).toBe(200);
    expect(with_.json().items.at(-1)).toMatchObject({
      metadata: { name: GROUP },
      versions: [{ version: 'v1', resources: [{ responseKind: { group: GROUP } }] }, { version: 'v1beta1' }],
    });
    api.server.registry.withdraw(KIND);
    expect((await api.get('/apis', { accept: AGGREGATED, 'if-none-match': before })).code).toBe(304);
  });

  test('is in aggregated discovery in YAML and protobuf too, with the same ETag', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    const json = await api.get('/apis', { accept: AGGREGATED });
    const form = (type: string) => api.get('/apis', { accept: AGGREGATED.replace('application/json', type) });
    const yaml = await form('application/yaml');
    const protobuf = await form('application/vnd.kubernetes.protobuf');

    expect(new YamlBody(yaml.body).untyped()).toEqual(json.json());
    const type = api.types.struct('io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList');
    const { raw } = openProtobufEnvelope(protobuf.body);
    const { kind: _kind, apiVersion: _version, ...document } = json.json();
    expect(decodeProtobuf(raw, type)).toMatchObject(document);
    for (const { headers } of [yaml, protobuf]) expect(headers['etag']).toBe(json.headers['etag']);
    expect(protobuf.headers['content-type']).toBe(AGGREGATED.replace('json', 'vnd.kubernetes.protobuf'));
  });

  test('is documented as a custom resource, with its types inlined', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());

    const index = (await api.get('/openapi/v3')).json().paths;
    expect(Object.keys(index)).toContain(`apis/${GROUP}/v1`);
    expect(Object.keys(index)).not.toContain(`apis/${GROUP}`);
    const document = (await api.get(`/openapi/v3/apis/${GROUP}/v1`)).json();
    const { schemas } = document.components;
    expect(document.paths[`/apis/${GROUP}/v1/namespaces/{namespace}/crontabs/{name}/status`].put.operationId).toBe(
      'replaceStableExampleComV1NamespacedCronTabStatus',
    );
    const crontab = schemas['com.example.stable.v1.CronTab'];
    expect(crontab['x-kubernetes-group-version-kind']).toEqual([{ group: GROUP, kind: 'CronTab', version: 'v1' }]);
    expect(crontab.properties.spec).toEqual({ type: 'object', properties: { schedule: { type: 'string' } } });
    expect(crontab.properties.status.properties.active).toMatchObject({ type: 'array', items: { type: 'string' } });
    expect(schemas['com.example.stable.v1.CronTabList'].properties.items.items).toEqual({
      $ref: '#/components/schemas/com.example.stable.v1.CronTab',
    });
    expect(Object.keys(schemas)).toContain('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });

  test('is in the document of OpenAPI v2, also in protobuf, beside the built-in kinds', async () => {
    await using api = new KindServer();
    const before = await api.get('/openapi/v2', { accept: PROTOBUF_V2 });

    api.server.registry.register(cronTabs());

    const old = await api.get('/openapi/v2', { accept: PROTOBUF_V2 });
    expect(old.body.equals(before.body)).toBe(true); // the new one is made in the background
    const { definitions, paths } = (await newDocument(api, '*/*')).json();
    expect(definitions['com.example.stable.v1beta1.CronTab'].properties.spec.properties).toHaveProperty('schedule');
    expect(Object.keys(paths)).toContain(`/apis/${GROUP}/v1beta1/crontabs`);
    expect(Object.keys(paths)).toContain('/apis/apps/v1/deployments');
    const protobuf = await newDocument(api, PROTOBUF_V2);
    expect(before.body.includes('com.example.stable.v1.CronTab')).toBe(false);
    expect(protobuf.body.includes('com.example.stable.v1.CronTab')).toBe(true);
  });

  test('has tables with its columns, in both versions', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    expect((await api.send('POST', OBJECTS, { body: cronTab('a') })).code).toBe(201);

    const table = (await api.get(OBJECTS, { accept: TABLE })).json();
    expect(table.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Schedule']);
    expect(table.rows[0].cells).toEqual(['* * * * *']);
    const list = (await api.get(OBJECTS.replace('v1', 'v1beta1'))).json();
    expect(list.items[0]).toMatchObject({ apiVersion: `${GROUP}/v1beta1`, kind: 'CronTab', metadata: { name: 'a' } });
  });

  test('defines which fields a write cannot own', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    const sent = { ...cronTab('a'), status: { active: ['x'] } };
    const created = (await api.send('POST', OBJECTS, { body: sent })).json();
    const put = await api.send('PUT', `${OBJECTS}/a/status`, { body: { ...created, status: { active: ['y'] } } });

    const owned = put
      .json()
      .metadata.managedFields.map((entry: { subresource?: string; fieldsV1: object }) => [
        entry.subresource ?? '',
        Object.keys(entry.fieldsV1),
      ]);
    expect(owned).toEqual([
      ['', ['f:spec']],
      ['status', ['f:status']],
    ]);
  });

  test('rejects features of built-in kinds, with the messages for custom resources', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    await api.send('POST', OBJECTS, { body: cronTab('a') });

    const patch = { type: 'application/strategic-merge-patch+json', body: {} };
    expect((await api.send('PATCH', `${OBJECTS}/a`, patch)).json().message).toMatch(
      /^the body of the request was in an/,
    );
    const protobuf = await api.get(OBJECTS, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(protobuf.code).toBe(406);
  });
});

describe('a kind that is withdrawn', () => {
  test('is not found any more, and its watches end', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    const answer = await api.answer('GET', `${OBJECTS}?watch=true`);
    if (answer.type !== 'watch') throw new Error(`Unexpected answer: ${answer.type}`);
    const events = answer.events[Symbol.asyncIterator]();
    const first = events.next();
    await api.send('POST', OBJECTS, { body: cronTab('a') });
    expect((await first).value).toMatchObject([{ type: 'ADDED' }]);
    const next = events.next();

    api.server.registry.withdraw(KIND);

    expect(await next).toEqual({ done: true, value: undefined });
    expect((await api.get(OBJECTS)).code).toBe(404);
    expect((await api.get(`/apis/${GROUP}`)).code).toBe(404);
    expect((await api.get(`/openapi/v3/apis/${GROUP}/v1`)).code).toBe(404);
  });

  test('ends a watch that has not begun yet', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    const answer = await api.answer('GET', `${OBJECTS}?watch=true&resourceVersion=0`);
    api.server.registry.withdraw(KIND);

    if (answer.type !== 'watch') throw new Error(`Unexpected answer: ${answer.type}`);
    expect(await answer.events[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });

  test('can be registered again at once with another schema and fewer versions', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs());
    await api.send('POST', OBJECTS, { body: cronTab('a') });
    await api.get(OBJECTS);

    api.server.registry.register(
      cronTabs({ versions: ['v1'], spec: { schedule: { type: 'string' }, image: { type: 'string' } } }),
    );

    const body = cronTab('b', { schedule: '@daily', image: 'x' });
    expect((await api.send('POST', OBJECTS, { body })).json().spec).toEqual({ schedule: '@daily', image: 'x' });
    expect((await api.get(OBJECTS)).json().items).toHaveLength(2);
    expect((await api.get(OBJECTS.replace('v1', 'v1beta1'))).code).toBe(404);
    const document = (await api.get(`/openapi/v3/apis/${GROUP}/v1`)).json();
    const { spec } = document.components.schemas['com.example.stable.v1.CronTab'].properties;
    expect(Object.keys(spec.properties)).toEqual(['image', 'schedule']);
  });
});

describe('the registry', () => {
  test('notifies listeners before it returns, once for all versions', async () => {
    await using api = new KindServer();
    const changes: (readonly GroupVersion[])[] = [];
    const listening = api.server.registry.onChange((changed) => changes.push(changed));
    const both = ['v1', 'v1beta1'].map((version) => ({ group: GROUP, version }));

    api.server.registry.register(cronTabs());
    expect(changes).toEqual([both]);
    api.server.registry.register(cronTabs({ versions: ['v1'] }));
    expect(changes).toEqual([both, both]);
    api.server.registry.withdraw(KIND);
    expect(changes[2]).toEqual([{ group: GROUP, version: 'v1' }]);
    api.server.registry.withdraw(KIND);
    expect(changes).toHaveLength(3);
    listening[Symbol.dispose]();
    api.server.registry.register(cronTabs());
    expect(changes).toHaveLength(3);
  });

  test('does not rebuild the documents of other groups', async () => {
    await using api = new KindServer();
    api.server.registry.register(cronTabs({ group: 'other.example.com' }));
    const paths = ['/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1', '/openapi/v3/apis/other.example.com/v1'];
    const bodies = async (): Promise<unknown[]> =>
      Promise.all(paths.map(async (path) => bodyOf(await api.answer('GET', path))));
    const before = await bodies();

    api.server.registry.register(cronTabs());
    await api.get('/openapi/v3');

    const after = await bodies();
    for (const [index, body] of after.entries()) expect(body).toBe(before[index]);
  });

  test('does not touch two hundred other groups when one is added', async () => {
    await using api = new KindServer();
    let looks = 0;
    const counted = (resource: Resource): Resource => ({
      ...resource,
      get verbs() {
        looks += 1;
        return resource.verbs;
      },
    });
    const [one] = cronTabs({ versions: ['v1'] });
    const many = Array.from({ length: 200 }, (_, index) => ({ ...(one as Resource), group: `g${index}.example.com` }));
    api.server.registry.register(many.map(counted));
    for (const path of ['/apis', '/openapi/v3', '/openapi/v2']) await api.get(path, { accept: `${AGGREGATED},*/*` });
    expect(looks).toBeGreaterThan(200);

    looks = 0;
    api.server.registry.register(cronTabs());
    await newDocument(api, '*/*');
    for (const path of ['/apis', '/openapi/v3', '/openapi/v2']) {
      const { body } = await api.get(path, { accept: `${AGGREGATED},*/*` });
      expect(body.includes(GROUP)).toBe(true);
    }
    expect(looks).toBe(0);
  });
});

/** The document of OpenAPI v2 that has the group; it is made in the background. */
async function newDocument(api: KindServer, accept: string): ReturnType<KindServer['get']> {
  for (;;) {
    const answer = await api.get('/openapi/v2', { accept });
    if (answer.body.includes(GROUP)) return answer;
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

function bodyOf(answer: Awaited<ReturnType<KindServer['answer']>>): unknown {
  return answer.type === 'bytes' ? answer.body : undefined;
}
