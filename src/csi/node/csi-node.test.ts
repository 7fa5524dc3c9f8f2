import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachmentName } from '../../api/meaning/index.ts';
import { mergePatch } from '../../client/index.ts';
import { CsiError } from '../kit/csi-error.ts';
import type { CsiNode, NodeVolume, PublishDetails } from '../kit/driver-definition.ts';
import { CsiCluster, DRIVER, HANDLE, UNIQUE, until } from './testing/csi-cluster.ts';

interface Seen {
  readonly calls: string[];
  readonly published: { readonly volume: NodeVolume; readonly at: PublishDetails }[];
  readonly staged: { readonly volume: NodeVolume; readonly secrets: Readonly<Record<string, string>> }[];
}

/** A driver that notes its calls. */
function noting(cluster: CsiCluster, members: Partial<CsiNode> = {}): CsiNode & Seen {
  const seen: Seen = { calls: [], published: [], staged: [] };
  const node = cluster.linking(members);
  return {
    ...seen,
    stage: async (volume, { secrets }) => {
      seen.calls.push('stage');
      seen.staged.push({ volume, secrets });
    },
    unstage: async () => void seen.calls.push('unstage'),
    ...node,
    publish: async (volume, at) => {
      seen.calls.push('publish');
      seen.published.push({ volume, at });
      await node.publish(volume, at);
    },
    unpublish: async (...args) => {
      seen.calls.push('unpublish');
      await node.unpublish(...args);
    },
  };
}

