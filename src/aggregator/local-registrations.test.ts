import { expect, test } from 'vitest';
import { settle } from '../base/index.ts';
import { API_SERVICES_PATH } from './registered-service.ts';
import { AggregatedPlane } from './testing/aggregated-plane.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** Waits for the effects of a write without any time passing. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await settle();
}

test('every version that is built in has an APIService from the start', async () => {
  await using plane = await AggregatedPlane.start();
  const { items } = (await plane.get(API_SERVICES_PATH)).json();
  const names: string[] = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

  expect(names).toContain('v1.');
  expect(names).toContain('v2.autoscaling');
  expect(names.filter((name) => name.includes('apiregistration'))).toEqual([]);
  const apps = (await plane.get(`${API_SERVICES_PATH}/v1.apps`)).json();
  expect(apps.metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
  expect(apps.spec).toEqual({ group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 });
  expect(apps.status.conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Local' }]);
  expect(plane.problems).toEqual([]);
});

test('those of custom kinds come and go with them, and are corrected', async () => {
  await using plane = await AggregatedPlane.start();
  const { self } = plane.plane.server;
  const path = `${API_SERVICES_PATH}/v1.example.com`;
  await self.create(DEFINITIONS, WIDGETS);
  await rest();
  const made = (await plane.get(path)).json();
  await self.update(path, { ...made, spec: { ...made.spec, groupPriorityMinimum: 5 } });
  await rest();
  const repaired = (await plane.get(path)).json();
  await self.delete(path);
  await rest();
  const again = (await plane.get(path)).json();
  await self.delete(`${DEFINITIONS}/widgets.example.com`);
  await rest();

  expect(made.metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'true' });
  expect(made.spec).toEqual({ group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 });
  expect(repaired.spec).toEqual(made.spec);
  expect(again.metadata.uid).not.toBe(made.metadata.uid);
  expect(await plane.get(path)).toMatchObject({ status: 404 });
  expect(plane.problems).toEqual([]);
});

test('one that an administrator has deleted is not recreated before the next start', async () => {
  await using plane = await AggregatedPlane.start();
  await plane.plane.server.self.delete(`${API_SERVICES_PATH}/v1.batch`);
  await rest();

  expect(await plane.get(`${API_SERVICES_PATH}/v1.batch`)).toMatchObject({ status: 404 });
  expect(await plane.get('/apis/batch/v1/jobs')).toMatchObject({ status: 200 });
});

test('one that is registered by hand is left alone', async () => {
  await using plane = await AggregatedPlane.start();
  const { self } = plane.plane.server;
  const spec = { group: 'example.com', version: 'v1', groupPriorityMinimum: 7, versionPriority: 7 };
  await self.create(API_SERVICES_PATH, { metadata: { name: 'v1.example.com' }, spec });
  await self.create(DEFINITIONS, WIDGETS);
  await rest();
  await self.delete(`${DEFINITIONS}/widgets.example.com`);
  await rest();

  expect((await plane.get(`${API_SERVICES_PATH}/v1.example.com`)).json().spec).toEqual(spec);
});

test('discovery uses the priorities of registrations, also of the server’s own versions', async () => {
  await using plane = await AggregatedPlane.start();
  const { self } = plane.plane.server;
  const path = `${API_SERVICES_PATH}/v1.batch`;
  const names = async (): Promise<string[]> =>
    (await plane.get('/apis')).json().groups.map(({ name }: { name: string }) => name);
  const before = await names();
  const { spec, ...batch } = (await plane.get(path)).json();
  await self.update(path, { ...batch, spec: { ...spec, groupPriorityMinimum: 19_000 } });
  await rest();
  const after = await names();
  await self.delete(path);
  await rest();

  expect(before.indexOf('apps')).toBeLessThan(before.indexOf('batch'));
  expect(after.indexOf('batch')).toBe(1); // after apiregistration.k8s.io
  expect(after.filter((name) => name !== 'batch')).toEqual(before.filter((name) => name !== 'batch'));
  expect(await names()).toEqual(before);
});
