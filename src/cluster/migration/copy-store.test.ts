import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestPlane } from '../../access/testing/test-plane.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { EncryptedPlanes, key } from '../../encryption/testing/encrypted-plane.ts';
import { prefixRange, type SnapshotEntry, snapshotEtcd, snapshotFolder } from '../../store/index.ts';
import { describeWithEtcd, openStore } from '../../store/etcd/testing/describe-with-etcd.ts';
import { copyStore, type CopyOptions, type CopyReport, type StorePlace } from './copy-store.ts';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.acme.dev' },
  spec: {
    group: 'acme.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const DEFAULTS = '/api/v1/namespaces/default';
const HUSH = { password: 'b3BlbiBzZXNhbWU=' };
const OBJECTS: readonly (readonly [string, object])[] = [
  [`${DEFAULTS}/secrets`, { metadata: { name: 'hush' }, data: HUSH }],
  [`${DEFAULTS}/configmaps`, { metadata: { name: 'plain' }, binaryData: { bytes: 'AP8=' }, data: { text: 'grüß' } }],
  [`${DEFAULTS}/services`, { metadata: { name: 'web' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', resources: { limits: { cpu: '100m' } } }] },
        },
      },
    },
  ],
  [
    `${DEFAULTS}/events`,
    {
      metadata: { name: 'short.1' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'x' },
      message: 'short',
    },
  ],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION],
  [
    '/apis/acme.dev/v1/namespaces/default/widgets',
    { apiVersion: 'acme.dev/v1', kind: 'Widget', metadata: { name: 'w' }, count: 7 },
  ],
];