describe('a CSI driver on a node', () => {
  test('is registered: CSINode, labels and annotation, and all but the labels go with its socket', async () => {
    await using cluster = await CsiCluster.start();
    const { client } = cluster.nodes;
    const topology = { 'topology.example.com/zone': 'a' };
    {
      await using _driver = await cluster.serve(cluster.linking({ topology }), { maxVolumesPerNode: 7 });
      await cluster.registered();
      const { metadata: node, spec } = await client.storage.v1.csinodes.get('keelson');
      expect(spec.drivers).toEqual([
        { name: DRIVER, nodeID: 'node-1', topologyKeys: Object.keys(topology), allocatable: { count: 7 } },
      ]);
      expect(node.ownerReferences).toMatchObject([{ kind: 'Node', name: 'keelson' }]);
      const { metadata } = await client.core.v1.nodes.get('keelson');
      expect(metadata.labels).toMatchObject(topology);
      expect(metadata.annotations).toMatchObject({ 'csi.volume.kubernetes.io/nodeid': `{"${DRIVER}":"node-1"}` });
    }
    await until(async () => {
      expect((await client.storage.v1.csinodes.get('keelson')).spec.drivers).toBeNull();
      const { metadata } = await client.core.v1.nodes.get('keelson');
      expect(metadata.annotations?.['csi.volume.kubernetes.io/nodeid']).toBeUndefined();
      expect(metadata.labels).toMatchObject(topology);
    });
  });

  test('stages and publishes the volume of a claim, whose files containers write, and undoes both', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster);
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim();
    const volumeMounts = [{ name: 'files', mountPath: '/data' }];
    const command = ['sh', '-c', 'echo kept > /data/file; sleep 1000'];
    const uid = await cluster.pod('web', { containers: [{ name: 'c', image: 'busybox', command, volumeMounts }] });
    await cluster.running('web');

    expect(JSON.parse(await readFile(join(cluster.target(uid), '..', 'vol_data.json'), 'utf8'))).toMatchObject({
      specVolID: 'v',
      volumeHandle: HANDLE,
      driverName: DRIVER,
      nodeName: 'keelson',
      volumeLifecycleMode: 'Persistent',
    });
    await until(async () => expect(await readFile(join(cluster.data(), 'file'), 'utf8')).toBe('kept\n'));
    expect(node.calls).toEqual(['stage', 'publish']);

    await cluster.delete('web');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'unpublish', 'unstage']));
    await until(async () => expect(await readdir(join(cluster.root, 'plugins/kubernetes.io/csi', DRIVER))).toEqual([]));
    expect(await readFile(join(cluster.data(), 'file'), 'utf8')).toBe('kept\n');
  });

  test('stages a volume once for two pods, and unstages it after the second', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster);
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim();
    await cluster.pod('one');
    await cluster.pod('two');
    await cluster.running('one');
    await cluster.running('two');
    await cluster.delete('one');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'publish', 'unpublish']));
    await cluster.delete('two');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'publish', 'unpublish', 'unpublish', 'unstage']));
  });

  test('gets modes, options, secrets, group, names and tokens as they are asked for', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster, { setsVolumeGroup: true });
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    const secrets = cluster.nodes.client.core.v1.secrets.namespace('default');
    await secrets.create({ metadata: { name: 'stage' }, data: { key: btoa('one') } });
    await secrets.create({ metadata: { name: 'publish' }, data: { key: btoa('two') } });
    await cluster.nodes.client.core.v1.serviceaccounts.namespace('default').create({ metadata: { name: 'writer' } });
    await cluster.claim({
      driver: { podInfoOnMount: true, tokenRequests: [{ audience: 'vault' }] },
      volume: { accessModes: ['ReadWriteOncePod'], mountOptions: ['noatime'] },
      csi: {
        fsType: 'ext4',
        volumeAttributes: { pool: 'fast' },
        nodeStageSecretRef: { namespace: 'default', name: 'stage' },
        nodePublishSecretRef: { namespace: 'default', name: 'publish' },
      },
    });
    const volumes = [{ name: 'files', persistentVolumeClaim: { claimName: 'data', readOnly: true } }];
    const uid = await cluster.pod('web', { volumes, serviceAccountName: 'writer', securityContext: { fsGroup: 77 } });
    await cluster.running('web');

    const capability = {
      type: 'mount',
      accessMode: 'SINGLE_NODE_SINGLE_WRITER',
      fsType: 'ext4',
      mountFlags: ['noatime'],
      mountGroup: '77',
    };
    expect(node.staged).toMatchObject([
      { volume: { id: HANDLE, capability, context: { pool: 'fast' } }, secrets: { key: 'one' } },
    ]);
    expect(node.published).toMatchObject([
      {
        volume: {
          capability,
          context: {
            pool: 'fast',
            'csi.storage.k8s.io/pod.name': 'web',
            'csi.storage.k8s.io/pod.namespace': 'default',
            'csi.storage.k8s.io/pod.uid': uid,
            'csi.storage.k8s.io/serviceAccount.name': 'writer',
            'csi.storage.k8s.io/ephemeral': 'false',
          },
        },
        at: { isReadOnly: true, secrets: { key: 'two' } },
      },
    ]);
    const { 'csi.storage.k8s.io/serviceAccount.tokens': tokens = '' } = node.published[0]?.volume.context ?? {};
    expect(JSON.parse(tokens)).toMatchObject({ vault: { token: expect.stringMatching(/^ey/) } });
  });

  test('publishes inline volumes where the driver takes them, and nothing is staged', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster);
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    const { csidrivers } = cluster.nodes.client.storage.v1;
    const volumes = [{ name: 'files', csi: { driver: DRIVER, volumeAttributes: { size: '1' }, readOnly: true } }];
    await cluster.pod('web', { volumes });
    await cluster.event('web', `volume mode "Ephemeral" not supported by driver ${DRIVER} (no CSIDriver object)`);

    await csidrivers.create({
      metadata: { name: DRIVER },
      spec: { podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] },
    });
    await cluster.nodes.advance('3m');
    await cluster.running('web');
    expect(node.calls).toEqual(['publish']);
    expect(node.published).toMatchObject([
      { volume: { id: expect.stringMatching(/^csi-[0-9a-f]{64}$/), context: { size: '1' } } },
    ]);
    await cluster.delete('web');
    await until(() => expect(node.calls).toEqual(['publish', 'unpublish']));
  });

  test('lets go of a volume whose pod went while the driver was away, once the driver is back', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster);
    const driver = await cluster.serve(node);
    await cluster.registered();
    const { core, storage } = cluster.nodes.client;
    const inUse = async (): Promise<unknown> => (await core.v1.nodes.get('keelson')).status?.volumesInUse ?? [];
    await cluster.claim({ driver: { attachRequired: true } });
    const name = attachmentName({ driver: DRIVER, volumeHandle: HANDLE }, 'keelson');
    const source = { persistentVolumeName: 'v' };
    await storage.v1.volumeattachments.create({
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: 'keelson', source },
    });
    await storage.v1.volumeattachments.status.patch(name, mergePatch({ status: { attached: true } }));
    const volumesAttached = [{ name: UNIQUE, devicePath: '' }];
    await core.v1.nodes.status.patch('keelson', mergePatch({ status: { volumesAttached } }));
    await cluster.pod('web');
    await until(async () => {
      await cluster.nodes.advance('30s');
      expect((await cluster.nodes.pods.get('web')).status?.phase).toBe('Running');
    });

    await driver[Symbol.asyncDispose]();
    await until(async () => expect((await storage.v1.csinodes.get('keelson')).spec.drivers ?? []).toEqual([]));
    await cluster.delete('web');
    for (let round = 0; round < 3; round++) await cluster.nodes.advance('30s');
    expect(await inUse()).toEqual([UNIQUE]); // it is still published

    await using _back = await cluster.serve(node);
    await until(async () => {
      await cluster.nodes.advance('1m');
      expect(node.calls.slice(-2)).toEqual(['unpublish', 'unstage']);
      expect(await inUse()).toEqual([]);
    });
  });

  test('removes what a crash has left of the folders of volumes', async () => {
    await using cluster = await CsiCluster.start();
    await cluster.nodes.stopNodes();
    const published = join(cluster.root, 'pods/gone/volumes/kubernetes.io~csi/v');
    const staged = join(cluster.root, 'plugins/kubernetes.io/csi', DRIVER, '0'.repeat(64));
    await mkdir(published, { recursive: true });
    await mkdir(staged, { recursive: true });
    await writeFile(join(staged, 'vol_data.json.new'), '{');

    await cluster.nodes.startNodes();

    await until(async () => {
      expect(await readdir(join(cluster.root, 'pods'))).toEqual([]);
      expect(await readdir(join(cluster.root, 'plugins/kubernetes.io/csi', DRIVER))).toEqual([]);
    });
  });

  test('has the driver mount disks that pods describe by the plugin that it has replaced, also after a restart', async () => {
    const name = 'disk.csi.azure.com';
    const handle = '/subscriptions/s/disks/d';
    const unique = `kubernetes.io/csi/${name}^${handle}`;
    await using cluster = await CsiCluster.start();
    const node = noting(cluster);
    await using _driver = await cluster.serve(node, { name });
    const { core, storage } = cluster.nodes.client;
    await until(async () => {
      const { spec } = await storage.v1.csinodes.get('keelson');
      expect(spec.drivers).toMatchObject([{ name }]);
    });
    const azureDisk = {
      ...{ diskName: 'd', diskURI: handle, fsType: 'ext4' },
      ...{ cachingMode: 'ReadOnly' as const, kind: 'Managed' as const },
    };
    await cluster.pod('web', { volumes: [{ name: 'files', azureDisk }] });
    await until(async () => {
      await cluster.nodes.advance('5s');
      expect((await core.v1.nodes.get('keelson')).status?.volumesInUse).toEqual([unique]);
    });
    expect(node.calls).toEqual([]); // it is not attached

    await storage.v1.volumeattachments.create({
      metadata: { name: attachmentName({ driver: name, volumeHandle: handle }, 'keelson') },
      spec: { attacher: name, nodeName: 'keelson', source: { persistentVolumeName: 'any' } },
    });
    const attachment = attachmentName({ driver: name, volumeHandle: handle }, 'keelson');
    await storage.v1.volumeattachments.status.patch(attachment, mergePatch({ status: { attached: true } }));
    const volumesAttached = [{ name: unique, devicePath: '' }];
    await core.v1.nodes.status.patch('keelson', mergePatch({ status: { volumesAttached } }));
    await until(async () => {
      await cluster.nodes.advance('30s');
      expect((await cluster.nodes.pods.get('web')).status?.phase).toBe('Running');
    });
    expect(node.calls).toEqual(['stage', 'publish']);
    expect(node.published).toMatchObject([
      { volume: { id: handle, context: { kind: 'Managed', cachingmode: 'ReadOnly', fstype: 'ext4' } } },
    ]);

    await cluster.nodes.stopNodes();
    await cluster.nodes.startNodes();
    await cluster.nodes.pods.delete('web');
    await until(async () => {
      await cluster.nodes.advance('1m');
      expect(node.calls.slice(-2)).toEqual(['unpublish', 'unstage']);
      expect((await core.v1.nodes.get('keelson')).status?.volumesInUse ?? []).toEqual([]);
    });
  });

  test('makes a device for a container of a block volume, by a link', async () => {
    await using cluster = await CsiCluster.start();
    const node = noting(cluster, {
      publish: async (_, { targetPath }) => writeFile(targetPath, 'device'),
    });
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim({ volume: { volumeMode: 'Block' } });
    const volumeDevices = [{ name: 'files', devicePath: '/dev/x' }];
    const uid = await cluster.pod('web', { containers: [{ name: 'c', image: 'busybox', volumeDevices }] });
    await cluster.running('web');

    const devices = join(cluster.root, 'plugins/kubernetes.io/csi/volumeDevices');
    const link = join(cluster.root, 'pods', uid, 'volumeDevices/kubernetes.io~csi/v');
    expect(await readlink(link)).toBe(join(devices, 'publish/v', uid));
    expect(node.published).toMatchObject([
      { volume: { capability: { type: 'block' } }, at: { stagingPath: join(devices, 'staging/v') } },
    ]);
    await cluster.delete('web');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'unpublish', 'unstage']));
    await until(async () => expect(await readdir(devices)).toEqual(['publish', 'staging']));
  });

  test('that is away keeps the pod waiting with an event, and its volume mounted until it is back', async () => {
    await using cluster = await CsiCluster.start();
    await cluster.claim();
    await cluster.pod('web');
    await cluster.event(
      'web',
      `MountVolume.MountDevice failed for volume "v" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ${DRIVER} not found in the list of registered CSI drivers`,
    );
    const node = noting(cluster);
    {
      await using _driver = await cluster.serve(node);
      await cluster.registered();
      await cluster.nodes.advance('3m');
      await cluster.running('web');
    }
    await until(async () => {
      expect((await cluster.nodes.client.storage.v1.csinodes.get('keelson')).spec.drivers).toBeNull();
    });
    await cluster.nodes.pods.delete('web');
    await cluster.nodes.advance('1m');
    expect(node.calls).toEqual(['stage', 'publish']);
    expect((await cluster.nodes.pods.get('web')).metadata.name).toBe('web'); // it stays until its volumes are gone

    await using _again = await cluster.serve(node);
    await cluster.registered();
    await cluster.nodes.advance('3m');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'unpublish', 'unstage']));
    await until(async () => expect((await cluster.nodes.pods.list()).items).toEqual([]));
  });

  test('tells why it refuses, and is called again', async () => {
    await using cluster = await CsiCluster.start();
    let isFull = true;
    const node = noting(cluster, {
      publish: async (_, { targetPath }) => {
        if (isFull) throw new CsiError('INTERNAL', 'the disk is broken');
        await mkdir(targetPath, { recursive: true });
      },
      unpublish: (_, { targetPath }) => rm(targetPath, { recursive: true, force: true }),
    });
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim();
    const uid = await cluster.pod('web');
    await cluster.event(
      'web',
      'MountVolume.SetUp failed for volume "v" : rpc error: code = Internal desc = the disk is broken',
    );
    await expect(stat(join(cluster.target(uid), '..'))).rejects.toMatchObject({ code: 'ENOENT' });
    isFull = false;
    await cluster.nodes.advance('3m');
    await cluster.running('web');
  });

  test('is called for a volume that has to be attached when it is, with what attaching has returned', async () => {
    await using cluster = await CsiCluster.start();
    const { client } = cluster.nodes;
    const node = noting(cluster);
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim({ driver: { attachRequired: true } });
    await cluster.pod('web');
    const volumesAttached = [{ name: UNIQUE, devicePath: '' }];
    await client.core.v1.nodes.status.patch('keelson', mergePatch({ status: { volumesAttached } }));
    await until(async () => expect((await client.core.v1.nodes.get('keelson')).status?.volumesInUse).toEqual([UNIQUE]));
    await cluster.event('web', `MountVolume.WaitForAttach failed for volume "v" : volume ${HANDLE} has GET error`);
    expect(node.calls).toEqual([]);

    const [message] = (await cluster.nodes.events('web')).filter((each) => each.includes('GET error'));
    const name = /for volume attachment (csi-[0-9a-f]+)/.exec(message ?? '')?.[1] ?? '';
    const { volumeattachments } = client.storage.v1;
    await volumeattachments.create({
      metadata: { name },
      spec: { attacher: DRIVER, nodeName: 'keelson', source: { persistentVolumeName: 'v' } },
    });
    const status = { attached: true, attachmentMetadata: { disk: 'sdb' } };
    await volumeattachments.status.patch(name, mergePatch({ status }));
    await cluster.nodes.advance('3m');
    await cluster.running('web');
    expect(node.published).toMatchObject([{ volume: { attachment: { disk: 'sdb' } } }]);

    await cluster.delete('web');
    await until(() => expect(node.calls).toEqual(['stage', 'publish', 'unpublish', 'unstage']));
    await cluster.nodes.settle();
    await until(async () => expect((await client.core.v1.nodes.get('keelson')).status?.volumesInUse).toBeUndefined());
  });

  test('is called again at intervals where it asks for that, and a failure leaves the volume as it was', async () => {
    await using cluster = await CsiCluster.start();
    let isBroken = false;
    const node = noting(cluster);
    await using _driver = await cluster.serve({
      ...node,
      publish: async (...args) => {
        await node.publish(...args);
        if (isBroken) throw new CsiError('INTERNAL', 'no new certificate');
      },
    });
    await cluster.registered();
    await cluster.claim({ driver: { requiresRepublish: true } });
    const uid = await cluster.pod('web');
    await cluster.running('web');
    const before = node.published.length;
    isBroken = true;
    await cluster.nodes.advance('2m');
    await until(() => expect(node.published.length).toBeGreaterThan(before));
    await cluster.event('web', 'no new certificate');
    expect((await stat(cluster.target(uid))).isDirectory()).toBe(true);
  });

  test('keeps a second pod from a volume of mode ReadWriteOncePod, until the first is gone', async () => {
    await using cluster = await CsiCluster.start();
    await using _driver = await cluster.serve(noting(cluster));
    await cluster.registered();
    await cluster.claim({ volume: { accessModes: ['ReadWriteOncePod'] } });
    await cluster.pod('first');
    await cluster.running('first');
    await cluster.pod('second'); // it names its node: no scheduler is asked
    await cluster.event('second', 'volume uses the ReadWriteOncePod access mode and is already in use by another pod');

    await cluster.delete('first');
    await cluster.nodes.advance('5m');

    await cluster.running('second');
  });

  test('that no longer attaches its volumes lets go of those that pods wait for', async () => {
    await using cluster = await CsiCluster.start();
    await using _driver = await cluster.serve(noting(cluster));
    await cluster.registered();
    await cluster.claim({ driver: { attachRequired: true } });
    await cluster.pod('web');
    const { client } = cluster.nodes;
    const inUse = async (): Promise<readonly string[]> =>
      (await client.core.v1.nodes.get('keelson')).status?.volumesInUse ?? [];
    await cluster.nodes.advance('15s');
    await until(async () => expect(await inUse()).toEqual([UNIQUE]));

    await client.storage.v1.csidrivers.delete(DRIVER); // what it requires cannot be changed
    await client.storage.v1.csidrivers.create({ metadata: { name: DRIVER }, spec: { attachRequired: false } });
    await cluster.nodes.advance('30s');

    await cluster.running('web');
    await cluster.nodes.advance('15s');
    await until(async () => expect(await inUse()).toEqual([]));
  });

  test('that refuses to unstage a volume does not keep its pod, and is called again', async () => {
    await using cluster = await CsiCluster.start();
    const calls: string[] = [];
    let isRefused = true;
    const node = noting(cluster, {});
    await using _driver = await cluster.serve({
      ...node,
      unstage: async () => {
        calls.push(isRefused ? 'refused' : 'unstage');
        if (isRefused) throw new CsiError('FAILED_PRECONDITION', 'it is busy');
      },
    });
    await cluster.registered();
    await cluster.claim();
    await cluster.pod('web');
    await cluster.running('web');

    await cluster.delete('web');
    await until(async () => expect(await cluster.nodes.client.core.v1.pods.list()).toMatchObject({ items: [] }));
    await until(() => expect(calls.length).toBeGreaterThan(1));
    isRefused = false;

    await until(() => expect(calls.at(-1)).toBe('unstage'));
    expect(node.calls).toEqual(['stage', 'publish', 'unpublish']);
  });

  test('grows a volume that waits for it before the containers of a new pod start', async () => {
    await using cluster = await CsiCluster.start();
    const calls: string[] = [];
    const node = noting(cluster, {
      expand: async (_, { capacityBytes }) => void calls.push(`expand to ${capacityBytes}`),
    });
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim();
    const { core } = cluster.nodes.client;
    const claims = core.v1.persistentvolumeclaims.namespace('default');
    await core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
    const waiting = { allocatedResourceStatuses: { storage: 'NodeResizePending' } };
    await claims.status.patch('data', mergePatch({ status: waiting }));

    await cluster.pod('web');
    await cluster.running('web'); // no time has passed

    expect(calls).toEqual([`expand to ${2 * 1024 ** 3}`]);
    expect((await claims.get('data')).status?.capacity).toEqual({ storage: '2Gi' });
  });

  test('grows the volume of a claim, and shows sizes that it cannot have', async () => {
    await using cluster = await CsiCluster.start();
    const grown: number[] = [];
    let isHuge = true;
    const node = noting(cluster, {
      expand: async (_, { capacityBytes }) => {
        if (isHuge) throw new CsiError('OUT_OF_RANGE', 'too large');
        grown.push(capacityBytes);
      },
    });
    await using _driver = await cluster.serve(node);
    await cluster.registered();
    await cluster.claim();
    await cluster.pod('web');
    await cluster.running('web');
    const { core } = cluster.nodes.client;
    const claims = core.v1.persistentvolumeclaims.namespace('default');
    const wait = { allocatedResourceStatuses: { storage: 'NodeResizePending' } };
    await core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
    await claims.status.patch('data', mergePatch({ status: wait }));
    await cluster.nodes.advance('11s');
    await until(async () => {
      const { status } = await claims.get('data');
      expect(status?.allocatedResourceStatuses).toEqual({ storage: 'NodeResizeInfeasible' });
      expect(status?.conditions).toMatchObject([
        { type: 'NodeResizeError', message: expect.stringContaining('code = OutOfRange desc = too large') },
      ]);
    });
    isHuge = false;
    await claims.status.patch('data', mergePatch({ status: wait }));
    await cluster.nodes.advance('11s');
    await until(async () => expect((await claims.get('data')).status?.capacity).toEqual({ storage: '2Gi' }));
    expect(grown).toEqual([2 * 1024 ** 3]);
  });
});
