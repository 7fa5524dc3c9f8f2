// The same claims, snapshots and copies with the real sidecars and with `keelson csi-controller`, on `keelson up` and a driver of the kit:
// both must end with the same objects, and with nothing left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon, startKeelson } from '../../../peers/index.ts';
import { type Client, connect, mergePatch } from '../../../src/client/index.ts';
import {
  installGroupSnapshotKinds,
  installSnapshotKinds,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../../../src/controllers/volume-sidecars/index.ts';
import { deepEqual } from '../../../src/base/index.ts';
import { eventually } from '../../real-node/eventually.ts';

const DRIVER = 'directory.csi.example.com';
/** The driver that takes snapshots of groups of volumes. */
const GROUP_DRIVER = 'whole.csi.example.com';
const GROUPS = '--feature-gates=CSIVolumeGroupSnapshot=true';
const SIDECARS = ['csi-provisioner', 'csi-resizer', 'csi-snapshotter', 'snapshot-controller'] as const;
type Sidecar = (typeof SIDECARS)[number];
type Programs = (place: {
  readonly folder: string;
  readonly socket: string;
  /** The socket of the driver that takes groups. */
  readonly groups: string;
  readonly kubeconfig: string;
}) => Daemon[];

export { SIDECARS };

/** Runs both, and returns the number of problems. */
export async function compareSidecars(paths: Readonly<Record<Sidecar, string>>, bundle: string): Promise<number> {
  const real = await outcome('the real sidecars', bundle, ({ folder, socket, groups, kubeconfig }) => {
    const started = (name: Sidecar, flags: readonly string[], log: string = name): Daemon =>
      new Daemon(paths[name], [`--kubeconfig=${kubeconfig}`, ...flags, '--v=2'], {
        logPath: join(folder, `${log}.log`),
      });
    const of = (address: string): readonly string[] => [`--csi-address=${address}`, '--timeout=30s'];
    return [
      started('csi-provisioner', [...of(socket), '--default-fstype=ext4', '--extra-create-metadata']),
      started('csi-resizer', of(socket)),
      started('csi-snapshotter', of(socket)),
      started('snapshot-controller', [GROUPS]),
      started('csi-provisioner', of(groups), 'csi-provisioner-groups'),
      started('csi-snapshotter', [...of(groups), GROUPS], 'csi-snapshotter-groups'),
    ];
  });
  const ours = await outcome('keelson csi-controller', bundle, ({ folder, socket, groups, kubeconfig }) => [
    new Daemon(
      process.execPath,
      [
        ...[bundle, 'csi-controller', `--kubeconfig=${kubeconfig}`, '--timeout=30s', GROUPS],
        ...[`--csi-address=${socket},${groups}`, '--default-fstype=ext4', '--extra-create-metadata'],
      ],
      { logPath: join(folder, 'csi-controller.log') },
    ),
  ]);
  if (real === undefined || ours === undefined) return 1;
  let problems = 0;
  for (const [name, expected] of Object.entries(real)) {
    const isSame = deepEqual(ours[name], expected);
    if (!isSame) {
      problems += 1;
      console.log(`     ${name} of the sidecars: ${JSON.stringify(expected)}`);
      console.log(`     ${name} of ours:         ${JSON.stringify(ours[name])}`);
    }
    console.log(`${isSame ? 'ok  ' : 'FAIL'} the same ${name}`);
  }
  return problems;
}

type Objects = Readonly<Record<string, unknown>>;

const LIMIT_MS = 180_000;

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await eventually(
    async () => {
      if (!(await isSo())) throw new Error('it is not so');
    },
    { what, limitMs: LIMIT_MS },
  );
}

