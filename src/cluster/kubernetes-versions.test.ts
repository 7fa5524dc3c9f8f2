import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubernetesVersion } from '../base/index.ts';
import { startControlPlane } from './start-in-program.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-versions-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Sends requests to a control plane of a version, on the same store each time. */
async function onVersion(
  kubernetesVersion: KubernetesVersion,
  requests: readonly (readonly [method: 'GET' | 'POST' | 'PUT', path: string, body?: object])[],
): Promise<Record<string, unknown>[]> {
  await using plane = await startControlPlane({
    kubernetesVersion,
    storage: { type: 'durable', folder },
    admission: { disable: ['ServiceAccount'] },
  });
  await using client = plane.client(ADMIN);
  const answers: Record<string, unknown>[] = [];
  for (const [method, path, body] of requests)
    answers.push((await client.request({ method, path, body })) as Record<string, unknown>);
  return answers;
}

const PODS = '/api/v1/namespaces/default/pods';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { hostnameOverride: 'b', containers: [{ name: 'c', image: 'i' }] },
};

test('a store is read by other versions, which show what they know', async () => {
  const [created] = await onVersion('1.36', [['POST', PODS, pod]]);
  expect(created?.['spec']).toMatchObject({ hostnameOverride: 'b' });

  const [older] = await onVersion('1.33', [['GET', `${PODS}/a`]]);
  expect(older?.['spec']).toMatchObject({ containers: [{ name: 'c', image: 'i' }] });
  expect(older?.['spec']).not.toHaveProperty('hostnameOverride');

  const [again] = await onVersion('1.36', [['GET', `${PODS}/a`]]);
  expect(again?.['spec']).toEqual(created?.['spec']);
});

test('a version that writes an object loses what it does not know, as upstream', async () => {
  await onVersion('1.36', [['POST', PODS, pod]]);
  const [read] = await onVersion('1.33', [['GET', `${PODS}/a`]]);
  const labelled = { ...read, metadata: { ...(read?.['metadata'] as object), labels: { a: 'b' } } };
  await onVersion('1.33', [['PUT', `${PODS}/a`, labelled]]);
  const [again] = await onVersion('1.36', [['GET', `${PODS}/a`]]);
  expect(again?.['spec']).not.toHaveProperty('hostnameOverride');
});

test('kinds that were stored by one version are found in the versions of the API that another one serves', async () => {
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'a' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
  };
  await onVersion('1.36', [['POST', '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims', claim]]);
  await using plane = await startControlPlane({
    kubernetesVersion: '1.33',
    runtimeConfig: new Map([['resource.k8s.io/v1beta1', 'true']]),
    storage: { type: 'durable', folder },
  });
  await using client = plane.client(ADMIN);
  const path = '/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims/a';
  expect(await client.request({ method: 'GET', path })).toMatchObject({
    apiVersion: 'resource.k8s.io/v1beta1',
    spec: { devices: { requests: [{ name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 }] } },
  });
  const missing = client.request({ method: 'GET', path: '/apis/resource.k8s.io/v1' });
  await expect(missing).rejects.toThrow('the server could not find the requested resource');
});
