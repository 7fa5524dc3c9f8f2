// A driver of the kit behind a real socket, and the controllers that work for it in a cluster in this process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { mergePatch, type PersistentVolumeClaim, VolumeAttachment } from '../../client/index.ts';
import {
  groupSnapshotController,
  installGroupSnapshotKinds,
  installSnapshotKinds,
  snapshotController,
  type VolumeDriver,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  volumeCapacity,
  volumeGroupSnapshotter,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  volumeSnapshotter,
} from '../../controllers/volume-sidecars/index.ts';
import { app } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { CsiError } from '../kit/csi-error.ts';
import type { CsiController, CsiDriverDefinition } from '../kit/driver-definition.ts';
import { memoryRecords } from '../records/records.ts';
import { listenCsi } from '../server/csi-server.ts';
import { type CsiControllerSettings, driverParts } from './csi-controllers.ts';
import { DriverConnection } from './driver-connection.ts';

const NAME = 'shelf.example.com';
const GIB = 1024 ** 3;

interface Shelf {
  readonly cluster: TestCluster;
  readonly driver: VolumeDriver;
  /** What the driver was asked to do, in order. */
  readonly calls: string[];
  readonly records: CsiController['records'];
}

interface ShelfOptions {
  readonly controller?: Partial<CsiController>;
  readonly definition?: Partial<CsiDriverDefinition>;
  readonly settings?: CsiControllerSettings;
  readonly hasSnapshots?: boolean;
  /** Whether there are kinds of groups of snapshots, too. */
  readonly hasGroups?: boolean;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}

/** A cluster without nodes, and a driver that keeps a record of its calls. */
async function startShelf(options: ShelfOptions = {}): Promise<Shelf> {
  const { controller, definition, settings = {}, hasSnapshots, hasGroups, timeoutMs = 15_000 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'csi-controllers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const calls: string[] = [];
  const records = memoryRecords();
  const [clock, random, log] = [new RealClock(), new CryptoRandom(), discardLogger];
  const server = await listenCsi(
    {
      name: NAME,
      version: '1',
      accessModes: ['SINGLE_NODE_WRITER', 'MULTI_NODE_READER_ONLY', 'MULTI_NODE_MULTI_WRITER'],
      types: ['mount', 'block'],
      ...definition,
      controller: {
        records,
        copies: ['snapshot', 'volume'],
        create: async ({ name, capacityBytes, copyOf, parameters, secrets, accessibility }) => {
          calls.push(
            `create ${JSON.stringify({ name, capacityBytes, copyOf: copyOf?.type, parameters, secrets, accessibility })}`,
          );
          return { context: { shelf: 'top' } };
        },
        delete: async ({ name }, { secrets }) => void calls.push(`delete ${JSON.stringify({ name, secrets })}`),
        snapshot: async ({ name }) => void calls.push(`snapshot ${name}`),
        deleteSnapshot: async ({ name }) => void calls.push(`delete snapshot ${name}`),
        ...controller,
      },
    },
    { listen: `unix://${folder}/csi.sock`, clock, random, log },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const connection = new DriverConnection({ address: `${folder}/csi.sock`, clock, random, log, timeoutMs });
  onTestFinished(() => connection[Symbol.asyncDispose]());
  const driver = await connection.driver(new AbortController().signal);
  if (driver === undefined) throw new Error('no driver');
  const cluster = await startCluster({ seed: 'csi', nodes: 0, scheduler: false, startAt: '2026-01-01T00:00:00Z' });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.run(app('csi-controller', driverParts(driver, settings)));
  if (hasSnapshots === true || hasGroups === true) {
    const { signal } = new AbortController();
    await installSnapshotKinds(cluster.client, signal);
    if (hasGroups === true) await installGroupSnapshotKinds(cluster.client, signal);
    await cluster.settle();
    const groups = [...groupSnapshotController(), ...volumeGroupSnapshotter(driver, settings)];
    const parts = [
      ...snapshotController({ hasGroups: hasGroups === true }),
      ...volumeSnapshotter(driver, settings),
      ...(hasGroups === true ? groups : []),
    ];
    await cluster.run(app('snapshots', parts));
  }
  return { cluster, driver, calls, records };
}

async function claim(
  { cluster }: Shelf,
  name: string,
  spec: Partial<NonNullable<PersistentVolumeClaim['spec']>> = {},
): Promise<void> {
  await cluster.client.core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name },
    spec: {
      storageClassName: 'shelf',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  });
  await cluster.settle();
}

async function events({ cluster }: Shelf, about: string): Promise<string[]> {
  const { items } = await cluster.client.core.v1.events.list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === about)
    .map(({ source, type, reason, message }) => `${source?.component}: ${type} ${reason}: ${message}`);
}

const noWork = (): Promise<void> => Promise.resolve();
const claimsOf = ({ cluster }: Shelf) => cluster.client.core.v1.persistentvolumeclaims.namespace('default');