/** The objects after all was made, without what differs from run to run; undefined if it went wrong. */
async function outcome(who: string, bundle: string, start: Programs): Promise<Objects | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-sidecars-'));
  const socket = join(folder, 'csi.sock');
  const root = join(import.meta.dirname, '..', '..', '..');
  const groups = join(folder, 'groups.sock');
  const drivers = [
    ['examples/csi-directory/main.ts', join(folder, 'volumes'), socket],
    ['test/interop/csi/whole-driver.ts', join(folder, 'groups'), groups],
  ].map((args) =>
    spawn(process.execPath, ['scripts/run.mjs', ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }),
  );
  let programs: Daemon[] = [];
  try {
    await using server = await startKeelson({ folder: join(folder, 'server'), bundle, flags: ['--nodes=0'] });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
    await installSnapshotKinds(client, new AbortController().signal);
    await installGroupSnapshotKinds(client, new AbortController().signal);
    await until('the drivers serve their sockets', async () => existsSync(socket) && existsSync(groups));
    programs = start({ folder, socket, groups, kubeconfig: server.kubeconfig });
    const found = await life(client, join(folder, 'volumes'));
    console.log(`ok   ${who}: claim bound, expanded, snapshot ready, restored, copied, all deleted`);
    const group = await groupLife(client, join(folder, 'groups'));
    console.log(`ok   ${who}: group of snapshots taken, one of it restored, all deleted`);
    return { ...found, ...group };
  } catch (error) {
    console.log(`FAIL ${who}: ${error instanceof Error ? error.message : String(error)}`);
    for (const program of programs) console.log(program.failure ?? `${program.name} runs`);
    return undefined;
  } finally {
    for (const program of programs) await program.stop();
    for (const driver of drivers) {
      driver.kill();
      if (driver.exitCode === null) await once(driver, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function life(client: Client, volumes: string): Promise<Objects> {
  const { core, storage } = client;
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const snapshots = client.kind(VolumeSnapshot).namespace('default');
  const contents = client.kind(VolumeSnapshotContent);
  await storage.v1.storageclasses.create({
    metadata: { name: 'directory' },
    provisioner: DRIVER,
    allowVolumeExpansion: true,
    mountOptions: ['noatime'],
  });
  await client.kind(VolumeSnapshotClass).create({
    metadata: { name: 'directory', annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } },
    driver: DRIVER,
    deletionPolicy: 'Delete',
  });
  const claim = async (name: string, dataSource?: object): Promise<void> => {
    const resources = { requests: { storage: dataSource === undefined ? '1Gi' : '2Gi' } };
    const source = dataSource === undefined ? {} : { dataSource: dataSource as { kind: string; name: string } };
    await claims.create({
      metadata: { name },
      spec: { storageClassName: 'directory', accessModes: ['ReadWriteOnce'], resources, ...source },
    });
    await until(`claim ${name} is bound`, async () => (await claims.get(name)).status?.phase === 'Bound');
  };
  await claim('data');
  await claims.patch('data', mergePatch({ spec: { resources: { requests: { storage: '2Gi' } } } }));
  await until('the claim is expanded', async () => (await claims.get('data')).status?.capacity?.['storage'] === '2Gi');
  await snapshots.create({ metadata: { name: 'before' }, spec: { source: { persistentVolumeClaimName: 'data' } } });
  await until('the snapshot is ready', async () => (await snapshots.get('before')).status?.readyToUse === true);
  await claim('restored', { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' });
  await claim('copy', { kind: 'PersistentVolumeClaim', name: 'data' });
  await until('the claim is no longer kept for the snapshot', async () => {
    const { finalizers = [] } = (await claims.get('data')).metadata;
    return !finalizers.some((name) => name.startsWith('snapshot'));
  });
  const data = await claims.get('data');
  const volume = await core.v1.persistentvolumes.get(data.spec?.volumeName ?? '');
  const snapshot = await snapshots.get('before');
  const content = await contents.get(snapshot.status?.boundVolumeSnapshotContentName ?? '');
  const seen = {
    'state of a claim': plain(data.status),
    'finalizers of a claim': data.metadata.finalizers?.toSorted(),
    'spec of a volume': plain(volume.spec),
    'annotations of a volume': plain(volume.metadata.annotations),
    'finalizers of a volume': volume.metadata.finalizers?.toSorted(),
    'state of a snapshot': plain(snapshot.status),
    'finalizers of a snapshot': snapshot.metadata.finalizers?.toSorted(),
    'spec of a content': plain(content.spec),
    'state of a content': plain(content.status),
    'finalizers of a content': content.metadata.finalizers?.toSorted(),
    'annotations of a content': plain(content.metadata.annotations),
  };
  await snapshots.delete('before');
  for (const name of ['copy', 'restored', 'data']) await claims.delete(name);
  const left = async (): Promise<number> =>
    (await claims.list()).items.length +
    (await core.v1.persistentvolumes.list()).items.length +
    (await snapshots.list()).items.length +
    (await contents.list()).items.length +
    (await readdir(join(volumes, 'data'))).length;
  await until('nothing is left', async () => (await left()) === 0);
  return seen;
}

/** Snapshots of two claims at once. */
async function groupLife(client: Client, volumes: string): Promise<Objects> {
  const { core, storage } = client;
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const groups = client.kind(VolumeGroupSnapshot).namespace('default');
  const groupContents = client.kind(VolumeGroupSnapshotContent);
  const snapshots = client.kind(VolumeSnapshot).namespace('default');
  const contents = client.kind(VolumeSnapshotContent);
  await storage.v1.storageclasses.create({ metadata: { name: 'whole' }, provisioner: GROUP_DRIVER });
  await client.kind(VolumeGroupSnapshotClass).create({
    metadata: { name: 'whole', annotations: { 'groupsnapshot.storage.kubernetes.io/is-default-class': 'true' } },
    driver: GROUP_DRIVER,
    deletionPolicy: 'Delete',
  });
  const claim = async (name: string, rest: object = {}): Promise<void> => {
    const resources = { requests: { storage: '1Gi' } };
    await claims.create({
      metadata: { name, labels: { app: name.startsWith('db') ? 'db' : 'web' } },
      spec: { storageClassName: 'whole', accessModes: ['ReadWriteOnce'], resources, ...rest },
    });
    await until(`claim ${name} is bound`, async () => (await claims.get(name)).status?.phase === 'Bound');
  };
  for (const name of ['db-data', 'db-logs', 'web']) await claim(name);
  await groups.create({
    metadata: { name: 'nightly' },
    spec: { source: { selector: { matchLabels: { app: 'db' } } } },
  });
  await until('the group is ready', async () => (await groups.get('nightly')).status?.readyToUse === true);
  const members = async (): Promise<Awaited<ReturnType<typeof snapshots.list>>['items']> =>
    (await snapshots.list()).items.toSorted((one, other) =>
      (one.spec.source.persistentVolumeClaimName ?? '') < (other.spec.source.persistentVolumeClaimName ?? '') ? -1 : 1,
    );
  await until('its snapshots are ready', async () => {
    const found = await members();
    return found.length === 2 && found.every(({ status }) => status?.readyToUse === true);
  });
  const [member] = await members();
  const name = member?.metadata.name ?? '';
  await claim('restored', { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name } });
  await until('the snapshot is protected by its group only', async () => {
    const { finalizers = [] } = (await snapshots.get(name)).metadata;
    return finalizers.some((each) => each.endsWith('in-group-protection'));
  });
  const group = await groups.get('nightly');
  const groupContent = await groupContents.get(group.status?.boundVolumeGroupSnapshotContentName ?? '');
  const snapshot = await snapshots.get(name);
  const content = await contents.get(snapshot.status?.boundVolumeSnapshotContentName ?? '');
  const seen = {
    'spec of a group': plain(group.spec),
    'state of a group': plain(group.status),
    'finalizers of a group': group.metadata.finalizers?.toSorted(),
    'spec of the content of a group': plain(groupContent.spec),
    'state of the content of a group': plain(groupContent.status),
    'finalizers of the content of a group': groupContent.metadata.finalizers?.toSorted(),
    'annotations of the content of a group': plain(groupContent.metadata.annotations),
    'spec of a snapshot of a group': plain(snapshot.spec),
    'state of a snapshot of a group': plain(snapshot.status),
    'finalizers of a snapshot of a group': snapshot.metadata.finalizers?.toSorted(),
    'owners of a snapshot of a group': plain(snapshot.metadata.ownerReferences),
    'spec of the content of a snapshot of a group': plain(content.spec),
    'state of the content of a snapshot of a group': plain(content.status),
    'finalizers of the content of a snapshot of a group': content.metadata.finalizers?.toSorted(),
    'annotations of the content of a snapshot of a group': plain(content.metadata.annotations),
  };
  await groups.delete('nightly');
  for (const each of ['restored', 'db-data', 'db-logs', 'web']) await claims.delete(each);
  const left = async (): Promise<number> =>
    (await claims.list()).items.length +
    (await core.v1.persistentvolumes.list()).items.length +
    (await groups.list()).items.length +
    (await groupContents.list()).items.length +
    (await snapshots.list()).items.length +
    (await contents.list()).items.length +
    (await readdir(join(volumes, 'data'))).length;
  await until('nothing of the group is left', async () => (await left()) === 0);
  return seen;
}

/** Without what differs from run to run: uids, versions, times, and names that are made of them. */
function plain(value: unknown): unknown {
  const DIGEST = /\b[0-9a-f]{64}\b/g;
  const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const text = JSON.stringify(value ?? null, (key, item: unknown) => {
    if (key === 'resourceVersion' || key === 'storage.kubernetes.io/csiProvisionerIdentity') return 'any';
    if (key === 'creationTime' || key.toLowerCase().endsWith('handle')) return typeof item;
    if (key === 'volumeHandles' && Array.isArray(item)) return item.map((each) => typeof each);
    return typeof item === 'bigint' ? 'bigint' : item;
  });
  return JSON.parse(text.replaceAll(UID, 'uid').replaceAll(DIGEST, 'digest'));
}