class Places implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<Places> {
    return new Places(await mkdtemp(join(tmpdir(), 'keelson-places-')));
  }

  folder(name: string): StorePlace & { readonly type: 'folder' } {
    return { type: 'folder', path: join(this.#folder, name) };
  }

  file(name: string): StorePlace & { readonly type: 'file' } {
    return { type: 'file', path: join(this.#folder, name) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}

const parts = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };

function copy(from: StorePlace, to: StorePlace, more: Partial<CopyOptions> = {}): Promise<CopyReport> {
  return copyStore({ ...parts, signal: new AbortController().signal, from, to, ...more });
}

/** Everything in a place: keys, values and whether they are to be deleted some time. */
async function contents(place: StorePlace): Promise<Map<string, string>> {
  if (place.type === 'file') throw new Error('not needed here');
  await using snapshot = await (place.type === 'folder'
    ? snapshotFolder(place.path, parts)
    : snapshotEtcd({ ...parts, ...place.etcd }));
  const found: SnapshotEntry[] = [];
  for await (const batch of snapshot.batches) found.push(...batch);
  return new Map(
    found.map(({ entry, deadlineMs }) => [
      entry.key,
      `${deadlineMs > 0} ${Buffer.from(entry.value).toString('latin1')}`,
    ]),
  );
}

function planeIn({ path: folder }: { readonly path: string }, encryption?: string): Promise<TestPlane> {
  return TestPlane.start({
    ...parts,
    storage: {
      type: 'durable',
      folder,
      ...(encryption === undefined ? {} : { encryption: { path: encryption, isReloading: false } }),
    },
  });
}

async function fill(plane: TestPlane): Promise<void> {
  for (const [path, object] of OBJECTS) {
    for (let attempt = 0; ; attempt++) {
      const answer = await plane.admin('POST', path, object).catch(() => undefined); // a path that is not served yet
      if (answer === undefined && attempt < 500) {
        await parts.clock.sleep(10);
        continue;
      }
      expect(answer).toMatchObject({ code: 201 });
      break;
    }
  }
  const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.acme.dev';
  for (let attempt = 0; attempt < 500; attempt++) {
    const { body } = await plane.admin('GET', definition);
    const { conditions = [] } = body['status'] as { conditions?: { type: string; status: string }[] };
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    await parts.clock.sleep(10); // its last status comes soon after its first object
  }
}

/** The objects that `fill` has made, as clients see them, but for their resourceVersions. */
async function shown(plane: TestPlane): Promise<unknown> {
  const answers = await Promise.all(
    OBJECTS.map(([path, object]) =>
      plane.admin('GET', `${path}/${(object as { metadata: { name: string } }).metadata.name}`),
    ),
  );
  return answers.map(({ code, body }) => {
    const { resourceVersion, ...metadata } = body['metadata'] as Record<string, unknown>;
    expect([code, typeof resourceVersion]).toEqual([200, 'string']);
    return { ...body, metadata };
  });
}

describeWithEtcd('a cluster that is moved', (etcd) => {
  let corners = 0;
  const inEtcd = (): StorePlace & { readonly type: 'etcd' } => ({
    type: 'etcd',
    etcd: { endpoints: [etcd().endpoint], prefix: `/corner-${++corners}` },
  });
  const planeOn = (place: StorePlace & { readonly type: 'etcd' }): Promise<TestPlane> =>
    TestPlane.start({ ...parts, storage: { type: 'etcd', etcd: place.etcd } });

  test('from the embedded store to etcd and back has the same objects, in the form that each store has them', async () => {
    await using places = await Places.make();
    const [folder, back, place] = [places.folder('first'), places.folder('back'), inEtcd()];
    let before: unknown;
    {
      await using plane = await planeIn(folder);
      await fill(plane);
      before = await shown(plane);
    }
    const there = await contents(folder);

    expect(await copy(folder, place)).toMatchObject({ objects: there.size, written: there.size, isFinal: true });

    const values = await contents(place);
    expect([...values.keys()]).toEqual([...there.keys()]);
    expect(values.get('/registry/configmaps/default/plain')).toMatch(/^false k8s\0/);
    expect(values.get('/registry/acme.dev/widgets/default/w')).toContain('"count":7');
    expect(values.get('/registry/events/default/short.1')).toMatch(/^true k8s\0/);
    expect(await copy(place, back)).toMatchObject({ objects: there.size, isFinal: true });
    expect(await contents(back)).toEqual(there);
    await using moved = await planeOn(place);
    await using returned = await planeIn(back);
    expect(await shown(moved)).toEqual(before);
    expect(await shown(returned)).toEqual(before);
  });

  test('is read by a server on etcd as it was before, and clients with old revisions get an error', async () => {
    await using places = await Places.make();
    const [folder, place] = [places.folder('first'), inEtcd()];
    let old = '';
    {
      await using plane = await planeIn(folder);
      await fill(plane);
      const { body } = await plane.admin('GET', `${DEFAULTS}/configmaps/plain`);
      old = String((body['metadata'] as Record<string, unknown>)['resourceVersion']);
    }
    await copy(folder, place);
    await using plane = await planeOn(place);
    const { configmaps } = plane.plane.client({ user: 'kubernetes-admin', groups: ['system:masters'] }).core.v1;
    const watching = configmaps.watch({ resourceVersion: old })[Symbol.asyncIterator]().next();
    await expect(watching).rejects.toMatchObject({ code: 410, reason: 'Expired' });
    const stale = { metadata: { name: 'plain', resourceVersion: old }, data: { text: 'late' } };
    expect(await plane.admin('PUT', `${DEFAULTS}/configmaps/plain`, stale)).toMatchObject({ code: 409 });
  });

  test('with encrypted values: they are decrypted and encrypted again, if the keys are given', async () => {
    await using places = await Places.make();
    await using planes = await EncryptedPlanes.open();
    await planes.configure([{ aesgcm: { keys: [key('one', 1)] } }, { identity: {} }], ['secrets', 'widgets.acme.dev']);
    const [folder, place] = [places.folder('first'), inEtcd()];
    {
      await using plane = await planeIn(folder, planes.path);
      await fill(plane);
    }

    await expect(copy(folder, place)).rejects.toThrow(/is encrypted, .* --encryption-provider-config names the keys/);
    await copy(folder, place, { encryptionConfig: planes.path });

    expect((await contents(place)).get('/registry/secrets/default/hush')).toMatch(/^false k8s:enc:aesgcm:v1:one:/);
    await using plane = await TestPlane.start({
      ...parts,
      storage: { type: 'etcd', etcd: place.etcd, encryption: { path: planes.path, isReloading: false } },
    });
    expect(await plane.admin('GET', `${DEFAULTS}/secrets/hush`)).toMatchObject({ code: 200, body: { data: HUSH } });
    expect(await plane.admin('GET', '/apis/acme.dev/v1/namespaces/default/widgets/w')).toMatchObject({
      body: { count: 7 },
    });
  });

  test('and goes on with it writes only what has changed, also where it is in cipher', async () => {
    await using places = await Places.make();
    await using planes = await EncryptedPlanes.open();
    await planes.configure([{ aescbc: { keys: [key('one', 1)] } }], ['secrets']);
    const [folder, place] = [places.folder('first'), inEtcd()];
    await using plane = await planeIn(folder, planes.path);
    await fill(plane);

    const first = await copy(folder, place, { encryptionConfig: planes.path });
    expect(await plane.admin('DELETE', `${DEFAULTS}/configmaps/plain`)).toMatchObject({ code: 200 });
    await plane[Symbol.asyncDispose]();
    const second = await copy(folder, place, { encryptionConfig: planes.path });

    expect(first).toMatchObject({ isFinal: false, isOfClosedStore: false });
    expect(second).toMatchObject({ isFinal: true, objects: first.objects - 1, written: 1 }); // the event, whose lease is renewed
    await using store = openStore(etcd(), { prefix: place.etcd.prefix ?? '' });
    expect((await store.range(prefixRange('/registry/configmaps/default/'))).count).toBe(0);
  });

  test('by way of a snapshot, which holds what is in cipher as it is', async () => {
    await using places = await Places.make();
    await using planes = await EncryptedPlanes.open();
    await planes.configure([{ secretbox: { keys: [key('one', 1)] } }]);
    const [folder, file, restored, place] = [places.folder('a'), places.file('b'), places.folder('c'), inEtcd()];
    {
      await using plane = await planeIn(folder, planes.path);
      await fill(plane);
      expect(await copy(folder, file)).toMatchObject({ isFinal: false });
    }
    expect(await copy(file, restored)).toMatchObject({ isFinal: true });
    expect((await contents(restored)).get('/registry/secrets/default/hush')).toMatch(
      /^false k8s:enc:secretbox:v1:one:/,
    );
    await copy(file, place, { encryptionConfig: planes.path });
    await expect(copy(file, restored)).rejects.toThrow('there is a store already');
    await using plane = await planeIn(restored, planes.path);
    expect(await plane.admin('GET', `${DEFAULTS}/secrets/hush`)).toMatchObject({ code: 200 });
  });
});

test('a value that cannot be decrypted is kept in a snapshot and restored as it is', async () => {
  await using places = await Places.make();
  const [folder, file, restored] = [places.folder('a'), places.file('b'), places.folder('c')];
  const cipher = 'k8s:enc:aesgcm:v1:gone:x';
  {
    await using plane = await planeIn(folder);
    const put = { type: 'put', key: '/registry/secrets/default/x', value: Buffer.from(cipher) } as const;
    await plane.plane.server.objects.store.commit({ conditions: [], operations: [put] });
  }
  await copy(folder, file);
  await copy(file, restored);
  expect((await contents(restored)).get('/registry/secrets/default/x')).toBe(`false ${cipher}`);
});
