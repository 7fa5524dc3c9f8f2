// Lets a real kube-apiserver and ours share an etcd with encrypted objects: each must read what the other writes. Records what the real one
// has written.
//   node scripts/run.mjs test/vectors/encryption/record.ts
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { TestPlane } from '../../../src/access/testing/test-plane.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../../src/base/index.ts';
import { openEtcdStore } from '../../../src/store/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { etcdKey, fixedPlugin, objects, writeConfiguration } from './setup.ts';

const folder = await mkdtemp(join(tmpdir(), 'encryption-'));
const stop = new AbortController();
const plugin = fixedPlugin(join(folder, 'kms.sock'));
const running = plugin.run(stop.signal);
await plugin.listening();
const path = await writeConfiguration(folder, plugin);
const [clock, random] = [new RealClock(), new CryptoRandom()];
{
  await using kube = await startKube({
    apiserverFlags: [`--encryption-provider-config=${path}`, '--disable-admission-plugins=ServiceAccount'],
  });
  const client = new KubeClient(kube.kubeconfig);
  const collection = (name: string): string => `/api/v1/namespaces/default/${name}`;
  await using store = await openEtcdStore({ endpoints: [kube.etcdUrl], clock, random, log: discardLogger });
  const valueOf = async (key: string): Promise<Buffer> => Buffer.from((await store.get(key))?.value ?? '');
  const recorded: object[] = [];
  for (const { path: plural, resource, body } of objects) {
    const metadata = { name: 'theirs', ...('metadata' in body ? body.metadata : {}) };
    const reply = await client.send('POST', collection(plural), { body: { ...body, metadata } });
    assert.equal(reply.code, 201, JSON.stringify(reply.body));
    const key = etcdKey(resource, 'theirs');
    const value = await valueOf(key);
    assert.match(value.toString('latin1'), /^k8s:enc:/);
    recorded.push({ resource, key, value: value.toString('base64') });
  }
  {
    await using plane = await TestPlane.start({
      clock,
      random,
      storage: { type: 'etcd', etcd: { endpoints: [kube.etcdUrl] }, encryption: { path, isReloading: false } },
    });
    for (const { path: plural, resource, body } of objects) {
      const read = await plane.admin('GET', `${collection(plural)}/theirs`);
      assert.match(
        JSON.stringify(read.body),
        /bWFya2Vk|marked/,
        `ours cannot read ${resource}: ${JSON.stringify(read)}`,
      );
      const metadata = { name: 'ours', ...('metadata' in body ? body.metadata : {}) };
      const written = await plane.admin('POST', collection(plural), { ...body, metadata });
      assert.equal(written.code, 201, JSON.stringify(written));
      const prefix = (value: Buffer): string => /^k8s:enc:[a-z]+:v\d:[a-z]+:/.exec(value.toString('latin1'))?.[0] ?? '';
      assert.equal(
        prefix(await valueOf(etcdKey(resource, 'ours'))),
        prefix(await valueOf(etcdKey(resource, 'theirs'))),
      );
    }
    console.log((await plane.plane.server.objects.store.revision()) > 0 ? 'ours reads theirs' : '');
  }
  for (const { path: plural } of objects) {
    const read = await client.send('GET', `${collection(plural)}/ours`);
    assert.match(JSON.stringify(read.body), /bWFya2Vk|marked/, JSON.stringify(read.body));
    const list = await client.send('GET', collection(plural));
    assert.equal(list.code, 200, JSON.stringify(list.body));
  }
  console.log('theirs reads ours');
  const readyz = await client.send('GET', '/readyz?verbose=1');
  console.log(String(readyz.body['message']).split('\n').slice(0, 8).join('\n'));
  // The real server's answer for a value that no provider can open.
  const damaged = await valueOf(etcdKey('secrets', 'theirs'));
  await store.commit({
    conditions: [],
    operations: [
      { type: 'put', key: etcdKey('secrets', 'moved'), value: damaged },
      { type: 'put', key: etcdKey('secrets', 'unknown'), value: Buffer.from('k8s:enc:made:v1:up:x') },
    ],
  });
  for (const name of ['moved', 'unknown', ''])
    console.log(
      name,
      JSON.stringify((await client.send('GET', `${collection('secrets')}/${name}?resourceVersion=`)).body),
    );
  client.close();
  await writeFile(join(import.meta.dirname, 'recorded.json'), `${JSON.stringify(recorded, undefined, 2)}\n`);
}
stop.abort();
await running;
await rm(folder, { recursive: true });