describe('claims of a driver behind a socket', () => {
  test('get volumes of the former in-tree plugin that their class names, which are deleted by the driver', async () => {
    const zone = 'topology.ebs.csi.aws.com/zone';
    const shelf = await startShelf({
      definition: {
        name: 'ebs.csi.aws.com',
        node: { id: 'n', topology: { [zone]: 'us-east-1a' }, publish: noWork, unpublish: noWork },
      },
      controller: {
        create: async ({ parameters, accessibility }) => {
          shelf.calls.push(`create ${JSON.stringify({ parameters, accessibility })}`);
          return { topology: [{ [zone]: 'us-east-1a' }] };
        },
      },
    });
    const { core, storage } = shelf.cluster.client;
    await storage.v1.storageclasses.create({
      metadata: { name: 'shelf' },
      provisioner: 'kubernetes.io/aws-ebs',
      parameters: { fsType: 'ext4', type: 'io1', zones: 'us-east-1a,us-east-1b' },
    });
    await claim(shelf, 'data');
    await expect.poll(async () => (await claimsOf(shelf).get('data')).status?.phase).toBe('Bound');
    const places = ['us-east-1a', 'us-east-1b'].map((name) => ({ [zone]: name }));
    const [made = ''] = shelf.calls;
    expect(JSON.parse(made.replace('create ', ''))).toMatchObject({
      parameters: { type: 'io1' },
      accessibility: { requisite: places },
    });
    const [volume] = (await core.v1.persistentvolumes.list()).items;
    expect(volume).toMatchObject({
      metadata: {
        annotations: {
          'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs',
          'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com',
        },
        labels: { 'topology.kubernetes.io/zone': 'us-east-1a', 'topology.kubernetes.io/region': 'us-east-1' },
      },
      spec: { awsElasticBlockStore: { fsType: 'ext4' }, nodeAffinity: { required: {} } },
    });
    expect(volume?.spec?.csi).toBeUndefined();

    await claimsOf(shelf).delete('data');
    await expect.poll(async () => (await core.v1.persistentvolumes.list()).items.length).toBe(0);
    expect(shelf.calls.filter((call) => call.startsWith('delete'))).toHaveLength(1);
  });

  test('get volumes with all that their class says, and secrets for each call', async () => {
    const shelf = await startShelf({ settings: { extraCreateMetadata: true, identity: 'me' } });
    const { client } = shelf.cluster;
    await client.core.v1.secrets.namespace('default').create({
      metadata: { name: 'data-key' },
      stringData: { token: 'open sesame' },
    });
    await client.storage.v1.storageclasses.create({
      metadata: { name: 'shelf' },
      provisioner: NAME,
      allowVolumeExpansion: true,
      mountOptions: ['noatime'],
      parameters: {
        color: 'red',
        'csi.storage.k8s.io/fstype': 'xfs',
        'csi.storage.k8s.io/provisioner-secret-name': '${pvc.name}-key',
        'csi.storage.k8s.io/provisioner-secret-namespace': '${pvc.namespace}',
        'csi.storage.k8s.io/node-stage-secret-name': 'stage',
        'csi.storage.k8s.io/node-stage-secret-namespace': 'default',
      },
    });
    await claim(shelf, 'data');

    const { metadata, status } = await claimsOf(shelf).get('data');
    const name = `pvc-${metadata.uid}`;
    expect(status?.phase).toBe('Bound');
    expect(shelf.calls).toEqual([
      `create ${JSON.stringify({
        name,
        capacityBytes: GIB,
        parameters: {
          color: 'red',
          'csi.storage.k8s.io/pvc/name': 'data',
          'csi.storage.k8s.io/pvc/namespace': 'default',
          'csi.storage.k8s.io/pv/name': name,
        },
        secrets: { token: 'open sesame' },
      })}`,
    ]);
    const volume = await client.core.v1.persistentvolumes.get(name);
    expect(volume.metadata.annotations).toMatchObject({
      'pv.kubernetes.io/provisioned-by': NAME,
      'volume.kubernetes.io/provisioner-deletion-secret-name': 'data-key',
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'default',
    });
    const [record] = await shelf.records.volumes.list();
    expect(volume.spec).toEqual({
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: expect.objectContaining({ name: 'data', uid: metadata.uid }),
      csi: {
        driver: NAME,
        volumeHandle: record?.id,
        fsType: 'xfs',
        volumeAttributes: { shelf: 'top', 'storage.kubernetes.io/csiProvisionerIdentity': 'me' },
        nodeStageSecretRef: { name: 'stage', namespace: 'default' },
      },
      mountOptions: ['noatime'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'shelf',
      volumeMode: 'Filesystem',
    });

    await claimsOf(shelf).delete('data');
    await shelf.cluster.settle();
    expect(shelf.calls.slice(1)).toEqual([`delete ${JSON.stringify({ name, secrets: { token: 'open sesame' } })}`]);
    expect((await client.core.v1.persistentvolumes.list()).items).toEqual([]);
  });
});

/** A class of the driver; the second argument is what else it says. */
async function shelfClass({ cluster }: Shelf, rest: object = {}): Promise<void> {
  await cluster.client.storage.v1.storageclasses.create({
    metadata: { name: 'shelf' },
    provisioner: NAME,
    allowVolumeExpansion: true,
    ...rest,
  });
}

async function snapshotClass({ cluster }: Shelf, rest: object = {}): Promise<void> {
  await cluster.client.kind(VolumeSnapshotClass).create({
    metadata: { name: 'shelf', annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } },
    driver: NAME,
    deletionPolicy: 'Delete',
    ...rest,
  });
}

