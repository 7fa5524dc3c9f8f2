import { expect, test } from 'vitest';
import { discardLogger } from '../../base/index.ts';
import { Requester } from '../request/requester.ts';
import { TestCluster } from '../testing/test-cluster.ts';
import type { Transport, TransportRequest } from '../transport.ts';
import { readAggregated, ServedApis } from './served-apis.ts';

/** Counts requests, and lets a test refuse some or make the server look older than it is. */
function wrap(
  inner: Transport,
  change: (request: TransportRequest) => TransportRequest | Error,
): { transport: Transport; paths: string[] } {
  const paths: string[] = [];
  const transport: Transport = {
    async send(request) {
      paths.push(request.path);
      const changed = change(request);
      if (changed instanceof Error) throw changed;
      return inner.send(changed);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { transport, paths };
}

function withoutAggregation(request: TransportRequest): TransportRequest {
  return { ...request, headers: { ...request.headers, accept: 'application/json' } };
}

test('all resources are discovered with two requests, and cached', async () => {
  await using cluster = await TestCluster.start();
  const { transport, paths } = wrap(cluster.transport('in process'), (request) => request);
  const apis = new ServedApis(new Requester(transport));

  const found = await apis.find('apps/v1', 'Deployment');

  expect(found).toMatchObject({
    group: 'apps',
    plural: 'deployments',
    scope: 'Namespaced',
    subresources: expect.arrayContaining(['scale', 'status']),
  });
  expect(await apis.find('v1', 'po')).toMatchObject({ kind: 'Pod' });
  expect(paths).toEqual(['/api', '/apis']);
});

test('an older server is asked group by group, with the same result', async () => {
  await using cluster = await TestCluster.start();
  const modern = new ServedApis(new Requester(cluster.transport('in process')));
  const { transport, paths } = wrap(cluster.transport('in process'), withoutAggregation);
  const older = new ServedApis(new Requester(transport));
  const describe = async (apis: ServedApis): Promise<string[]> =>
    (await apis.kinds())
      .map((kind) =>
        JSON.stringify({ ...kind, subresources: [...kind.subresources].sort(), verbs: [...kind.verbs].sort() }),
      )
      .sort();

  expect(await describe(older)).toEqual(await describe(modern));
  expect(paths.length).toBeGreaterThan(10);
});

test('a group whose server is down is left out', async () => {
  await using cluster = await TestCluster.start();
  const { transport } = wrap(cluster.transport('in process'), (request) =>
    request.path === '/apis/apps/v1' ? new Error('down') : withoutAggregation(request),
  );
  const apis = new ServedApis(new Requester(transport, { log: discardLogger }));

  expect(await apis.find('apps/v1', 'Deployment')).toBeUndefined();
  expect(await apis.find('batch/v1', 'Job')).toMatchObject({ plural: 'jobs' });
  expect([...(await apis.survey()).failures]).toEqual([['apps/v1', 'down']]);
});

test('stale versions are reported as failures', () => {
  const resources = [{ resource: 'widgets', responseKind: { group: '', version: '', kind: 'Widget' }, verbs: ['get'] }];
  const versions = [
    { version: 'v2', freshness: 'Stale', resources },
    { version: 'v1', freshness: 'Current', resources },
  ];

  const { kinds, failures } = readAggregated({ items: [{ metadata: { name: 'example.com' }, versions }] } as never);

  expect(kinds.map(({ apiVersion }) => apiVersion)).toEqual(['example.com/v1']);
  expect([...failures]).toEqual([['example.com/v2', 'stale GroupVersion discovery: example.com/v2']]);
});

test('an unknown kind leads to another discovery', async () => {
  await using cluster = await TestCluster.start();
  const { transport, paths } = wrap(cluster.transport('in process'), (request) => request);
  const apis = new ServedApis(new Requester(transport));
  await apis.kinds();

  expect(await apis.find('example.com/v1', 'Widget')).toBeUndefined();

  expect(paths).toEqual(['/api', '/apis', '/api', '/apis']);
});
