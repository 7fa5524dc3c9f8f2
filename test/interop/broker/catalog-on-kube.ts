// The service catalog of the examples, by aggregation and by definitions, behind a real kube-apiserver.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ClusterServiceBroker, ServiceBinding, ServiceInstance } from '../../../examples/service-catalog/kinds.ts';
import { keyValueBroker } from '../../../examples/service-broker/broker.ts';
import { KeyValues } from '../../../examples/service-broker/key-values.ts';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { connect, mergePatch } from '../../../src/client/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const LIMIT_MS = 90_000;

/** Why it cannot be tried here; undefined when it can. */
export const whyNotOnKube = (): string | undefined => whyNoKube();

/** The number of problems. */
export async function tryCatalogOnKube(): Promise<number> {
  let problems = 0;
  for (const flags of [['--aggregated'], []]) {
    const way = flags.length === 0 ? 'by definitions' : 'by aggregation';
    try {
      await tryCatalog(flags);
      console.log(`service catalog ${way} on kube-apiserver: an instance was made, bound, changed and deleted`);
    } catch (error) {
      problems += 1;
      console.error(`service catalog ${way} on kube-apiserver: ${String(error)}`);
    }
  }
  return problems;
}

async function tryCatalog(flags: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-catalog-'));
  const stores = new KeyValues(() => 'token');
  const server = stores.serve().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using broker = await keyValueBroker(stores, url).listen({ access: { basic: { platform: 'secret' } } });
  await using kube = await startKube({ folder: join(folder, 'kube') });
  const args = ['scripts/run.mjs', 'examples/service-catalog/main.ts', ...flags, '--folder', join(folder, 'objects')];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, KUBECONFIG: kube.kubeconfig },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-3000)));
  try {
    await live(kube.kubeconfig, broker.url);
  } catch (error) {
    throw new Error(`${String(error)}\n${log}`, { cause: error });
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    server.close().closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

async function live(kubeconfig: string, url: string): Promise<void> {
  await using client = await connect({ kubeconfig });
  const secrets = client.core.v1.secrets.namespace('default');
  const brokers = client.kind(ClusterServiceBroker);
  const instances = client.kind(ServiceInstance).namespace('default');
  const bindings = client.kind(ServiceBinding).namespace('default');
  await until('the kinds are served', async () => (await brokers.list()).items.length === 0);
  await secrets.create({ metadata: { name: 'login' }, stringData: { username: 'platform', password: 'secret' } });
  const authInfo = { basic: { secretRef: { namespace: 'default', name: 'login' } } };
  await brokers.create({ metadata: { name: 'key-values' }, spec: { url, authInfo } });
  const names = { clusterServiceClassExternalName: 'key-values', clusterServicePlanExternalName: 'slow' };
  await until(
    'the catalog is read',
    async () => (await brokers.get('key-values')).status?.conditions[0]?.status === 'True',
  );
  const refused = await instances
    .create({ metadata: { name: 'wrong' }, spec: { ...names, parameters: { maxKeys: 0 } } })
    .then(
      () => false,
      (error: unknown) => String(error).includes('maxKeys: must be at least 1'),
    );
  if (!refused) throw new Error('parameters that do not fit were not refused');
  await instances.create({ metadata: { name: 'shop' }, spec: { ...names, parameters: { maxKeys: 5 } } });
  await bindings.create({ metadata: { name: 'shop' }, spec: { instanceRef: { name: 'shop' } } });
  await until('the Secret is there', async () => (await secrets.get('shop')).data?.['token'] !== undefined);
  const { spec } = await instances.get('shop');
  if (spec.userInfo?.username === undefined) throw new Error('who asked is not in userInfo');
  await instances.patch('shop', mergePatch({ spec: { parameters: { maxKeys: 50 } } }));
  await until('the change is made', async () => {
    const { status, metadata } = await instances.get('shop');
    return status?.reconciledGeneration === metadata.generation && status?.conditions[0]?.status === 'True';
  });
  await bindings.delete('shop');
  await instances.delete('shop');
  await until('the instance is gone', async () => (await instances.list()).items.length === 0);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  let last: unknown;
  while (performance.now() < end) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    await wait(250);
  }
  throw new Error(`not within ${LIMIT_MS / 1000} s: ${what}${last === undefined ? '' : `; ${String(last)}`}`);
}