test('a creation that was cut off before its volume was written is asked for again, under the same name', async () => {
  const shelf = await startShelf();
  await shelfClass(shelf);
  {
    using _ = shelf.cluster.fault({ type: 'unavailable', program: 'csi-controller', resource: 'persistentvolumes' });
    await claim(shelf, 'data');
    expect((await claimsOf(shelf).get('data')).status?.phase).toBe('Pending');
    expect(await shelf.records.volumes.list()).toHaveLength(1);
  }
  await shelf.cluster.clock.advance('5m');
  await shelf.cluster.settle();
  expect((await claimsOf(shelf).get('data')).status?.phase).toBe('Bound');
  expect(shelf.calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
});

test('a volume that the driver was still making is finished and deleted when its claim is gone', async () => {
  let attempts = 0;
  const shelf = await startShelf({
    controller: {
      create: async () => {
        attempts += 1;
        if (attempts < 3) throw new CsiError('ABORTED', 'still at work');
      },
    },
  });
  await shelfClass(shelf);
  await claim(shelf, 'data');
  expect(attempts).toBe(1);
  expect(await events(shelf, 'data')).toContain(
    `${NAME}: Warning ProvisioningFailed: failed to provision volume with StorageClass "shelf": rpc error: code = Aborted desc = still at work`,
  );
  await claimsOf(shelf).delete('data');
  await shelf.cluster.settle();
  await shelf.cluster.clock.advance('1m');
  await shelf.cluster.settle();

  expect(attempts).toBe(3);
  expect(await shelf.records.volumes.list()).toEqual([]);
  expect((await shelf.cluster.client.core.v1.persistentvolumes.list()).items).toEqual([]);
});

test('a driver that is away delays claims and loses none', async () => {
  let isThere = false;
  const shelf = await startShelf({
    controller: {
      create: async () => {
        if (!isThere) throw new CsiError('UNAVAILABLE', 'the shelf is locked');
      },
    },
  });
  await shelfClass(shelf);
  await claim(shelf, 'data');
  await shelf.cluster.clock.advance('10s');
  expect((await claimsOf(shelf).get('data')).status?.phase).toBe('Pending');
  isThere = true;
  await shelf.cluster.clock.advance('5m');
  await shelf.cluster.settle();
  expect((await claimsOf(shelf).get('data')).status?.phase).toBe('Bound');
});

test('a driver that hangs is given up after a while, and asked again', async () => {
  let attempts = 0;
  const shelf = await startShelf({
    timeoutMs: 1000,
    controller: {
      create: (_, { signal }) => {
        attempts += 1;
        return attempts > 1
          ? Promise.resolve()
          : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
      },
    },
  });
  await shelfClass(shelf);
  await claim(shelf, 'data');
  expect((await events(shelf, 'data')).join('\n')).toMatch(
    /ProvisioningFailed: failed to provision volume with StorageClass "shelf": rpc error: code = DeadlineExceeded/,
  );
  await shelf.cluster.clock.advance('1m');
  await shelf.cluster.settle();
  expect((await claimsOf(shelf).get('data')).status?.phase).toBe('Bound');
});

test('a claim can begin as a copy of another one, which stays until the copy is made', async () => {
  const shelf = await startShelf();
  await shelfClass(shelf);
  await claim(shelf, 'data');
  const dataSource = { kind: 'PersistentVolumeClaim', name: 'data' };
  await claim(shelf, 'small', { dataSource, resources: { requests: { storage: '1Mi' } } });
  await claim(shelf, 'copy', { dataSource });

  expect((await claimsOf(shelf).get('copy')).status?.phase).toBe('Bound');
  expect(shelf.calls.at(-1)).toContain('"copyOf":"volume"');
  expect(await events(shelf, 'small')).toContain(
    `${NAME}: Warning ProvisioningFailed: failed to provision volume with StorageClass "shelf": ` +
      'error getting handle for DataSource Type PersistentVolumeClaim by Name data: error, new PVC request must be ' +
      `greater than or equal in size to the specified PVC data source, requested 1048576 but source is ${GIB}`,
  );
  expect((await claimsOf(shelf).get('data')).metadata.finalizers).toContain(
    'provisioner.storage.kubernetes.io/cloning-protection',
  );
  await claimsOf(shelf).delete('data');
  await shelf.cluster.settle();
  expect((await claimsOf(shelf).get('data')).metadata.deletionTimestamp).toBeDefined(); // "small" still waits
  await claimsOf(shelf).delete('small');
  await shelf.cluster.settle();
  await expect(claimsOf(shelf).get('data')).rejects.toMatchObject({ reason: 'NotFound' });
});

test('a snapshot is taken, restored and deleted', async () => {
  const shelf = await startShelf({ hasSnapshots: true });
  const { client } = shelf.cluster;
  await shelfClass(shelf);
  await snapshotClass(shelf);
  await claim(shelf, 'data');
  const snapshots = client.kind(VolumeSnapshot).namespace('default');
  await snapshots.create({ metadata: { name: 'before' }, spec: { source: { persistentVolumeClaimName: 'data' } } });
  await shelf.cluster.settle();

  const { metadata, spec, status } = await snapshots.get('before');
  const contentName = `snapcontent-${metadata.uid}`;
  expect(spec.volumeSnapshotClassName).toBe('shelf');
  expect(status).toEqual({
    boundVolumeSnapshotContentName: contentName,
    creationTime: expect.any(String),
    readyToUse: true,
    restoreSize: '1Gi',
  });
  expect(metadata.finalizers?.toSorted()).toEqual([
    'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
    'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
  ]);
  const content = await client.kind(VolumeSnapshotContent).get(contentName);
  const [record] = await shelf.records.snapshots.list();
  expect(content.spec).toMatchObject({ driver: NAME, deletionPolicy: 'Delete', sourceVolumeMode: 'Filesystem' });
  expect(content.status).toMatchObject({ snapshotHandle: record?.id, restoreSize: GIB, readyToUse: true });
  expect(content.metadata.annotations ?? {}).not.toHaveProperty(
    'snapshot.storage.kubernetes.io/volumesnapshot-being-created',
  );
  expect(await events(shelf, 'before')).toEqual([
    'snapshot-controller: Normal CreatingSnapshot: Waiting for a snapshot default/before to be created by the CSI driver.',
    'snapshot-controller: Normal SnapshotCreated: Snapshot default/before was successfully created by the CSI driver.',
    'snapshot-controller: Normal SnapshotReady: Snapshot default/before is ready to use.',
  ]);
  expect((await claimsOf(shelf).get('data')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);

  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' };
  await claim(shelf, 'restored', { dataSource });
  expect((await claimsOf(shelf).get('restored')).status?.phase).toBe('Bound');
  expect(shelf.calls.at(-1)).toContain('"copyOf":"snapshot"');

  await snapshots.delete('before');
  await shelf.cluster.settle();
  await shelf.cluster.clock.advance('10s');
  await shelf.cluster.settle();
  expect((await snapshots.list()).items).toEqual([]);
  expect((await client.kind(VolumeSnapshotContent).list()).items).toEqual([]);
  expect(shelf.calls.at(-1)).toBe(`delete snapshot snapshot-${metadata.uid}`);
});

test('a snapshot that the driver refuses says why, and a content with policy Retain outlives its snapshot', async () => {
  let isFull = true;
  const shelf = await startShelf({
    hasSnapshots: true,
    controller: {
      snapshot: async () => {
        if (isFull) throw new CsiError('INTERNAL', 'no film');
      },
    },
  });
  const { client } = shelf.cluster;
  await shelfClass(shelf);
  await snapshotClass(shelf, { deletionPolicy: 'Retain' });
  await claim(shelf, 'data');
  const snapshots = client.kind(VolumeSnapshot).namespace('default');
  await snapshots.create({ metadata: { name: 'before' }, spec: { source: { persistentVolumeClaimName: 'data' } } });
  await shelf.cluster.settle();
  const [volume] = await shelf.records.volumes.list();
  expect((await snapshots.get('before')).status).toMatchObject({
    readyToUse: false,
    error: {
      message: `Failed to create snapshot: failed to take snapshot of the volume ${volume?.id}: "rpc error: code = Internal desc = no film"`,
    },
  });
  isFull = false;
  await shelf.cluster.clock.advance('1m');
  await shelf.cluster.settle();
  const { status } = await snapshots.get('before');
  expect(status?.error).toBeUndefined();
  expect(status?.readyToUse).toBe(true);

  await snapshots.delete('before');
  await shelf.cluster.settle();
  expect((await snapshots.list()).items).toEqual([]);
  const [content] = (await client.kind(VolumeSnapshotContent).list()).items;
  expect(content?.status?.readyToUse).toBe(true);

  const name = 'again';
  const snapshotHandle = content?.status?.snapshotHandle ?? '';
  await client.kind(VolumeSnapshotContent).create({
    metadata: { name: 'kept' },
    spec: {
      driver: NAME,
      deletionPolicy: 'Retain',
      source: { snapshotHandle },
      volumeSnapshotRef: { name, namespace: 'default' },
    },
  });
  await snapshots.create({ metadata: { name }, spec: { source: { volumeSnapshotContentName: 'kept' } } });
  await shelf.cluster.settle();
  expect((await snapshots.get(name)).status).toMatchObject({
    boundVolumeSnapshotContentName: 'kept',
    readyToUse: true,
  });
});

describe('a group of snapshots', () => {
  const DONE = 'groupsnapshot.storage.kubernetes.io';

  /** Two claims of a database and another one, and the default class of groups. */
  async function databases(shelf: Shelf, rest: Partial<VolumeGroupSnapshotClass> = {}): Promise<void> {
    await shelfClass(shelf);
    await shelf.cluster.client.kind(VolumeGroupSnapshotClass).create({
      metadata: { name: 'shelf', annotations: { [`${DONE}/is-default-class`]: 'true' } },
      driver: NAME,
      deletionPolicy: 'Delete',
      ...rest,
    });
    for (const name of ['data', 'logs', 'other']) {
      await claim(shelf, name);
      const labels = { app: name === 'other' ? 'web' : 'db' };
      await claimsOf(shelf).patch(name, mergePatch({ metadata: { labels } }));
    }
    await shelf.cluster.settle();
  }

  async function take(shelf: Shelf, name: string): Promise<void> {
    await shelf.cluster.client
      .kind(VolumeGroupSnapshot)
      .namespace('default')
      .create({ metadata: { name }, spec: { source: { selector: { matchLabels: { app: 'db' } } } } });
    await shelf.cluster.settle();
  }

  async function later(shelf: Shelf): Promise<void> {
    for (let round = 0; round < 6; round++) {
      await shelf.cluster.clock.advance('10s');
      await shelf.cluster.settle();
    }
  }

  test('is taken of all claims that it selects, restored one by one, and deleted as one', async () => {
    const taken: string[][] = [];
    const shelf = await startShelf({
      hasGroups: true,
      settings: { extraCreateMetadata: true },
      controller: { snapshotGroup: async (members) => void taken.push(members.map(({ volume }) => volume.name)) },
    });
    const { client } = shelf.cluster;
    await databases(shelf);
    await take(shelf, 'nightly');

    const groups = client.kind(VolumeGroupSnapshot).namespace('default');
    const { metadata, spec, status } = await groups.get('nightly');
    const contentName = `groupsnapcontent-${metadata.uid}`;
    expect(spec.volumeGroupSnapshotClassName).toBe('shelf');
    expect(status).toEqual({
      boundVolumeGroupSnapshotContentName: contentName,
      creationTime: expect.any(String),
      readyToUse: true,
    });
    const named = async (name: string): Promise<string> => `pvc-${(await claimsOf(shelf).get(name)).metadata.uid}`;
    expect(taken).toEqual([[await named('data'), await named('logs')]]);
    const content = await client.kind(VolumeGroupSnapshotContent).get(contentName);
    const records = await shelf.records.snapshots.list();
    expect(content.status?.volumeSnapshotInfoList?.map(({ snapshotHandle }) => snapshotHandle).toSorted()).toEqual(
      records.map(({ id }) => id),
    );
    const snapshots = client.kind(VolumeSnapshot).namespace('default');
    const members = (await snapshots.list()).items;
    expect(members.map((each) => each.spec.source.persistentVolumeClaimName).toSorted()).toEqual(['data', 'logs']);
    for (const member of members) {
      expect(member.status).toMatchObject({ readyToUse: true, volumeGroupSnapshotName: 'nightly', restoreSize: '1Gi' });
      expect(member.metadata.ownerReferences).toMatchObject([{ kind: 'VolumeGroupSnapshot', name: 'nightly' }]);
    }
    expect((await events(shelf, 'nightly')).map((line) => line.split(':')[1]?.trim())).toEqual([
      'Normal CreatingGroupSnapshot',
      'Normal GroupSnapshotCreated',
      'Normal GroupSnapshotReady',
    ]);

    const [first] = members;
    const name = first?.metadata.name ?? '';
    await claim(shelf, 'restored', {
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name },
    });
    expect((await claimsOf(shelf).get('restored')).status?.phase).toBe('Bound');

    await snapshots.delete(name);
    await later(shelf);
    expect((await snapshots.list()).items).toHaveLength(2);
    expect((await events(shelf, name)).join('\n')).toContain(
      `deletion of the individual volume snapshot default/${name} is not allowed as it belongs to group snapshot default/nightly`,
    );

    await groups.delete('nightly');
    await later(shelf);
    expect((await groups.list()).items).toEqual([]);
    expect((await client.kind(VolumeGroupSnapshotContent).list()).items).toEqual([]);
    expect((await snapshots.list()).items).toEqual([]);
    expect((await client.kind(VolumeSnapshotContent).list()).items).toEqual([]);
    expect(await shelf.records.snapshots.list()).toEqual([]);
    expect(await shelf.records.groups.list()).toEqual([]);
  });

  test('that the driver refuses says why, is taken later, and is kept with the policy Retain', async () => {
    let isFull = true;
    const shelf = await startShelf({
      hasGroups: true,
      controller: {
        snapshotGroup: async () => {
          if (isFull) throw new CsiError('INTERNAL', 'no film');
        },
      },
    });
    const { client } = shelf.cluster;
    await databases(shelf, { deletionPolicy: 'Retain' });
    await take(shelf, 'nightly');
    const groups = client.kind(VolumeGroupSnapshot).namespace('default');
    expect((await groups.get('nightly')).status?.error?.message).toMatch(
      /^Failed to create group snapshot: failed to take group snapshot of the volumes \[.+ .+\]: "rpc error: code = Internal desc = no film"$/,
    );
    isFull = false;
    await later(shelf);
    const { status } = await groups.get('nightly');
    expect([status?.readyToUse, status?.error]).toEqual([true, undefined]);

    await groups.delete('nightly');
    await later(shelf);
    expect((await groups.list()).items).toEqual([]);
    expect((await client.kind(VolumeSnapshot).namespace('default').list()).items).toEqual([]);
    const [kept] = (await client.kind(VolumeGroupSnapshotContent).list()).items;
    expect(await shelf.records.snapshots.list()).toHaveLength(2);

    const volumeGroupSnapshotHandle = kept?.status?.volumeGroupSnapshotHandle ?? '';
    const handles = (kept?.status?.volumeSnapshotInfoList ?? []).map(({ snapshotHandle = '' }) => snapshotHandle);
    await client.kind(VolumeGroupSnapshotContent).create({
      metadata: { name: 'kept' },
      spec: {
        driver: NAME,
        deletionPolicy: 'Retain',
        source: { groupSnapshotHandles: { volumeGroupSnapshotHandle, volumeSnapshotHandles: handles } },
        volumeGroupSnapshotRef: { name: 'again', namespace: 'default' },
      },
    });
    const source = { volumeGroupSnapshotContentName: 'kept' };
    await groups.create({ metadata: { name: 'again' }, spec: { source } });
    await later(shelf);
    expect((await groups.get('again')).status).toMatchObject({
      boundVolumeGroupSnapshotContentName: 'kept',
      readyToUse: true,
    });
  });

  test('of no claims, of unbound ones or of another driver says so', async () => {
    const shelf = await startShelf({ hasGroups: true, controller: { snapshotGroup: async () => undefined } });
    const groups = shelf.cluster.client.kind(VolumeGroupSnapshot).namespace('default');
    await take(shelf, 'none');
    expect((await groups.get('none')).status?.error?.message).toBe(
      'Failed to set default group snapshot class with error label selector app=db for group snapshot not applied to any PVC',
    );
    await shelf.cluster.client
      .kind(VolumeGroupSnapshotClass)
      .create({ metadata: { name: 'odd' }, driver: 'odd.example.com', deletionPolicy: 'Delete' });
    await databases(shelf);
    await groups.create({
      metadata: { name: 'odd' },
      spec: { volumeGroupSnapshotClassName: 'odd', source: { selector: { matchLabels: { app: 'db' } } } },
    });
    await shelf.cluster.settle();
    expect((await groups.get('odd')).status?.error?.message).toContain(
      `Volume CSI driver (${NAME}) mismatch with VolumeGroupSnapshotClass (odd.example.com) default/odd`,
    );
  });
});

test('a claim that asks for more gets it from a driver that needs no node, and waits for the node of one that does', async () => {
  let needsNode = false;
  const shelf = await startShelf({ controller: { expand: async () => ({ needsNode }) } });
  await shelfClass(shelf);
  await claim(shelf, 'data');
  const grow = async (storage: string): Promise<void> => {
    await claimsOf(shelf).patch('data', mergePatch({ spec: { resources: { requests: { storage } } } }));
    await shelf.cluster.settle();
  };
  await grow('2Gi');
  const grown = await claimsOf(shelf).get('data');
  expect(grown.status?.capacity).toEqual({ storage: '2Gi' });
  expect([grown.status?.conditions, grown.status?.allocatedResourceStatuses]).toEqual([undefined, undefined]);
  expect(grown.metadata.annotations).toHaveProperty('volume.kubernetes.io/node-expansion-not-required', 'true');

  needsNode = true;
  await grow('3Gi');
  const { metadata, status } = await claimsOf(shelf).get('data');
  expect(status).toMatchObject({
    capacity: { storage: '2Gi' },
    allocatedResources: { storage: '3Gi' },
    allocatedResourceStatuses: { storage: 'NodeResizePending' },
  });
  expect(status?.conditions?.map(({ type }) => type)).toEqual(['Resizing', 'FileSystemResizePending']);
  expect(metadata.annotations).not.toHaveProperty('volume.kubernetes.io/node-expansion-not-required');
  const volume = await shelf.cluster.client.core.v1.persistentvolumes.get(`pvc-${metadata.uid}`);
  expect(volume.spec?.capacity).toEqual({ storage: '3Gi' });
  expect(volume.metadata.annotations).toHaveProperty('volume.alpha.kubernetes.io/pre-resize-capacity', '2Gi');
});

test('an expansion that cannot be is reported, and a smaller one may follow', async () => {
  const shelf = await startShelf({
    controller: {
      expand: async (_, { capacityBytes }) => {
        if (capacityBytes > 2 * GIB) throw new CsiError('OUT_OF_RANGE', 'the shelf ends here');
      },
    },
  });
  await shelfClass(shelf);
  await claim(shelf, 'data');
  const grow = async (storage: string): Promise<void> => {
    await claimsOf(shelf).patch('data', mergePatch({ spec: { resources: { requests: { storage } } } }));
    await shelf.cluster.settle();
  };
  await grow('9Gi');
  const failed = (await claimsOf(shelf).get('data')).status;
  expect(failed?.allocatedResourceStatuses).toEqual({ storage: 'ControllerResizeInfeasible' });
  expect(failed?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'ControllerResizeError',
      message: 'failed to expand pvc with rpc error: code = OutOfRange desc = the shelf ends here',
    }),
  );
  await grow('2Gi');
  const { status } = await claimsOf(shelf).get('data');
  expect(status?.capacity).toEqual({ storage: '2Gi' });
  expect(status?.conditions).toBeUndefined();
});

