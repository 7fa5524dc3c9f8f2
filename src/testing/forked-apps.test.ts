import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigMap, keyOf, Secret } from '../client/index.ts';
import { admission, app, controller, extensionServer } from '../kit/index.ts';
import { startCluster, type StartClusterOptions, type TestCluster } from './index.ts';

const bare: StartClusterOptions = { controllers: false, scheduler: false, nodes: 0 };

/** Creates a Secret with a random name for each ConfigMap, and labels each ConfigMap by a webhook. */
function namer() {
  const mark = admission(ConfigMap, {
    name: 'mark.acme.dev',
    failurePolicy: 'Fail',
    mutate: (map) => ({ ...map, data: { ...map.data, marked: 'yes' } }),
  });
  const names = controller(ConfigMap, {
    name: 'namer',
    where: { namespace: 'default' },
    owns: [Secret],
    async reconcile({ metadata }, { desire, random, objects }) {
      const [made] = objects(Secret).list({ controlledBy: metadata.uid });
      await desire(Secret, { metadata: { name: made?.metadata.name ?? `${metadata.name}-${random.nameSuffix(8)}` } });
    },
  });
  return app('namer', [names], {
    server: extensionServer({ admission: [mark] }),
    health: { port: 0 },
    leaderElection: true,
  });
}

async function make(cluster: TestCluster, name: string): Promise<readonly string[]> {
  const { configmaps, secrets } = cluster.client.core.v1;
  const { data } = await configmaps.namespace('default').create({ metadata: { name } });
  expect(data).toEqual({ marked: 'yes' });
  await cluster.settle();
  return (await secrets.namespace('default').list()).items.map(keyOf);
}

afterEach(() => vi.restoreAllMocks());

test('an app in a test opens no port', async () => {
  const listen = [createHttpServer(), createHttp2Server()].map((server) =>
    vi.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(server)) as { listen: () => void }, 'listen'),
  );
  await using cluster = await startCluster(bare);
  await cluster.run(namer());
  await make(cluster, 'a');
  for (const each of listen) expect(each).not.toHaveBeenCalled();
});

test('forks run copies of the apps, and the seed decides the same in each', async () => {
  const given = namer();
  const forks: TestCluster[] = [];
  {
    await using cluster = await startCluster({ ...bare, seed: 'forked' });
    await cluster.run(given);
    await make(cluster, 'a');
    forks.push(await cluster.fork(), await cluster.fork());
    expect(await make(cluster, 'b')).toHaveLength(2);
  }
  const [one, other] = forks as [TestCluster, TestCluster];
  const names = await make(one, 'b');
  expect(names).toHaveLength(2);
  expect(await make(other, 'b')).toEqual(names);
  expect(await make(one, 'c')).toHaveLength(3); // the original has ended
  expect(one.appOf(given).trace({ controller: 'namer', key: 'default/c' })).toHaveLength(1);
  expect(other.appOf(given).trace({ controller: 'namer', key: 'default/c' })).toEqual([]);
  expect(() => one.appOf(app('never', []))).toThrow('Cannot find app "never": it was not run in this cluster');
  expect(one.problems).toEqual([]);
  for (const fork of forks) await fork[Symbol.asyncDispose]();
});
