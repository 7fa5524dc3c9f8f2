import { describe, expect, test } from 'vitest';
import type { TestPlane } from '../access/testing/test-plane.ts';
import { prefixRange } from '../store/index.ts';
import { EncryptedPlanes, key } from './testing/encrypted-plane.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const hush = (name: string) => ({ metadata: { name }, data: { password: 'b3BlbiBzZXNhbWU=' } });

/** The stored value under the key of a secret. */
async function stored(plane: TestPlane, name: string): Promise<string> {
  const entry = await plane.plane.server.objects.store.get(`/registry/secrets/default/${name}`);
  return Buffer.from(entry?.value ?? '').toString('latin1');
}

const PROVIDERS = [
  ['aesgcm', { aesgcm: { keys: [key('one', 1)] } }],
  ['aescbc', { aescbc: { keys: [key('one', 1)] } }],
  ['secretbox', { secretbox: { keys: [key('one', 1)] } }],
] as const;

test.each(PROVIDERS)(
  '%s: what is written lies encrypted in the store, and all verbs see it as it is',
  async (type, provider) => {
    await using planes = await EncryptedPlanes.open();
    await planes.configure([provider]);
    await using plane = await planes.start();
    expect(await plane.admin('POST', SECRETS, hush('a'))).toMatchObject({ code: 201 });
    expect(await stored(plane, 'a')).toMatch(new RegExp(`^k8s:enc:${type}:v1:one:`));
    expect(await stored(plane, 'a')).not.toContain('password');
    expect(await plane.admin('GET', `${SECRETS}/a`)).toMatchObject({ body: { data: hush('a').data } });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await plane.admin('PATCH', `${SECRETS}/a`, { data: { more: 'eA==' } }, merge);
    expect(patched).toMatchObject({ code: 200, body: { data: { more: 'eA==', password: 'b3BlbiBzZXNhbWU=' } } });
    expect(await plane.admin('DELETE', `${SECRETS}/a`)).toMatchObject({ code: 200 });
    expect(await plane.admin('GET', `${SECRETS}/a`)).toMatchObject({ code: 404 });
  },
);