test('a volume gets the attributes of its class, and new ones', async () => {
  const modified: object[] = [];
  const shelf = await startShelf({
    controller: { mutable: ['speed'], modify: async (_, { parameters }) => void modified.push(parameters) },
  });
  const { storage } = shelf.cluster.client;
  await shelfClass(shelf);
  for (const [name, speed] of [
    ['slow', '1'],
    ['fast', '9'],
  ] as const)
    await storage.v1.volumeattributesclasses.create({ metadata: { name }, driverName: NAME, parameters: { speed } });
  await claim(shelf, 'data', { volumeAttributesClassName: 'slow' });
  expect(shelf.calls[0]).toContain('"parameters":{"speed":"1"}');
  await claimsOf(shelf).patch('data', mergePatch({ spec: { volumeAttributesClassName: 'fast' } }));
  await shelf.cluster.settle();
  expect(modified).toEqual([{ speed: '9' }]);
  const { status } = await claimsOf(shelf).get('data');
  expect(status?.currentVolumeAttributesClassName).toBe('fast');
  expect(status?.modifyVolumeStatus).toBeUndefined();
});

/** A node with the driver, which an attachment or a claim may name. */
async function node({ cluster }: Shelf, name: string, zone: string): Promise<void> {
  const { core, storage } = cluster.client;
  await core.v1.nodes.create({ metadata: { name, labels: { 'example.com/zone': zone } } });
  await storage.v1.csinodes.create({
    metadata: { name },
    spec: { drivers: [{ name: NAME, nodeID: `id-of-${name}`, topologyKeys: ['example.com/zone'] }] },
  });
}

