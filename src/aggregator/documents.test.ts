import { expect, test } from 'vitest';
import { AggregatedPlane, FLUNDERS_PATH } from './testing/aggregated-plane.ts';
import { BackendServer, FLUNDERS, sendJson } from './testing/backend-server.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const GROUP = 'wardle.example.com';

const AGGREGATED = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: GROUP },
      versions: [
        {
          version: 'v1alpha1',
          resources: [
            {
              resource: 'flunders',
              responseKind: { group: GROUP, version: 'v1alpha1', kind: 'Flunder' },
              scope: 'Namespaced',
              singularResource: 'flunder',
              verbs: ['get', 'list'],
              shortNames: ['fl'],
            },
          ],
        },
      ],
    },
  ],
};

const V2 = {
  swagger: '2.0',
  info: { title: 'wardle', version: '1' },
  paths: {
    [`${FLUNDERS_PATH}/flunders`]: {
      get: {
        description: 'list',
        parameters: [{ $ref: '#/parameters/limit' }],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/wardle.FlunderList' } } },
      },
    },
    '/apis/apps/v1/deployments': { get: { description: 'not its own', responses: {} } },
  },
  definitions: {
    'wardle.FlunderList': {
      type: 'object',
      properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' } },
    },
    'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta': { type: 'object', properties: { old: { type: 'string' } } },
    unused: { type: 'string' },
  },
  parameters: { limit: { name: 'limit', in: 'query', type: 'integer' } },
};

type Answers = Readonly<
  Record<string, { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }>
>;

async function backendWith(answers: Answers): Promise<BackendServer> {
  const backend = await BackendServer.start();
  backend.answer = (request, response) => {
    const found = answers[request.url ?? ''];
    if (found === undefined) response.writeHead(404).end();
    else if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
    else sendJson(response, found.body, found.headers);
  };
  return backend;
}

/** Repeats the request until the answer is right. */
async function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came back
async function discoveredGroups(plane: AggregatedPlane): Promise<any[]> {
  return (await plane.get('/apis', { headers: { accept: ACCEPT } })).json().items;
}

test.each([
  ['aggregated', { '/apis': { body: AGGREGATED, headers: { 'content-type': ACCEPT, etag: '"1"' } } }],
  ['legacy', {}],
])('%s discovery of another server is merged into ours', async (_, answers) => {
  await using backend = await backendWith({ [FLUNDERS_PATH]: { body: FLUNDERS }, ...answers });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const groups = await until(
    () => discoveredGroups(plane),
    (items) => items.some(({ metadata }) => metadata.name === GROUP),
  );
  const legacy = (await plane.get('/apis')).json().groups;

  const found = groups.find(({ metadata }) => metadata.name === GROUP);
  expect(found.versions).toMatchObject([
    { version: 'v1alpha1', freshness: 'Current', resources: [{ resource: 'flunders', scope: 'Namespaced' }] },
  ]);
  expect(groups.at(-1)).toBe(found);
  expect(legacy.at(-1)).toEqual({
    name: GROUP,
    versions: [{ groupVersion: `${GROUP}/v1alpha1`, version: 'v1alpha1' }],
    preferredVersion: { groupVersion: `${GROUP}/v1alpha1`, version: 'v1alpha1' },
  });
  expect((await plane.get(`/apis/${GROUP}`)).json()).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...legacy.at(-1) });
  expect((await plane.get('/')).json().paths).toContain(FLUNDERS_PATH);
});

test('a group of higher priority comes first', async () => {
  await using backend = await backendWith({ [FLUNDERS_PATH]: { body: FLUNDERS } });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port, { groupPriorityMinimum: 17_900 });
  const names = (await plane.get('/apis')).json().groups.map(({ name }: { name: string }) => name);

  expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', GROUP, 'apps']);
});

