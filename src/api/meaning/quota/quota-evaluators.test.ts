import { describe, expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../types/core/v1.d.ts';
import { amountTexts } from '../pod-resources.ts';
import type { DeviceObjects } from './device-claim-evaluator.ts';
import { usageOf } from './evaluator.ts';
import { QuotaEvaluators } from './quota-evaluators.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const noDevices: DeviceObjects = {
  deviceClass: () => undefined,
  hasDeviceClassFor: () => false,
  pod: () => undefined,
  claims: () => [],
};

function usage(plural: string, object: object, { group = '', devices = noDevices } = {}): Record<string, string> {
  const evaluator = new QuotaEvaluators(devices).of(group, plural);
  return amountTexts(evaluator?.usage(object, NOW) ?? new Map());
}

describe('pods', () => {
  const resources = {
    requests: { cpu: '1', 'example.com/gpu': '2' },
    limits: { memory: '1Gi', 'example.com/gpu': '2' },
  };
  const spec = { containers: [{ name: 'c', resources }], overhead: { cpu: '250m' } };
  const all = {
    'count/pods': '1',
    pods: '1',
    cpu: '1250m',
    'requests.cpu': '1250m',
    'requests.example.com/gpu': '2',
    'limits.memory': '1Gi',
  };

  test('use their requests and limits, with overhead', () => {
    expect(usage('pods', { spec })).toEqual(all);
  });

  test('that have ended, or should have, only count as objects', () => {
    const deleted = { deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 59 };
    expect(usage('pods', { spec, status: { phase: 'Failed' } })).toEqual({ 'count/pods': '1' });
    expect(usage('pods', { spec, metadata: deleted })).toEqual({ 'count/pods': '1' });
    expect(usage('pods', { spec, metadata: { ...deleted, deletionGracePeriodSeconds: 60 } })).toEqual(all);
  });
});

test('a load balancer uses node ports unless their allocation is disabled', () => {
  const spec = { type: 'LoadBalancer', ports: [{ port: 1, nodePort: 30000 }, { port: 2 }] };
  expect(usage('services', { spec })).toMatchObject({ 'services.nodeports': '2', 'services.loadbalancers': '1' });
  expect(usage('services', { spec: { ...spec, allocateLoadBalancerNodePorts: false } })).toMatchObject({
    'services.nodeports': '1',
  });
});

test('a claim uses its allocated storage while that exceeds its request', () => {
  const spec = { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } };
  const status = { allocatedResources: { storage: '2Gi' } };
  expect(usage('persistentvolumeclaims', { spec, status })).toEqual({
    persistentvolumeclaims: '1',
    'count/persistentvolumeclaims': '1',
    'requests.storage': '2Gi',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
  });
});

describe('claims of devices', () => {
  const group = 'resource.k8s.io';
  const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 };
  const spec = { devices: { requests: [{ name: 'r', exactly }] } };
  const devices: DeviceObjects = {
    ...noDevices,
    deviceClass: (name) => (name === 'gpu' ? { spec: { extendedResourceName: 'example.com/gpu' } } : undefined),
    pod: () => ({
      metadata: { uid: 'u' },
      spec: { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '2' } } }] },
    }),
  };

  test('use devices under all names of their class', () => {
    expect(usage('resourceclaims', { spec }, { group, devices })).toEqual({
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '3',
      'requests.deviceclass.resource.kubernetes.io/gpu': '3',
      'requests.example.com/gpu': '3',
    });
  });

  test("that were made for a pod do not count the pod's requests again", () => {
    const metadata = {
      name: 'claim',
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }],
    };
    expect(usage('resourceclaims', { metadata, spec }, { group, devices })).toMatchObject({
      'gpu.deviceclass.resource.k8s.io/devices': '3',
      'requests.example.com/gpu': '1',
    });
  });
});

test('maps resources to the kinds that use them', () => {
  const evaluators = new QuotaEvaluators(noDevices);
  const kinds = evaluators.measuring([
    'pods',
    'count/secrets',
    'count/caches.example.dev',
    'count/events',
    'limits.cpu',
  ]);
  expect(kinds.map(({ group, plural }) => `${plural}.${group}`)).toEqual(['pods.', 'secrets.', 'caches.example.dev']);
});

test('claims count by the desired, current and target attributes class', () => {
  const evaluator = new QuotaEvaluators(noDevices).of('', 'persistentvolumeclaims');
  const rule = { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] } as const;
  const quota = { spec: { hard: { persistentvolumeclaims: '9' }, scopeSelector: { matchExpressions: [rule] } } };
  const claims: readonly PersistentVolumeClaim[] = [
    { spec: { volumeAttributesClassName: 'fast' } },
    { status: { currentVolumeAttributesClassName: 'fast' } },
    { status: { modifyVolumeStatus: { status: 'Pending', targetVolumeAttributesClassName: 'fast' } } },
    { spec: { volumeAttributesClassName: 'slow' } },
    {},
  ];
  if (evaluator === undefined) throw new Error('there is one');
  expect(amountTexts(usageOf(quota, claims, { evaluator, nowMs: NOW }))).toEqual({ persistentvolumeclaims: '3' });
});
