import { expect, test } from 'vitest';
import { mergePatch, type ResourceClaim } from '../client/index.ts';
import type { Device, ResourceClaimSpec } from '../api/types/resource/v1.d.ts';
import { settle } from '../base/index.ts';
import { defaultProfile } from './framework/profile.ts';
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

/** The driver sets a condition on the device of a claim. */
async function setCondition(run: SchedulerRun, name: string, condition: object): Promise<void> {
  const { status } = await claimOf(run, name);
  const { driver, pool, device } = status?.allocation?.devices?.results?.[0] ?? {};
  const full = { reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', ...condition };
  const devices = [{ driver, pool, device, conditions: [full] }];
  await run.client.resource.v1.resourceclaims
    .namespace('default')
    .status.patch(name, mergePatch({ status: { devices } }));
  await settle();
}

const using = (name: string): { resourceClaims: { name: string; resourceClaimName: string }[] } => ({
  resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
});

test('a pod gets the device that its claim requests', async () => {
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

test('devices with binding conditions keep their pod waiting until the driver has prepared them', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  const conditions = { bindingConditions: ['example.com/Attached'], bindingFailureConditions: ['example.com/Failed'] };
  await addSlice(run, 'n1', [{ name: 'gpu-0', ...conditions }]);
  await addClaim(run, 'mine');
  await run.addPod('web', using('mine'));
  expect(await run.nodeOf('web')).toBeUndefined();
  expect(await run.events('web')).toEqual([
    'Normal BindingConditionsPending default-scheduler waiting for binding conditions for device on node n1',
  ]);

  await setCondition(run, 'mine', { type: 'example.com/Attached', status: 'True' });
  await run.clock.advance(5000);
  expect(await run.nodeOf('web')).toBe('n1');
});

test('a device that could not be prepared is deallocated, and another one is tried', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  const conditions = { bindingConditions: ['example.com/Attached'], bindingFailureConditions: ['example.com/Failed'] };
  await addSlice(run, 'n1', [{ name: 'gpu-0', ...conditions }, { name: 'gpu-1' }]);
  await addClaim(run, 'mine');
  await run.addPod('web', using('mine'));

  await setCondition(run, 'mine', { type: 'example.com/Failed', status: 'True', reason: 'Broken', message: 'no link' });
  await run.clock.advance(5000);
  expect(await run.scheduled('web')).toBe(
    'False SchedulerError running PreBind plugin "DynamicResources": device binding failed: claim=mine, reason=Broken, message="no link"',
  );
  expect((await claimOf(run, 'mine')).status?.reservedFor).toBeUndefined();

  // the driver withdraws the device, which would otherwise be chosen again
  const slices = run.client.resource.v1.resourceslices;
  await slices.patch('n1-slice', mergePatch({ spec: { devices: [{ name: 'gpu-1' }] } }));
  await run.clock.advance('1m');
  expect(await run.nodeOf('web')).toBe('n1');
  expect((await claimOf(run, 'mine')).status?.allocation?.devices?.results?.[0]?.device).toBe('gpu-1');
});

test('an unused claim is deallocated when its devices are where the pod cannot run', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1', { labels: { 'kubernetes.io/hostname': 'n1' } });
  await run.addNode('n2', { labels: { 'kubernetes.io/hostname': 'n2' } });
  await addSlice(run, 'n1', [{ name: 'gpu-0' }]);
  await addSlice(run, 'n2', [{ name: 'gpu-0' }]);
  await addClaim(run, 'mine');
  const results = [{ request: 'gpu', driver: DRIVER, pool: 'n1', device: 'gpu-0' }];
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: ['n1'] }];
  const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } };
  const claims = run.client.resource.v1.resourceclaims.namespace('default');
  await claims.status.patch('mine', mergePatch({ status: { allocation } }));
  await settle();

  await run.addPod('web', { ...using('mine'), nodeSelector: { 'kubernetes.io/hostname': 'n2' } });
  expect((await run.events('web')).join()).toContain(
    "1 node(s) didn't match Pod's node affinity/selector, 1 resourceclaim not available on the node. " +
      'deallocation of ResourceClaim completed',
  );
  await run.clock.advance('10s');
  expect(await run.nodeOf('web')).toBe('n2');
});

test('pods share a claim on the node where its devices are', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  await run.addNode('n2');
  await addSlice(run, 'n2', [{ name: 'gpu-0' }]);
  await addClaim(run, 'shared');
  for (const name of ['one', 'two']) await run.addPod(name, using('shared'));
  await run.clock.advance('10s');

  expect([await run.nodeOf('one'), await run.nodeOf('two')]).toEqual(['n2', 'n2']);
  const { status } = await claimOf(run, 'shared');
  expect(status?.reservedFor?.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('a pod that cannot be bound releases its devices', async () => {
  await using run = await SchedulerRun.start({
    plugins: new Map([['Refuse', () => ({ name: 'Refuse', preBind: () => Promise.reject(new Error('no')) })]]),
    profiles: [{ ...defaultProfile, plugins: [...defaultProfile.plugins, { name: 'Refuse' }] }],
  });
  await addClass(run);
  await run.addNode('n1');
  await addSlice(run, 'n1', [{ name: 'gpu-0' }]);
  await addClaim(run, 'mine');
  await run.addPod('web', using('mine'));

  expect(await run.scheduled('web')).toContain('SchedulerError running PreBind plugin "Refuse": no');
  expect((await claimOf(run, 'mine')).status?.reservedFor).toBeUndefined();
});

test('a search with too many combinations is aborted', async () => {
  await using run = await SchedulerRun.start();
  await addClass(run);
  await run.addNode('n1');
  const device = (at: number): Device => ({ name: `gpu-${at}`, attributes: { group: { int: at % 5 } } });
  await addSlice(
    run,
    'n1',
    Array.from({ length: 120 }, (_, at) => device(at)),
  );
  const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu', count: 25 } }]; // there are 24 of each group
  await addClaim(run, 'mine', { devices: { requests, constraints: [{ matchAttribute: `${DRIVER}/group` }] } });
  await run.addPod('web', using('mine'));

  expect(await run.scheduled('web')).toBe(
    'False SchedulerError running "DynamicResources" filter plugin: node n1: timed out trying to allocate devices',
  );
});
