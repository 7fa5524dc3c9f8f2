// A driver of the kit behind a real socket, and the controllers that work for it in a cluster in this process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { mergePatch, type PersistentVolumeClaim, VolumeAttachment } from '../../client/index.ts';
import type { VolumeDriver } from '../../controllers/volume-provisioner/index.ts';
import {
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../../controllers/volume-provisioner/index.ts';
import {
  installSnapshotKinds,
  snapshotController,
  volumeSnapshotter,
} from '../../controllers/volume-snapshotter/index.ts';
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
}

/** A cluster without nodes, and a driver that keeps a record of its calls. */
async function startShelf({ controller, definition, settings = {}, hasSnapshots }: ShelfOptions = {}): Promise<Shelf> {
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
  const connection = new DriverConnection({ address: `${folder}/csi.sock`, clock, random, log });
  onTestFinished(() => connection[Symbol.asyncDispose]());
  const driver = await connection.driver(new AbortController().signal);
  if (driver === undefined) throw new Error('no driver');
  const cluster = await startCluster({ seed: 'csi', nodes: 0, scheduler: false, startAt: '2026-01-01T00:00:00Z' });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  await cluster.run(app('csi-controller', driverParts(driver, settings)));
  if (hasSnapshots === true) {
    await installSnapshotKinds(cluster.client, new AbortController().signal);
    await cluster.settle();
    await cluster.run(app('snapshots', [...snapshotController(), ...volumeSnapshotter(driver, settings)]));
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

const claimsOf = ({ cluster }: Shelf) => cluster.client.core.v1.persistentvolumeclaims.namespace('default');

describe('claims of a driver behind a socket', () => {
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