test('the discovery of a version that an APIService takes over comes from its server, until it is gone', async () => {
  const path = '/apis/batch/v1';
  const resources = [{ name: 'things', singularName: 'thing', namespaced: false, kind: 'Thing', verbs: ['get'] }];
  await using backend = await backendWith({ [path]: { body: { ...FLUNDERS, groupVersion: 'batch/v1', resources } } });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const { self } = plane.plane.server;
  const collection = '/apis/apiregistration.k8s.io/v1/apiservices';
  const object = (await plane.get(`${collection}/v1.batch`)).json();
  const own = (await plane.get(`${collection}/v1alpha1.${GROUP}`)).json().spec;
  await self.update(`${collection}/v1.batch`, {
    ...object,
    spec: { ...object.spec, service: own.service, caBundle: own.caBundle },
  });
  await plane.availability(({ reason }) => reason === 'Passed', 'v1.batch');
  const taken = (await plane.get(path)).json();
  await self.delete(`${collection}/v1.batch`);
  const back = await until(
    async () => (await plane.get(path)).json(),
    (list) => list.resources.length > 1,
  );

  expect(taken.resources).toEqual(resources);
  expect(back.resources.map(({ name }: { name: string }) => name)).toContain('jobs');
});

test('OpenAPI documents are merged, and conflicting definitions are renamed', async () => {
  const place = FLUNDERS_PATH.slice(1);
  await using backend = await backendWith({
    [FLUNDERS_PATH]: { body: FLUNDERS },
    '/openapi/v2': { body: V2, headers: { etag: '"v2"' } },
    '/openapi/v3': {
      body: {
        paths: { [place]: { serverRelativeURL: `/openapi/v3/${place}?hash=A` }, 'api/v1': { serverRelativeURL: '/x' } },
      },
    },
    [`/openapi/v3/${place}?hash=A`]: { body: { openapi: '3.0.0' } },
  });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const index = await until(
    async () => (await plane.get('/openapi/v3')).json().paths,
    (paths) => place in paths,
  );
  const document = await until(
    async () => (await plane.get('/openapi/v2')).json(),
    ({ paths }) => `${FLUNDERS_PATH}/flunders` in paths,
  );
  const protobuf = await plane.get('/openapi/v2', {
    headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
  });

  expect(index[place]).toEqual({ serverRelativeURL: `/openapi/v3/${place}?hash=A` });
  expect(index['api/v1'].serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=/);
  expect((await plane.get(index[place].serverRelativeURL)).json()).toEqual({ openapi: '3.0.0' });
  expect(document.paths['/apis/apps/v1/deployments'].get.description).not.toBe('not its own');
  expect(document.definitions.unused).toBeUndefined();
  expect(document.parameters.limit).toEqual(V2.parameters.limit);
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
  expect(document.definitions[`${meta}_v2`]).toEqual(V2.definitions[meta]);
  expect(document.definitions['wardle.FlunderList'].properties.metadata).toEqual({ $ref: `#/definitions/${meta}_v2` });
  expect(protobuf.status).toBe(200);
  expect(protobuf.text).toContain('wardle.FlunderList');
});

test('a server that only has OpenAPI v2 gets a v3 document all the same', async () => {
  const place = FLUNDERS_PATH.slice(1);
  await using backend = await backendWith({ [FLUNDERS_PATH]: { body: FLUNDERS }, '/openapi/v2': { body: V2 } });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const index = await until(
    async () => (await plane.get('/openapi/v3')).json().paths,
    (paths) => place in paths,
  );
  const document = (await plane.get(index[place].serverRelativeURL)).json();

  expect(Object.keys(document.paths)).toEqual([`${FLUNDERS_PATH}/flunders`]);
  expect(document.paths[`${FLUNDERS_PATH}/flunders`].get).toEqual({
    description: 'list',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
    responses: {
      200: {
        description: 'OK',
        content: { '*/*': { schema: { $ref: '#/components/schemas/wardle.FlunderList' } } },
      },
    },
  });
  expect(Object.keys(document.components.schemas)).toContain('wardle.FlunderList');
});