test('lists, watches and history show the plain values; a compaction changes nothing', async () => {
  await using planes = await EncryptedPlanes.open();
  await planes.configure([PROVIDERS[0][1]]);
  await using plane = await planes.start();
  const secrets = plane.plane.client({ user: 'kubernetes-admin', groups: ['system:masters'] }).core.v1.secrets;
  const first = await secrets.namespace('default').create(hush('a'));
  const from = Number(first.metadata.resourceVersion);
  await secrets.namespace('default').create(hush('b'));
  await secrets.namespace('default').delete('a');
  const past = await secrets.list({ resourceVersion: String(from), resourceVersionMatch: 'Exact' });
  expect(past.items.map(({ data }) => data)).toEqual([hush('a').data]);
  const seen: unknown[] = [];
  for await (const event of secrets.watch({ resourceVersion: String(from - 1) })) {
    if (event.type === 'BOOKMARK') continue;
    seen.push([event.type, event.object.metadata.name, event.object.data]);
    if (seen.length === 3) break;
  }
  const { data } = hush('');
  expect(seen).toEqual([
    ['ADDED', 'a', data],
    ['ADDED', 'b', data],
    ['DELETED', 'a', data],
  ]);
  const { store } = plane.plane.server.objects;
  await store.compact(await store.revision());
  expect((await secrets.list()).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
});

test('a changed file is reloaded: the new key writes, the old one reads, and an unchanged write re-encrypts a value', async () => {
  await using planes = await EncryptedPlanes.open();
  await planes.configure([{ aescbc: { keys: [key('one', 1)] } }]);
  await using plane = await planes.start();
  await plane.admin('POST', SECRETS, hush('a'));
  const before = (await plane.admin('GET', `${SECRETS}/a`)).body;

  await planes.configure([{ secretbox: { keys: [key('two', 2)] } }, { aescbc: { keys: [key('one', 1)] } }]);
  await plane.clock.advance('1m');
  await expect.poll(async () => (await plane.admin('PUT', `${SECRETS}/a`, before)).body).not.toEqual(before);
  expect(await stored(plane, 'a')).toMatch(/^k8s:enc:secretbox:v1:two:/);
  const after = (await plane.admin('GET', `${SECRETS}/a`)).body;
  expect((await plane.admin('PUT', `${SECRETS}/a`, after)).body).toEqual(after); // nothing is left to do

  await planes.configure([{ aesgcm: { keys: [key('three', 3)] } }]);
  await plane.clock.advance('1m');
  await expect
    .poll(() => plane.admin('GET', `${SECRETS}/a`))
    .toMatchObject({ code: 500, body: { message: 'Internal error occurred: no matching prefix found' } });
  expect(await plane.admin('GET', SECRETS)).toMatchObject({
    code: 500,
    body: {
      message:
        'Internal error occurred: unable to transform key "/registry/secrets/default/a": no matching prefix found',
    },
  });
});

test('an unusable file changes nothing, and is counted', async () => {
  await using planes = await EncryptedPlanes.open();
  await planes.configure([PROVIDERS[0][1]]);
  await using plane = await planes.start();
  await planes.configure([{ aesgcm: { keys: [{ name: 'bad', secret: 'eA==' }] } }]);
  await plane.clock.advance('1m');
  await plane.admin('POST', SECRETS, hush('a'));
  expect(await stored(plane, 'a')).toMatch(/^k8s:enc:aesgcm:v1:one:/);
});

test('wildcards stand for groups and for everything, custom kinds too', async () => {
  await using planes = await EncryptedPlanes.open();
  await planes.configure([PROVIDERS[0][1]], ['*.*']);
  await using plane = await planes.start();
  await plane.admin('POST', SECRETS, hush('a'));
  await plane.admin('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });
  const { entries } = await plane.plane.server.objects.store.range(prefixRange('/registry/'));
  const plain = entries.filter(({ value }) => !Buffer.from(value).toString('latin1').startsWith('k8s:enc:aesgcm:v1:'));
  expect(plain.map((entry) => entry.key)).toEqual([]);
  expect(entries.map((entry) => entry.key)).toContain('/registry/deployments/default/a');
});

test('without keys, encrypted values are refused and not shown', async () => {
  await using planes = await EncryptedPlanes.open();
  await planes.configure([PROVIDERS[0][1]]);
  const storage = { type: 'durable', folder: `${planes.folder}/store` } as const;
  {
    await using plane = await planes.start(storage);
    await plane.admin('POST', SECRETS, hush('a'));
  }
  await planes.configure([{ identity: {} }], ['configmaps']);
  await using plane = await planes.start(storage);
  const message = 'identity transformer tried to read encrypted data';
  expect(await plane.admin('GET', `${SECRETS}/a`)).toMatchObject({
    code: 500,
    body: { message: `Internal error occurred: ${message}` },
  });
});

describe('a corrupted value', () => {
  test('is an error for requests that read it, and the server continues', async () => {
    await using planes = await EncryptedPlanes.open();
    await planes.configure([PROVIDERS[0][1]]);
    await using plane = await planes.start();
    const { store } = plane.plane.server.objects;
    await plane.admin('POST', SECRETS, hush('good'));
    const sealed = (await store.get('/registry/secrets/default/good'))?.value ?? Buffer.alloc(0);
    const flipped = Buffer.from(sealed);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    for (const [name, value] of [
      ['flipped', flipped],
      ['moved', sealed],
      ['cut', sealed.subarray(0, 26)],
    ] as const) {
      await store.commit({
        conditions: [],
        operations: [{ type: 'put', key: `/registry/secrets/default/${name}`, value: Buffer.from(value) }],
      });
      expect(await plane.admin('GET', `${SECRETS}/${name}`)).toMatchObject({ code: 500 });
    }
    expect(await plane.admin('GET', `${SECRETS}/moved`)).toMatchObject({
      body: { message: 'Internal error occurred: cipher: message authentication failed' },
    });
    expect(await plane.admin('GET', `${SECRETS}/good`)).toMatchObject({ code: 200 });
  });
});