test('a volume is attached and detached for a VolumeAttachment, and a refusal is shown there', async () => {
  let isOpen = false;
  const shelf = await startShelf({
    controller: {
      attach: async ({ name }, { nodeId, isReadOnly, capability }) => {
        if (!isOpen) throw new CsiError('NOT_FOUND', 'no such room');
        shelf.calls.push(`attach ${JSON.stringify({ name, nodeId, isReadOnly, mode: capability.accessMode })}`);
        return { device: '/dev/shelf' };
      },
      detach: async ({ name }, { nodeId }) => void shelf.calls.push(`detach ${name} ${nodeId}`),
    },
  });
  const { core, storage } = shelf.cluster.client;
  await shelfClass(shelf);
  await node(shelf, 'n1', 'a');
  await claim(shelf, 'data');
  const [volume] = (await core.v1.persistentvolumes.list()).items;
  const name = volume?.metadata.name ?? '';
  await storage.v1.volumeattachments.create({
    metadata: { name: 'va' },
    spec: { attacher: NAME, nodeName: 'n1', source: { persistentVolumeName: name } },
  });
  await shelf.cluster.settle();
  expect((await storage.v1.volumeattachments.get('va')).status).toEqual({
    attached: false,
    attachError: { message: 'rpc error: code = NotFound desc = no such room', time: expect.any(String), errorCode: 5 },
  });
  isOpen = true;
  await shelf.cluster.clock.advance('2s');
  await shelf.cluster.settle();
  const attached = await storage.v1.volumeattachments.get('va');
  expect(attached.status).toEqual({ attached: true, attachmentMetadata: { device: '/dev/shelf' } });
  expect(attached.metadata.finalizers).toEqual(['external-attacher/shelf-example-com']);
  expect(shelf.calls.at(-1)).toBe(
    `attach ${JSON.stringify({ name, nodeId: 'id-of-n1', isReadOnly: false, mode: 'SINGLE_NODE_WRITER' })}`,
  );
  await storage.v1.csinodes.delete('n1'); // the node has gone; its id is remembered
  await storage.v1.volumeattachments.delete('va');
  await shelf.cluster.settle();
  expect((await storage.v1.volumeattachments.list()).items).toEqual([]);
  expect(shelf.calls.at(-1)).toBe(`detach ${name} id-of-n1`);
});

