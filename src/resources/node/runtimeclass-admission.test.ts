import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Reply, TestApi } from '../testing/test-api.ts';
import { runtimeClassAdmission } from './runtimeclass-admission.ts';

let api: TestApi;

beforeEach(async () => {
  api = await TestApi.open({}, (parts) => [runtimeClassAdmission(parts)]);
});

afterEach(() => api[Symbol.asyncDispose]());

function createClass(members: object): Promise<Reply> {
  const runtimeClass = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'vm' }, handler: 'vm' };
  return api.create({ ...runtimeClass, ...members });
}

function createPod(spec: object): Promise<Reply> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  return api.create({ ...pod, ...{ spec: { containers: [{ name: 'c', image: 'i' }], ...spec } } });
}

function specOf({ body }: Reply): Record<string, unknown> {
  return body['spec'] as Record<string, unknown>;
}

describe('a pod that names a RuntimeClass', () => {
  test('is refused if the class does not exist', async () => {
    const { code, body } = await createPod({ runtimeClassName: 'vm' });

    expect(code).toBe(403);
    expect(body.message).toBe('pods "p" is forbidden: pod rejected: RuntimeClass "vm" not found');
    expect(body.details).toEqual({ name: 'p', kind: 'pods' });
  });

  test('gets its overhead', async () => {
    await createClass({ overhead: { podFixed: { cpu: '100m', memory: '64Mi' } } });

    const reply = await createPod({ runtimeClassName: 'vm' });

    expect(reply.code).toBe(201);
    expect(specOf(reply)['overhead']).toEqual({ cpu: '100m', memory: '64Mi' });
  });

  test('may state an equal overhead in another notation, and no other', async () => {
    await createClass({ overhead: { podFixed: { memory: '1Ki' } } });

    expect((await createPod({ runtimeClassName: 'vm', overhead: { memory: '1024' } })).code).toBe(201);
    const { code, body } = await createPod({ runtimeClassName: 'vm', overhead: { memory: '2Ki' } });
    expect([code, body.message]).toEqual([
      403,
      "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ]);
  });

  test('gets the node selector and tolerations of its class in addition to its own', async () => {
    const shared = { key: 'a', operator: 'Exists' };
    await createClass({
      scheduling: { nodeSelector: { kind: 'vm' }, tolerations: [shared, { key: 'b', operator: 'Exists' }] },
    });

    const reply = await createPod({
      runtimeClassName: 'vm',
      nodeSelector: { zone: 'z' },
      tolerations: [{ key: 'a', operator: 'Equal', value: 'x', effect: 'NoSchedule' }],
    });

    expect(specOf(reply)['nodeSelector']).toEqual({ zone: 'z', kind: 'vm' });
    expect(specOf(reply)['tolerations']).toEqual([shared, { key: 'b', operator: 'Exists' }]);
  });

  test('is refused if its node selector conflicts', async () => {
    await createClass({ scheduling: { nodeSelector: { kind: 'vm' } } });

    const { code, body } = await createPod({ runtimeClassName: 'vm', nodeSelector: { kind: 'metal' } });

    expect([code, body.message]).toEqual([
      403,
      'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[kind] = vm; pod.spec.nodeSelector[kind] = metal',
    ]);
  });
});

test('a pod cannot state an overhead without a RuntimeClass that has one', async () => {
  const { code, body } = await createPod({ overhead: { cpu: '1' } });

  expect([code, body.message]).toEqual([
    403,
    'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ]);
});
