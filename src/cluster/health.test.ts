import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './start-control-plane.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };

async function start(signal = new AbortController().signal): Promise<ControlPlane> {
  return startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new VirtualClock(),
    random: new SeededRandom('health'),
    log: discardLogger,
    signal,
  });
}

async function lines(client: Client, path: string): Promise<readonly string[]> {
  return (await client.text(path)).split('\n');
}

test('the checks have the names and the order of kube-apiserver 1.36', async () => {
  await using plane = await start();
  await using client = plane.client(ADMIN);
  const ready = await lines(client, '/readyz?verbose');
  const live = await lines(client, '/livez?verbose');

  expect(ready).toHaveLength(39);
  expect(ready.slice(0, 5)).toEqual([
    '[+]ping ok',
    '[+]log ok',
    '[+]etcd ok',
    '[+]etcd-readiness ok',
    '[+]informer-sync ok',
  ]);
  expect(ready.slice(-4)).toEqual([
    '[+]poststarthook/apiservice-openapiv3-controller ok',
    '[+]shutdown ok',
    'readyz check passed',
    '',
  ]);
  expect(live).toHaveLength(37);
  expect(live.slice(2, 4)).toEqual(['[+]loopback-serving-certificate ok', '[+]etcd ok']);
  expect(await lines(client, '/readyz?verbose&exclude=etcd&exclude=none')).toEqual(
    expect.arrayContaining([
      '[+]etcd excluded: ok',
      'warn: some health checks cannot be excluded: no matches for "none"',
    ]),
  );
});

test('each check has a path, slashes in its name or not, and is in the list of paths', async () => {
  await using plane = await start();
  await using client = plane.client(ADMIN);
  const { paths } = (await client.request({ method: 'GET', path: '/' })) as { paths: readonly string[] };
  const checks = paths.filter((path) => /^\/(livez|readyz|healthz)\//.test(path));

  expect(checks).toContain('/livez/poststarthook/rbac/bootstrap-roles');
  expect(checks).toHaveLength(35 + 35 + 37);
  for (const path of checks) expect(await client.text(path)).toBe('ok');
  for (const path of ['/livez/', '/livez/none', '/livez/poststarthook', '/healthz/etcd-readiness'])
    await expect(client.text(path)).rejects.toMatchObject({ code: 404 });
});

test('a server that stops is not ready, and alive', async () => {
  const stop = new AbortController();
  await using plane = await start(stop.signal);
  await using client = plane.client(ADMIN);
  stop.abort();

  await expect(client.text('/readyz')).rejects.toMatchObject({ code: 500 });
  expect(await client.text('/livez')).toBe('ok');
  const indicators = await client.text('/metrics/slis');
  expect(indicators).toContain('kubernetes_healthcheck{name="shutdown",type="readyz"} 0\n');
  expect(indicators).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1\n');
});