test('volumes of a driver that does not attach are attached as soon as they are asked for', async () => {
  const shelf = await startShelf();
  const volumeattachments = shelf.cluster.client.kind(VolumeAttachment);
  await volumeattachments.create({
    metadata: { name: 'va' },
    spec: { attacher: NAME, nodeName: 'n1', source: { persistentVolumeName: 'any' } },
  });
  await shelf.cluster.settle();
  expect((await volumeattachments.get('va')).status).toEqual({ attached: true });
  await volumeattachments.delete('va');
  expect((await volumeattachments.list()).items).toEqual([]);
});

test('a volume of a former in-tree plugin is attached by the driver that has replaced it', async () => {
  const name = 'pd.csi.storage.gke.io';
  const attached: string[] = [];
  const shelf = await startShelf({
    definition: { name },
    controller: {
      attach: async ({ id }, { nodeId }) => void attached.push(`${id} ${nodeId}`),
      detach: async () => undefined,
    },
  });
  const { core, storage } = shelf.cluster.client;
  const id = 'projects/p/zones/a/disks/disk-1';
  const nodeID = 'projects/p/zones/a/instances/n1';
  await shelf.records.volumes.put({
    ...{ id, name: 'disk-1', state: 'ready', capacityBytes: GIB },
    ...{ parameters: {}, context: {}, attachments: {} },
  });
  await core.v1.persistentvolumes.create({
    metadata: { name: 'old', labels: { 'topology.kubernetes.io/zone': 'a' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      gcePersistentDisk: { pdName: 'disk-1' },
      claimRef: { namespace: 'default', name: 'data' },
    },
  });
  await core.v1.nodes.create({
    metadata: { name: 'n1', annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
  });
  await storage.v1.csinodes.create({
    metadata: { name: 'n1' },
    spec: { drivers: [{ name, nodeID }] },
  });
  await claim(shelf, 'data', { storageClassName: '', volumeName: 'old' });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  await core.v1.pods.namespace('default').create({
    metadata: { name: 'web' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx' }], volumes },
  });
  await shelf.cluster.settle();
  await shelf.cluster.clock.advance('2s');
  await shelf.cluster.settle();
  const [attachment] = (await storage.v1.volumeattachments.list()).items;
  expect(attachment?.spec).toEqual({ attacher: name, nodeName: 'n1', source: { persistentVolumeName: 'old' } });
  expect(attachment?.status).toEqual({ attached: true });
  expect(attached).toEqual([`${id} ${nodeID}`]);
  const { status } = await core.v1.nodes.get('n1');
  const handle = 'projects/UNSPECIFIED/zones/a/disks/disk-1';
  expect(status?.volumesAttached).toEqual([{ name: `kubernetes.io/csi/${name}^${handle}`, devicePath: '' }]);
});

describe('a driver whose volumes have a place', () => {
  const definition: Partial<CsiDriverDefinition> = {
    node: { id: 'n', topology: { 'example.com/zone': 'a' }, publish: nothing, unpublish: nothing },
  };

  test('gets the place of the selected node, and another node is selected when that one is full', async () => {
    const asked: unknown[] = [];
    const shelf = await startShelf({
      definition,
      controller: {
        create: async ({ accessibility }) => {
          asked.push(accessibility?.preferred);
          const [best] = accessibility?.preferred ?? [];
          if (best?.['example.com/zone'] === 'a') throw new CsiError('RESOURCE_EXHAUSTED', 'zone a is full');
          return { topology: best === undefined ? [] : [best] };
        },
      },
    });
    await shelfClass(shelf, { volumeBindingMode: 'WaitForFirstConsumer' });
    await node(shelf, 'n1', 'a');
    await node(shelf, 'n2', 'b');
    await claim(shelf, 'data');
    expect(asked).toEqual([]);
    const select = async (name: string): Promise<void> => {
      const annotations = { 'volume.kubernetes.io/selected-node': name };
      await claimsOf(shelf).patch('data', mergePatch({ metadata: { annotations } }));
      await shelf.cluster.settle();
    };
    await select('n1');
    expect((await claimsOf(shelf).get('data')).metadata.annotations).not.toHaveProperty(
      'volume.kubernetes.io/selected-node',
    );
    await select('n2');
    const [a, b] = [{ 'example.com/zone': 'a' }, { 'example.com/zone': 'b' }];
    expect(asked).toEqual([
      [a, b],
      [b, a],
    ]);
    const [volume] = (await shelf.cluster.client.core.v1.persistentvolumes.list()).items;
    expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'example.com/zone', operator: 'In', values: ['b'] }] },
    ]);
  });

  test('publishes what it has free at each place', async () => {
    const free: Record<string, number> = { a: GIB, b: 2 * GIB };
    const shelf = await startShelf({
      definition,
      settings: { capacity: { namespace: 'kube-system', pollMs: 60_000 } },
      controller: {
        capacity: async ({ topology }) => ({
          availableBytes: free[topology['example.com/zone'] ?? ''] ?? 0,
          maxVolumeBytes: GIB,
        }),
      },
    });
    await shelfClass(shelf, { volumeBindingMode: 'WaitForFirstConsumer' });
    await node(shelf, 'n1', 'a');
    await node(shelf, 'n2', 'b');
    const shown = async (): Promise<unknown> => {
      const { items } = await shelf.cluster.client.storage.v1.csistoragecapacities.namespace('kube-system').list();
      return items
        .map(({ nodeTopology, capacity }) => [nodeTopology?.matchLabels?.['example.com/zone'], capacity])
        .toSorted();
    };
    await shelf.cluster.clock.advance('2s');
    await shelf.cluster.settle();
    expect(await shown()).toEqual([
      ['a', '1Gi'],
      ['b', '2Gi'],
    ]);
    free['a'] = 0;
    await shelf.cluster.client.core.v1.nodes.delete('n2');
    await shelf.cluster.clock.advance('61s');
    await shelf.cluster.settle();
    expect(await shown()).toEqual([['a', '0']]);
  });
});

