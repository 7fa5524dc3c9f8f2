import { expect, test } from 'vitest';
import type { TestPlane } from '../../access/testing/test-plane.ts';
import { inProcessCall } from '../../apiserver/index.ts';
import { VirtualClock } from '../../base/index.ts';
import { EncryptedPlanes, simpleKeys } from '../testing/encrypted-plane.ts';
import { decodeEncryptedObject } from './encrypted-object.ts';
import { dataKey } from './seeded-gcm.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const hush = (name: string) => ({ metadata: { name }, data: { password: 'b3BlbiBzZXNhbWU=' } });
const PREFIX = 'k8s:enc:kms:v2:vault:';

async function openPlanes(timeout = '2s'): Promise<EncryptedPlanes> {
  const planes = await EncryptedPlanes.open();
  const kms = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${planes.socket}`, timeout };
  await planes.configure([{ kms }, { identity: {} }]);
  return planes;
}

async function health(plane: TestPlane): Promise<unknown> {
  const call = inProcessCall({
    method: 'GET',
    path: '/readyz/kms-providers',
    clock: plane.clock,
    certificate: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
  });
  return String((await plane.plane.server.handle(call)).body);
}

test('values carry their key as the plugin has encrypted it, and a new server asks the plugin for it once', async () => {
  await using planes = await openPlanes();
  let asked = 0;
  await using _plugin = await planes.plugin({
    keyId: 'k1',
    decrypt: (ciphertext, context) => {
      asked += 1;
      return simpleKeys.decrypt(ciphertext, context);
    },
  });
  const storage = { type: 'durable', folder: `${planes.folder}/store` } as const;
  {
    await using plane = await planes.start(storage);
    for (const name of ['a', 'b', 'c'])
      expect(await plane.admin('POST', SECRETS, hush(name))).toMatchObject({ code: 201 });
    const value = (await plane.plane.server.objects.store.get('/registry/secrets/default/a'))?.value ?? Buffer.alloc(0);
    expect(Buffer.from(value).toString('latin1').startsWith(PREFIX)).toBe(true);
    expect(decodeEncryptedObject(value.subarray(PREFIX.length))).toMatchObject({ use: 'seed', key: { keyId: 'k1' } });
    expect(await health(plane)).toBe('ok');
    expect(asked).toBe(0); // the server that generated the key knows it
  }
  await using plane = await planes.start(storage);
  expect(await plane.admin('GET', `${SECRETS}/a`)).toMatchObject({ code: 200, body: { data: hush('a').data } });
  expect(await plane.admin('GET', `${SECRETS}/b`)).toMatchObject({ code: 200 });
  expect(asked).toBe(1);
});

test('another key of the plugin is used within a minute, and an unchanged write re-encrypts a value', async () => {
  await using planes = await openPlanes();
  let keyId = 'k1';
  await using _plugin = await planes.plugin({ keyId: () => keyId });
  await using plane = await planes.start();
  await plane.admin('POST', SECRETS, hush('a'));
  const before = (await plane.admin('GET', `${SECRETS}/a`)).body;
  expect((await plane.admin('PUT', `${SECRETS}/a`, before)).body).toEqual(before);
  keyId = 'k2';
  await plane.clock.advance('61s');
  await expect.poll(async () => (await plane.admin('PUT', `${SECRETS}/a`, before)).body).not.toEqual(before);
});

test('a dead plugin: nothing is written, /readyz reports it, and the server continues when the plugin answers', async () => {
  await using planes = await openPlanes('10ms');
  await using plane = await startWith(planes);
  expect(await plane.admin('POST', SECRETS, hush('a'))).toMatchObject({
    code: 500,
    body: { message: 'Internal error occurred: got unexpected nil transformer' },
  });
  expect(await plane.admin('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } })).toMatchObject(
    {
      code: 201,
    },
  );
});

test.each([
  ['an empty key id', { keyId: '' }, 'keyID is empty'],
  ['a key id without end', { keyId: 'k'.repeat(2000) }, 'exceeds the max size of 1024'],
  ['a ciphertext without end', { keyId: 'k', encrypt: () => Buffer.alloc(5000) }, 'exceeds the max size of 1024'],
  ['no ciphertext', { keyId: 'k', encrypt: () => Buffer.alloc(0) }, 'encrypted DEK source is empty'],
  ['a bad state', { keyId: 'k', healthz: () => 'on fire' }, 'got unexpected healthz status: on fire'],
  [
    'an error',
    {
      keyId: 'k',
      encrypt: () => {
        throw new Error('no way');
      },
    },
    'rpc error: code = Unknown desc = no way',
  ],
])('a plugin that lies, %s, is not believed', async (_name, plugin, problem) => {
  await using planes = await openPlanes();
  await using _plugin = await planes.plugin(plugin);
  await using plane = await planes.start();
  expect(await health(plane)).toContain(problem);
});

test('a plugin that returns another key than it was given makes values unreadable, not wrong', async () => {
  await using planes = await openPlanes();
  await using _plugin = await planes.plugin({ keyId: 'k', decrypt: () => Buffer.alloc(32, 9) });
  const storage = { type: 'durable', folder: `${planes.folder}/store` } as const;
  {
    await using plane = await planes.start(storage);
    await plane.admin('POST', SECRETS, hush('a'));
  }
  await using plane = await planes.start(storage);
  expect(await plane.admin('GET', `${SECRETS}/a`)).toMatchObject({
    code: 500,
    body: { message: 'Internal error occurred: cipher: message authentication failed' },
  });
});

test('a seed that is too short is refused', () => {
  expect(() => dataKey(Buffer.alloc(16), 'seed')).toThrow('invalid seed length 16 used for key generation');
  expect(() => dataKey(Buffer.alloc(5), 'key')).toThrow('crypto/aes: invalid key size 5');
});

/** Starts a server while no plugin answers, with a virtual clock. */
async function startWith(planes: EncryptedPlanes): Promise<TestPlane> {
  const clock = new VirtualClock();
  const starting = planes.start({ type: 'memory' }, clock);
  const isOver = starting.then(() => true);
  for (let turn = 0; turn < 200 && !(await Promise.race([isOver, tick()])); turn++) await clock.advance('1ms');
  return starting;
}

function tick(): Promise<false> {
  return new Promise((resolve) => void setImmediate(() => resolve(false)));
}
