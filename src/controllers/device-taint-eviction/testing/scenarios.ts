import type { DeviceTaint, DeviceToleration } from '../../../api/types/resource/v1.d.ts';
import { DeviceTaintRule, mergePatch, Pod, ResourceClaim, ResourceSlice } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const DRIVER = 'gpu.example.com';
const broken = { key: 'example.com/broken', value: 'yes', effect: 'NoExecute' as const };
const gone = (tolerationSeconds?: number): DeviceToleration => ({
  key: broken.key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

/** A pool of two devices, with taints on the first. */
async function publish(world: ScenarioWorld, taints: DeviceTaint[] = []): Promise<void> {
  const pool = { name: world.namespace, generation: 1, resourceSliceCount: 1 };
  const devices = [{ name: 'gpu-0', ...(taints.length === 0 ? {} : { taints }) }, { name: 'gpu-1' }];
  await world.create(ResourceSlice, {
    metadata: { name: world.namespace },
    spec: { driver: DRIVER, pool, nodeName: 'n1', devices },
  });
}

async function setTaints(world: ScenarioWorld, taints: DeviceTaint[] | null): Promise<void> {
  const devices = [{ name: 'gpu-0', ...(taints === null ? {} : { taints }) }, { name: 'gpu-1' }];
  await world.change(ResourceSlice, world.namespace, { spec: { devices } });
}

interface UseOptions {
  readonly device?: string;
  readonly tolerations?: DeviceToleration[];
  /** The pod has no node, or is missing from the claim's reservedFor. */
  readonly isUnassigned?: boolean;
  readonly isUnreserved?: boolean;
}

/** A pod that uses a device through a claim of the same name. A finalizer keeps deleted pods visible. */
async function use(world: ScenarioWorld, name: string, options: UseOptions = {}): Promise<void> {
  const { device = 'gpu-0', tolerations, isUnassigned = false, isUnreserved = false } = options;
  const exactly = { deviceClassName: 'gpu', ...(tolerations === undefined ? {} : { tolerations }) };
  const claims = world.of(ResourceClaim);
  await claims.create({ metadata: { name }, spec: { devices: { requests: [{ name: 'gpu', exactly }] } } });
  const { metadata } = await world.pods.create({
    metadata: { name, finalizers: ['example.com/hold'] },
    spec: {
      ...(isUnassigned ? {} : { nodeName: 'n1' }),
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
    },
  });
  const result = { request: 'gpu', driver: DRIVER, pool: world.namespace, device, tolerations };
  const reservedFor = isUnreserved ? undefined : [{ resource: 'pods', name, uid: metadata.uid }];
  await claims.status.patch(
    name,
    mergePatch({ status: { allocation: { devices: { results: [result] } }, reservedFor } }),
  );
  await world.quiet();
}

async function addRule(world: ScenarioWorld, effect: DeviceTaint['effect'], device?: string): Promise<void> {
  const deviceSelector = { driver: DRIVER, pool: world.namespace, ...(device === undefined ? {} : { device }) };
  await world.create(DeviceTaintRule, {
    metadata: { name: 'rule' },
    spec: { deviceSelector, taint: { key: broken.key, value: 'yes', effect } },
  });
}

/** Scenarios about pods that use tainted devices. */
export const topic: ScenarioTopic = {
  controllers: ['device-taint-eviction-controller'],
  runtimeConfig: ['resource.k8s.io/v1beta2=true'],
  featureGates: 'DRADeviceTaintRules=true',
  seen: [see(Pod), see(DeviceTaintRule)],
  scenarios: {
    'a device that gets a taint': async (world) => {
      await publish(world);
      await use(world, 'web');
      await use(world, 'other', { device: 'gpu-1' });
      await world.look('in use');
      await setTaints(world, [broken]);
      await world.look('gone');
    },

    'a pod that comes to a device with a taint': async (world) => {
      await publish(world, [broken]);
      await use(world, 'web');
      await world.look('gone');
    },

    'taints that only keep others off': async (world) => {
      await publish(world, [
        { ...broken, effect: 'NoSchedule' },
        { ...broken, effect: 'None' },
      ]);
      await use(world, 'web');
      await world.look('stays');
    },

    'a taint that is tolerated': async (world) => {
      await publish(world, [broken]);
      await use(world, 'web', { tolerations: [gone()] });
      await world.look('stays');
    },

    'a toleration of all effects is none': async (world) => {
      await publish(world, [broken]);
      await use(world, 'web', { tolerations: [{ key: broken.key, operator: 'Exists' }] });
      await world.look('gone');
    },

    'a taint that is tolerated for a while': async (world) => {
      await publish(world);
      await use(world, 'web', { tolerations: [gone(6)] });
      await setTaints(world, [broken]);
      await world.look('stays');
      await world.pass(8);
      await world.look('gone');
    },

    'the shortest of several tolerations counts': async (world) => {
      await publish(world);
      await use(world, 'web', { tolerations: [gone(600), gone(1)] });
      await setTaints(world, [broken]);
      await world.pass(3);
      await world.look('gone');
    },

    'a taint that is taken back in time': async (world) => {
      await publish(world);
      await use(world, 'web', { tolerations: [gone(600)] });
      await setTaints(world, [broken]);
      await setTaints(world, null);
      await world.look('stays');
    },

    'a pod without a node, and one that the claim is not for': async (world) => {
      await publish(world, [broken]);
      await use(world, 'waiting', { isUnassigned: true });
      await use(world, 'unreserved', { isUnreserved: true });
      await world.look('stay');
    },

    'a claim that gives the device back in time': async (world) => {
      await publish(world);
      await use(world, 'web', { tolerations: [gone(600)] });
      await setTaints(world, [broken]);
      await world.changeStatus(ResourceClaim, 'web', { reservedFor: null });
      await world.look('stays');
    },

    'a rule that makes pods go': async (world) => {
      await publish(world);
      await use(world, 'web');
      await use(world, 'other', { device: 'gpu-1' });
      await addRule(world, 'NoExecute', 'gpu-0');
      await world.look('gone');
      await world.pass(24);
      await world.look('told');
    },

    'a rule that nothing is selected by': async (world) => {
      await publish(world);
      await use(world, 'web');
      await addRule(world, 'NoExecute', 'gpu-7');
      await world.look('told');
    },

    'a rule that only tells what would happen': async (world) => {
      await publish(world);
      await use(world, 'web');
      await use(world, 'other', { device: 'gpu-1' });
      await addRule(world, 'None');
      await world.look('told');
    },

    'a rule that keeps others off': async (world) => {
      await publish(world);
      await use(world, 'web');
      await addRule(world, 'NoSchedule');
      await world.look('told');
    },

    'a rule whose pods have time left': async (world) => {
      await publish(world);
      await use(world, 'web', { tolerations: [gone(600)] });
      await use(world, 'other', { device: 'gpu-1', tolerations: [gone(600)] });
      await addRule(world, 'NoExecute');
      await world.pass(12);
      await world.look('told');
      await world.of(DeviceTaintRule).delete('rule');
      await world.look('spared');
    },
  },
};
