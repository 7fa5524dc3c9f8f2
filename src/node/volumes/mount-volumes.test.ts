import { expect, test } from 'vitest';
import { type OpenNodeBackend, type VolumePlugin, VolumeStepError } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { VolumeNotReady } from './volume-errors.ts';
import { mergePatch } from '../../client/index.ts';
import type { Container } from '../../api/types/core/v1.d.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

/** A machine with one plugin, which mounts emptyDir volumes unless they are named in `failing`. */
class TestedPlugin implements VolumePlugin {
  readonly name = 'example.com/tested';
  readonly refreshEvery = undefined;
  readonly failing = new Set<string>();
  readonly mounts: string[] = [];
  readonly parts: string[] = [];
  /** What is thrown for volumes in `failing`. */
  failure: Error | undefined;
  /** What `mount` was given of devices. */
  readonly devices: (string | undefined)[] = [];
  /** Name of the volumes in the status of the node; undefined when they are not attached. */
  attached: string | undefined;
  readonly #memory = new MemoryMachine();

  readonly open: OpenNodeBackend = async (node, context) => ({
    ...(await this.#memory.open(node, context)),
    volumes: [this],
  });

  supports: VolumePlugin['supports'] = ({ volume }) => volume.emptyDir !== undefined;
  attachedName: VolumePlugin['attachedName'] = async () => this.attached;
  mount: VolumePlugin['mount'] = async ({ volume: { name }, devicePath }) => {
    this.mounts.push(name);
    this.devices.push(devicePath);
    if (this.failing.has(name)) throw this.failure ?? new Error(`${name} is broken`);
    return `/volumes/${name}`;
  };
  unmount: VolumePlugin['unmount'] = async () => undefined;
  mounted: VolumePlugin['mounted'] = async () => [];
  grow: VolumePlugin['grow'] = async () => undefined;
  subPath = async ({
    volume,
    container,
    index,
    path,
    subPath,
  }: Parameters<NonNullable<VolumePlugin['subPath']>>[0]): Promise<string> => {
    this.parts.push(`${volume} ${container} ${index} ${path} ${subPath}`);
    return `/parts/${index}`;
  };
}

const emptyDir = (name: string): { name: string; emptyDir: object } => ({ name, emptyDir: {} });
/** A container that mounts these volumes. */
const mounting = (...names: readonly string[]): Container => ({
  name: 'web',
  image: 'web',
  volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
});

test('every volume is tried, those that fail less and less often, and the pod waits meanwhile', async () => {
  const plugin = new TestedPlugin();
  plugin.failing.add('b');
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  const volumes = ['a', 'b', 'c'].map(emptyDir);
  const containers = [mounting('a', 'b', 'c')];
  await cluster.run({ metadata: { name: 'web' }, spec: { volumes: [...volumes, emptyDir('unused')], containers } });
  expect(plugin.mounts).toEqual(['a', 'b', 'c']); // no container uses the last one
  expect(await cluster.events('web')).toEqual([
    'Warning FailedMount: MountVolume.SetUp failed for volume "b" : b is broken',
  ]);
  const { status } = await cluster.pods.get('web');
  expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating');
  expect(status?.conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('False');

  const tries = (): number => plugin.mounts.filter((name) => name === 'b').length;
  await cluster.advance('500ms');
  expect(tries()).toBe(2);
  await cluster.advance('900ms');
  expect(tries()).toBe(2);
  await cluster.advance('100ms');
  expect(tries()).toBe(3);
  await cluster.advance('125s');
  expect(await cluster.events('web')).toContain(
    'Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[b], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
  );
  plugin.failing.clear();
  await cluster.advance('122s');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
});

test('a kind of volume that no plugin has is refused by name', async () => {
  await using cluster = await NodeCluster.start(nodeAgents({ backend: new TestedPlugin().open }));
  const iscsi = { targetPortal: '192.0.2.1', iqn: 'iqn.2001-04.com.example:disk', lun: 0 };
  await cluster.run({
    metadata: { name: 'web' },
    spec: { volumes: [{ name: 'disk', iscsi }], containers: [mounting('disk')] },
  });
  await cluster.advance('5s');
  const problem =
    'failed to get Plugin from volumeSpec for volume "disk" err=no volume plugin matched: this node does not support iscsi volumes';
  expect(await cluster.events('web')).toEqual([
    `Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process volumes=[disk]: ${problem}`,
  ]);
});

test('a part of a volume is made ready by the plugin', async () => {
  const plugin = new TestedPlugin();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  const volumeMounts = [
    { name: 'a', mountPath: '/whole' },
    { name: 'a', mountPath: '/part', subPath: 'x/y' },
  ];
  await cluster.run({
    metadata: { name: 'web' },
    spec: { volumes: [emptyDir('a')], containers: [{ name: 'web', image: 'web', volumeMounts }] },
  });
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
  expect(plugin.parts).toEqual(['a web 1 /volumes/a x/y']);
});

test('a volume that has to be attached is reported in use, waited for, and mounted with its device', async () => {
  const plugin = new TestedPlugin();
  plugin.attached = 'example.com/disk/a';
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await cluster.run({
    metadata: { name: 'web' },
    spec: { volumes: [emptyDir('a')], containers: [mounting('a')] },
  });
  await cluster.advance('20s');
  expect(plugin.mounts).toEqual([]);
  const { nodes } = cluster.client.core.v1;
  const [node] = (await nodes.list()).items;
  expect(node?.status?.volumesInUse).toEqual(['example.com/disk/a']);

  const volumesAttached = [{ name: 'example.com/disk/a', devicePath: '/dev/a' }];
  await nodes.status.patch(node?.metadata.name ?? '', mergePatch({ status: { volumesAttached } }));
  await cluster.advance('20s');

  expect(plugin.devices[0]).toBe('/dev/a');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
});

test('a plugin says at which step a volume has failed, or that it is not ready', async () => {
  const plugin = new TestedPlugin();
  plugin.failing.add('a');
  plugin.failure = new VolumeStepError('MountVolume.MountDevice', 'no such device');
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await cluster.run({
    metadata: { name: 'web' },
    spec: { volumes: [emptyDir('a')], containers: [mounting('a')] },
  });
  expect(await cluster.events('web')).toEqual([
    'Warning FailedMount: MountVolume.MountDevice failed for volume "a" : no such device',
  ]);
  plugin.failure = new VolumeNotReady('a', 'processing', 'no volume plugin matched');
  await cluster.advance('10s');
  expect((await cluster.events('web')).at(-1)).toContain('failed to process volumes=[a]: no volume plugin matched');
});
