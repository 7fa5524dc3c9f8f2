import { expect, test } from 'vitest';
import { mergePatch, type ResourceClaim } from '../client/index.ts';
import type { Device, ResourceClaimSpec } from '../api/types/resource/v1.d.ts';
import { settle } from '../base/index.ts';
import { SchedulerRun } from './testing/scheduler-run.ts';

const DRIVER = 'gpu.example.com';

async function addClass(run: SchedulerRun, name = 'gpu', expression = `device.driver == "${DRIVER}"`): Promise<void> {
  await run.client.resource.v1.deviceclasses.create({
    metadata: { name },
    spec: { selectors: [{ cel: { expression } }] },
  });
}

async function addSlice(run: SchedulerRun, nodeName: string, devices: Device[]): Promise<void> {
  const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
  await run.client.resource.v1.resourceslices.create({
    metadata: { name: `${nodeName}-slice` },
    spec: { driver: DRIVER, pool, nodeName, devices },
  });
}

async function addClaim(run: SchedulerRun, name: string, spec?: ResourceClaimSpec): Promise<void> {
  const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] };
  await run.client.resource.v1.resourceclaims
    .namespace('default')
    .create({ metadata: { name }, spec: spec ?? { devices } });
  await settle();
}

async function claimOf(run: SchedulerRun, name: string): Promise<ResourceClaim> {
  return await run.client.resource.v1.resourceclaims.namespace('default').get(name);
}

const using = (name: string): { resourceClaims: { name: string; resourceClaimName: string }[] } => ({
  resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
});

test('a pod gets the device that its claim asks for', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  await run.addNode('n2');
  await addSlice(run, 'n2', [{ name: 'gpu-0' }, { name: 'gpu-1' }]);
  await addClaim(run, 'mine');
  await run.addPod('web', using('mine'));
  await settle();

  expect(await run.nodeOf('web')).toBe('n2');
  const { metadata, status } = await claimOf(run, 'mine');
  expect(metadata?.finalizers).toEqual(['resource.kubernetes.io/delete-protection']);
  expect(status).toMatchObject({
    allocation: {
      devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'n2', device: 'gpu-0' }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
      },
    },
    reservedFor: [{ resource: 'pods', name: 'web' }],
  });
});

test('a pod waits for its claim, and for a device that is free', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  await addSlice(run, 'n1', [{ name: 'gpu-0' }]);
  await run.addPod('one', using('first'));
  expect(await run.scheduled('one')).toBeUndefined();
  await addClaim(run, 'first');
  expect(await run.nodeOf('one')).toBe('n1');

  await addClaim(run, 'second');
  await run.addPod('two', using('second'));
  expect(await run.scheduled('two')).toBe(
    'False Unschedulable 0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );

  const claims = run.client.resource.v1.resourceclaims.namespace('default');
  await claims.status.patch('first', mergePatch({ status: { reservedFor: null, allocation: null } }));
  await settle();
  await run.clock.advance(1000);
  expect(await run.nodeOf('two')).toBe('n1');
});
