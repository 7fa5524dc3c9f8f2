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
  installSnapshotKinds,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../../../src/controllers/volume-sidecars/index.ts';
import { deepEqual } from '../../../src/base/index.ts';
import { eventually } from '../../real-node/eventually.ts';

const DRIVER = 'directory.csi.example.com';
const SIDECARS = ['csi-provisioner', 'csi-resizer', 'csi-snapshotter', 'snapshot-controller'] as const;
type Sidecar = (typeof SIDECARS)[number];
type Programs = (place: { readonly folder: string; readonly socket: string; readonly kubeconfig: string }) => Daemon[];

export { SIDECARS };

/** Runs both, and returns the number of problems. */
export async function compareSidecars(paths: Readonly<Record<Sidecar, string>>, bundle: string): Promise<number> {
  const real = await outcome('the real sidecars', bundle, ({ folder, socket, kubeconfig }) =>
    SIDECARS.map((name) => {
      const driver = name === 'snapshot-controller' ? [] : [`--csi-address=${socket}`, '--timeout=30s'];
      const extra = name === 'csi-provisioner' ? ['--default-fstype=ext4', '--extra-create-metadata'] : [];
      const args = [`--kubeconfig=${kubeconfig}`, ...driver, ...extra, '--v=2'];
      return new Daemon(paths[name], args, { logPath: join(folder, `${name}.log`) });
    }),
  );
  const ours = await outcome('keelson csi-controller', bundle, ({ folder, socket, kubeconfig }) => [
    new Daemon(
      process.execPath,
      [
        ...[bundle, 'csi-controller', `--kubeconfig=${kubeconfig}`, `--csi-address=${socket}`, '--timeout=30s'],
        ...['--default-fstype=ext4', '--extra-create-metadata'],
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
  const driver = spawn(
    process.execPath,
    ['scripts/run.mjs', 'examples/csi-directory/main.ts', join(folder, 'volumes'), socket],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  let programs: Daemon[] = [];
  try {
    await using server = await startKeelson({ folder: join(folder, 'server'), bundle, flags: ['--nodes=0'] });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
    await installSnapshotKinds(client, new AbortController().signal);
    await until('the driver serves its socket', async () => existsSync(socket));
    programs = start({ folder, socket, kubeconfig: server.kubeconfig });
    const found = await life(client, join(folder, 'volumes'));
    console.log(`ok   ${who}: claim bound, expanded, snapshot ready, restored, copied, all deleted`);
    return found;
  } catch (error) {
    console.log(`FAIL ${who}: ${error instanceof Error ? error.message : String(error)}`);
    for (const program of programs) console.log(program.failure ?? `${program.name} runs`);
    return undefined;
  } finally {
    for (const program of programs) await program.stop();
    driver.kill();
    if (driver.exitCode === null) await once(driver, 'exit');
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

/** Without what differs from run to run: uids, versions, times, and names that are made of them. */
function plain(value: unknown): unknown {
  const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const text = JSON.stringify(value ?? null, (key, item: unknown) => {
    if (key === 'resourceVersion' || key === 'storage.kubernetes.io/csiProvisionerIdentity') return 'any';
    if (key === 'creationTime' || key === 'volumeHandle' || key === 'snapshotHandle') return typeof item;
    return typeof item === 'bigint' ? 'bigint' : item;
  });
  return JSON.parse(text.replaceAll(UID, 'uid'));
}
