import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../api/types/core/v1.d.ts';
import { type Reply, TestApi } from '../testing/test-api.ts';
import { limitRanger } from './limit-ranger.ts';

let api: TestApi;

beforeEach(async () => {
  api = await TestApi.open({}, (parts) => [limitRanger(parts)]);
});

afterEach(() => api[Symbol.asyncDispose]());

async function limit(name: string, ...limits: readonly object[]): Promise<void> {
  const reply = await api.create({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits } });
  expect(reply.code).toBe(201);
}

function createPod(resources: object, spec: object = {}): Promise<Reply> {
  const containers = [{ name: 'c', image: 'i', resources }];
  const metadata = { name: 'p', annotations: { 'z.example/note': 'z' } };
  return api.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } });
}

function firstContainer({ body }: Reply): Container | undefined {
  return (body['spec'] as PodSpec).containers?.[0];
}

describe('containers', () => {
  test('get missing values from all limit ranges, the first ones first', async () => {
    await limit('a', { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } });
    await limit('b', { type: 'Container', default: { cpu: '2', memory: '1Gi' } });

    const reply = await createPod({ requests: { cpu: '50m' } }, { initContainers: [{ name: 'i', image: 'i' }] });

    expect(firstContainer(reply)?.resources).toEqual({
      limits: { cpu: '500m', memory: '1Gi' },
      requests: { cpu: '50m', memory: '1Gi' },
    });
    expect(Object.entries(reply.body.metadata.annotations ?? {})).toEqual([
      [
        'kubernetes.io/limit-ranger',
        'LimitRanger plugin set: memory request for container c; memory limit for container c; ' +
          'memory request for init container i; memory limit for init container i',
      ],
      ['z.example/note', 'z'],
    ]);
    expect((reply.body['status'] as { qosClass?: string }).qosClass).toBe('Burstable');
  });

  test('are refused with all problems, sorted by resource', async () => {
    await limit('a', { type: 'Container', min: { memory: '10Mi', cpu: '50m' }, maxLimitRequestRatio: { cpu: '2' } });

    const { code, body } = await createPod({ requests: { cpu: '10m', memory: '1Mi' }, limits: { cpu: '100m' } });

    expect([code, body.message]).toEqual([
      403,
      'pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, ' +
        'minimum memory usage per Container is 10Mi, but request is 1Mi, ' +
        'cpu max limit to request ratio per Container is 2, but provided ratio is 10.000000]',
    ]);
  });

  test('in other namespaces are not limited', async () => {
    const limits = [{ type: 'Container', max: { cpu: '1' } }];
    await api.send('POST', '/api/v1/namespaces/default/limitranges', { metadata: { name: 'a' }, spec: { limits } });

    expect((await createPod({ limits: { cpu: '2' } })).code).toBe(201);
  });

  test('are compared in whole units if thousandths would not fit', async () => {
    await limit('a', { type: 'Container', max: { memory: '9Pi' } });

    expect((await createPod({ limits: { memory: '10Pi' } })).body.message).toBe(
      'pods "p" is forbidden: maximum memory usage per Container is 9Pi, but limit is 10Pi',
    );
  });
});

test('a pod as a whole is measured by its pod-level resources, or by its containers', async () => {
  await limit('a', { type: 'Pod', max: { cpu: '1' } });

  expect((await createPod({ limits: { cpu: '2' } })).body.message).toBe(
    'pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 2',
  );
  expect((await createPod({}, { resources: { limits: { cpu: '1' } } })).code).toBe(201);
});

test('claims are measured by their requests', async () => {
  await limit('a', { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } });
  const claim = (storage: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: storage.toLowerCase() },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });

  expect((await api.create(claim('2Gi'))).code).toBe(201);
  expect((await api.create(claim('3Gi'))).body.message).toBe(
    'persistentvolumeclaims "3gi" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  );
});