async function nothing(): Promise<void> {
  // nodes are not part of these tests
}

describe('a process that works for one node', () => {
  const PLACE = 'shelf.example.com/node';

  async function startOn(nodeName: string, free = 100 * GIB): Promise<Shelf> {
    const segments = { [PLACE]: nodeName };
    const shelf = await startShelf({
      definition: {
        node: { id: nodeName, topology: segments, publish: async () => undefined, unpublish: async () => undefined },
      },
      controller: {
        create: async () => ({ topology: [segments] }),
        capacity: async () => ({ availableBytes: free }),
        expand: async () => undefined,
      },
      settings: {
        strictTopology: true,
        node: { nodeName, segments },
      },
    });
    return shelf;
  }

  async function later({ cluster }: Shelf): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await cluster.clock.advance('15s');
      await cluster.settle();
    }
  }

  test('takes claims that bind at once, and those of its node, and no others', async () => {
    const shelf = await startOn('n1');
    await shelfClass(shelf);
    await claim(shelf, 'any');
    await later(shelf);
    const any = await claimsOf(shelf).get('any');
    expect([any.status?.phase, any.metadata.annotations?.['volume.kubernetes.io/selected-node']]).toEqual([
      'Bound',
      'n1',
    ]);
    const volume = await shelf.cluster.client.core.v1.persistentvolumes.get(any.spec?.volumeName ?? '');
    expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: PLACE, operator: 'In', values: ['n1'] }] },
    ]);

    for (const [name, node] of [
      ['mine', 'n1'],
      ['theirs', 'n2'],
    ] as const) {
      await claim(shelf, name, { storageClassName: 'none' });
      const patch = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': node } } };
      await claimsOf(shelf).patch(name, mergePatch(patch));
    }
    await shelf.cluster.client.storage.v1.storageclasses.create({
      metadata: { name: 'none' },
      provisioner: NAME,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await later(shelf);
    const phases = [];
    for (const name of ['mine', 'theirs']) phases.push((await claimsOf(shelf).get(name)).status?.phase);
    expect(phases).toEqual(['Bound', 'Pending']);
  });

  test('leaves a claim to others when its node has no room', async () => {
    const shelf = await startOn('n1', 0);
    await shelfClass(shelf);
    await claim(shelf, 'any');
    await later(shelf);
    const { metadata, status } = await claimsOf(shelf).get('any');
    expect([status?.phase, metadata.annotations?.['volume.kubernetes.io/selected-node']]).toEqual([
      'Pending',
      undefined,
    ]);
  });

  test('deletes no volume of another node, and no object that says what another node has free', async () => {
    const shelf = await startOn('n1');
    const { core, storage } = shelf.cluster.client;
    await shelf.records.volumes.put({
      ...{ id: 'far', name: 'far', state: 'ready', capacityBytes: GIB },
      ...{ parameters: {}, context: {}, attachments: {} },
    });
    await shelfClass(shelf, { volumeBindingMode: 'WaitForFirstConsumer' });
    const labels = {
      'csi.storage.k8s.io/drivername': NAME,
      'csi.storage.k8s.io/managed-by': 'external-provisioner-n2',
    };
    const capacities = storage.v1.csistoragecapacities.namespace('default');
    const theirs = { storageClassName: 'shelf', nodeTopology: { matchLabels: { [PLACE]: 'n2' } }, capacity: '1Gi' };
    await capacities.create({ metadata: { name: 'theirs', labels }, ...theirs });
    const volumeOf = async (name: string, node: string): Promise<void> => {
      await core.v1.persistentvolumes.create({
        metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': NAME } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          persistentVolumeReclaimPolicy: 'Delete',
          csi: { driver: NAME, volumeHandle: name },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: PLACE, operator: 'In', values: [node] }] }] },
          },
          claimRef: { namespace: 'default', name: 'gone', uid: 'gone' },
        },
      });
      await core.v1.persistentvolumes.status.patch(name, mergePatch({ status: { phase: 'Released' } }));
    };
    const node = await core.v1.nodes.create({ metadata: { name: 'n1' } });
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: node.metadata.uid };
    const place = { nodeName: 'n1', segments: { [PLACE]: 'n1' } };
    await shelf.cluster.run(
      app('capacity', volumeCapacity(shelf.driver, { namespace: 'default', owner, node: place })),
    );
    await volumeOf('near', 'n1');
    await volumeOf('far', 'n2');
    await later(shelf);
    expect((await core.v1.persistentvolumes.list()).items.map(({ metadata }) => metadata.name)).toEqual(['far']);
    expect(await shelf.records.volumes.get('far')).toBeDefined();
    const seen = (await capacities.list()).items.map(({ metadata, nodeTopology }) => [
      metadata.labels?.['csi.storage.k8s.io/managed-by'],
      nodeTopology?.matchLabels?.[PLACE],
      metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
    ]);
    expect(seen.toSorted()).toEqual([
      ['external-provisioner-n1', 'n1', ['Node n1']],
      ['external-provisioner-n2', 'n2', undefined],
    ]);
  });
});
