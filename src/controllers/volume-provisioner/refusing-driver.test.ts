import { expect, test } from 'vitest';
import { startWith, eventsIn } from '../testing/controller-cluster.ts';
import { persistentVolumeBinder } from '../persistent-volumes/persistent-volume-binder.ts';
import { type VolumeDriver, VolumeDriverError } from './volume-driver.ts';
import { volumeProvisioner } from './volume-provisioner.ts';

const NAME = 'csi.example.com';

/** A driver that refuses the first calls of each kind, and records all calls. */
function reluctantDriver(refusals: number): VolumeDriver & { readonly calls: string[] } {
  const calls: string[] = [];
  const refuse = (call: string, verb: string): void => {
    calls.push(call);
    if (calls.filter((each) => each.startsWith(verb)).length <= refusals)
      throw new VolumeDriverError('Unavailable', `not ${verb}d yet`);
  };
  return {
    name: NAME,
    calls,
    async createVolume({ capacityRange, volumeCapabilities, parameters }) {
      refuse(`create ${JSON.stringify({ capacityRange, volumeCapabilities, parameters })}`, 'create');
      return { volumeId: 'a', capacityBytes: 2 * capacityRange.requiredBytes, volumeContext: { disk: 'sda' } };
    },
    async deleteVolume({ volumeId }) {
      refuse(`delete ${volumeId}`, 'delete');
    },
  };
}

test('a refused call is retried after a second, two seconds, and so on', async () => {
  const driver = reluctantDriver(2);
  await using cluster = await startWith(persistentVolumeBinder(), ...volumeProvisioner(driver));
  const { client, clock } = cluster;
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  const parameters = { type: 'fast', 'csi.storage.k8s.io/fstype': 'xfs' };
  await client.storage.v1.storageclasses.create({ metadata: { name: 'fast' }, provisioner: NAME, parameters });
  await claims.create({
    metadata: { name: 'data' },
    spec: {
      storageClassName: 'fast',
      accessModes: ['ReadWriteOncePod'],
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await cluster.settle();
  expect(driver.calls).toEqual([
    'create {"capacityRange":{"requiredBytes":1073741824},' +
      '"volumeCapabilities":[{"accessType":"mount","fsType":"xfs","accessModes":["ReadWriteOncePod"]}],"parameters":{"type":"fast"}}',
  ]);
  await clock.advance('1s');
  await cluster.settle();
  expect(driver.calls).toHaveLength(2);
  await clock.advance('1s');
  await cluster.settle();
  expect(driver.calls).toHaveLength(2);
  await clock.advance('1s');
  await cluster.settle();
  expect(driver.calls).toHaveLength(3);
  expect((await claims.get('data')).status).toMatchObject({ phase: 'Bound', capacity: { storage: '2Gi' } });
  const volumes = client.core.v1.persistentvolumes;
  const [volume] = (await volumes.list()).items;
  expect(volume?.spec?.csi).toEqual({
    driver: NAME,
    volumeHandle: 'a',
    fsType: 'xfs',
    volumeAttributes: { disk: 'sda' },
  });

  await claims.delete('data');
  await cluster.settle();
  expect(driver.calls.slice(3)).toEqual(['delete a']);
  const name = volume?.metadata.name ?? '';
  expect(await eventsIn(client)).toContain(
    `${NAME} about PersistentVolume ${name}: Warning VolumeFailedDelete: rpc error: code = Unavailable desc = not deleted yet`,
  );
  await clock.advance('5s');
  await cluster.settle();
  expect(driver.calls.slice(3)).toEqual(['delete a', 'delete a', 'delete a']);
  expect((await volumes.list()).items).toEqual([]);
});
