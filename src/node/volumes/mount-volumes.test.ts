import { expect, test } from 'vitest';
import type { OpenNodeBackend, VolumePlugin } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

/** A machine with one plugin, which mounts emptyDir volumes unless they are named in `failing`. */
class TestedPlugin implements VolumePlugin {
  readonly name = 'example.com/tested';
  readonly refreshEveryMs = undefined;
  readonly failing = new Set<string>();
  readonly mounts: string[] = [];
  readonly parts: string[] = [];
  readonly #memory = new MemoryMachine();

  readonly open: OpenNodeBackend = async (node, context) => ({
    ...(await this.#memory.open(node, context)),
    volumes: [this],
  });

  supports: VolumePlugin['supports'] = ({ volume }) => volume.emptyDir !== undefined;
  mount: VolumePlugin['mount'] = async ({ volume: { name } }) => {
    this.mounts.push(name);
    if (this.failing.has(name)) throw new Error(`${name} is broken`);
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

test('every volume is tried, those that fail less and less often, and the pod waits meanwhile', async () => {
  const plugin = new TestedPlugin();
  plugin.failing.add('b');
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  const volumes = ['a', 'b', 'c'].map(emptyDir);
  await cluster.run({ metadata: { name: 'web' }, spec: { volumes, containers: [{ name: 'web', image: 'web' }] } });
  expect(plugin.mounts).toEqual(['a', 'b', 'c']);
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
    spec: { volumes: [{ name: 'disk', iscsi }], containers: [{ name: 'web', image: 'web' }] },
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
