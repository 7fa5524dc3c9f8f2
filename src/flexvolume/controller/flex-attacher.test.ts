import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { builtInControllers } from '../../controllers/index.ts';
import { eventsIn, startWith } from '../../controllers/testing/controller-cluster.ts';
import type { TestCluster } from '../../testing/index.ts';
import { RecordingDriver } from '../testing/recording-driver.ts';
import { flexAttacher } from './flex-attacher.ts';

const NAME = 'example.com/disk';
const UNIQUE = `${NAME}/data`;
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
const OPTIONS = '{"kubernetes.io/fsType":"","kubernetes.io/pvOrVolumeName":"data","kubernetes.io/readwrite":"rw"}';
const DRIVER = `init) echo '{"status": "Success"}' ;;
attach) echo '{"status": "Success", "device": "/dev/a"}' ;;
detach) echo '{"status": "Success"}' ;;`;

let folder: string;
let driver: RecordingDriver;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-flex-'));
  driver = new RecordingDriver(join(folder, 'drivers'), NAME, folder);
});
afterEach(() => rm(folder, { recursive: true }));

test('a volume is attached to the node of its pod, and detached when the node no longer uses it', async () => {
  await driver.install(DRIVER);
  await using cluster = await startAttaching();
  await addNode(cluster);
  await addPod(cluster);
  await expect.poll(() => attached(cluster)).toEqual([{ name: UNIQUE, devicePath: '/dev/a' }]);
  expect(await eventsIn(cluster.client)).toContain(
    'attachdetach-controller about Pod web: Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "data" ',
  );
  await cluster.client.core.v1.nodes.status.patch('n1', mergePatch({ status: { volumesInUse: [UNIQUE] } }));
  await cluster.client.core.v1.pods.namespace('default').delete('web', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect(await driver.calls('detach')).toEqual([]); // the node still has it mounted

  await cluster.client.core.v1.nodes.status.patch('n1', mergePatch({ status: { volumesInUse: null } }));
  await expect.poll(() => driver.calls('detach')).toEqual([['detach', 'data', 'n1']]);
  expect(await attached(cluster)).toEqual([]);
  expect((await driver.calls('attach', 'isattached')).filter(([command]) => command === 'attach')).toEqual([
    ['attach', OPTIONS, 'n1'],
  ]);
});

test('what an earlier run has attached, and no pod uses, is detached', async () => {
  await driver.install(DRIVER);
  await using cluster = await startAttaching();
  const { nodes } = cluster.client.core.v1;
  await nodes.create({
    metadata: { name: 'n1', annotations: MANAGED },
    status: { volumesAttached: [{ name: UNIQUE, devicePath: '/dev/a' }] },
  });
  await expect.poll(() => driver.calls('detach')).toEqual([['detach', 'data', 'n1']]);
  await expect.poll(() => attached(cluster)).toEqual([]);
});

test('a volume whose driver fails is reported on its pod, and detached without having been attached', async () => {
  await driver.install(`init) echo '{"status": "Success"}' ;;
attach) echo '{"status": "Failure", "message": "no such disk"}'; exit 1 ;;
detach) echo '{"status": "Success"}' ;;`);
  await using cluster = await startAttaching();
  await addNode(cluster);
  await addPod(cluster);
  await expect
    .poll(async () => {
      await cluster.settle();
      return eventsIn(cluster.client);
    })
    .toContain(
      'attachdetach-controller about Pod web: Warning FailedAttachVolume: AttachVolume.Attach failed for volume "data" : attach command failed, status: Failure, reason: no such disk',
    );
  await cluster.client.core.v1.pods.namespace('default').delete('web', { gracePeriodSeconds: 0 });
  await expect.poll(() => driver.calls('detach')).toEqual([['detach', 'data', 'n1']]);
});

test('a driver without attach is not called', async () => {
  await driver.install(`init) echo '{"status": "Success", "capabilities": {"attach": false}}' ;;`);
  await using cluster = await startAttaching();
  await addNode(cluster);
  await addPod(cluster);
  await expect.poll(() => driver.calls()).toEqual([['init']]);
  expect(await attached(cluster)).toEqual([]);
});

async function startAttaching(): Promise<TestCluster> {
  const settings = { directAttacher: flexAttacher(join(folder, 'drivers')) };
  const [part] = builtInControllers({ rootCertificate: '', settings }).filter(
    ({ name }) => name === 'persistentvolume-attach-detach',
  );
  if (part === undefined) throw new Error('There is no controller that attaches volumes');
  return await startWith(part);
}

async function addNode(cluster: TestCluster): Promise<void> {
  await cluster.client.core.v1.nodes.create({ metadata: { name: 'n1', annotations: MANAGED } });
  await cluster.settle();
}

async function addPod({ client }: TestCluster): Promise<void> {
  const volumes = [{ name: 'data', flexVolume: { driver: NAME } }];
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx' }], volumes };
  await client.core.v1.pods.namespace('default').create({ metadata: { name: 'web' }, spec });
}

async function attached(cluster: TestCluster): Promise<unknown> {
  await cluster.settle();
  return (await cluster.client.core.v1.nodes.get('n1')).status?.volumesAttached ?? [];
}
