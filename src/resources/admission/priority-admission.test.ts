import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import { MERGE_PATCH, type Reply, TestApi } from '../testing/test-api.ts';
import { priorityAdmission } from './priority-admission.ts';

let api: TestApi;

beforeEach(async () => {
  api = await TestApi.open({}, (parts) => [priorityAdmission(parts)]);
});

afterEach(() => api[Symbol.asyncDispose]());

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';

function createClass(name: string, value: number, members: object = {}): Promise<Reply> {
  return api.send('POST', CLASSES, { metadata: { name }, value, ...members });
}

function createPod(spec: object = {}): Promise<Reply> {
  const containers = [{ name: 'c', image: 'i' }];
  return api.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers, ...spec } });
}

function priorityOf({ body }: Reply): unknown[] {
  const { priorityClassName, priority, preemptionPolicy } = body['spec'] as PodSpec;
  return [priorityClassName, priority, preemptionPolicy];
}

describe('a pod', () => {
  test('has priority 0 if there is no default class', async () => {
    expect(priorityOf(await createPod())).toEqual([undefined, 0, 'PreemptLowerPriority']);
  });

  test('gets the default class if there is one', async () => {
    await createClass('usual', 10, { globalDefault: true, preemptionPolicy: 'Never' });

    expect(priorityOf(await createPod())).toEqual(['usual', 10, 'Never']);
  });

  test('gets the priority of its class, and may not state another', async () => {
    await createClass('high', 1000);

    expect((await createPod({ priorityClassName: 'high', priority: 1 })).body.message).toBe(
      'pods "p" is forbidden: the integer value of priority (1) must not be provided in pod spec; ' +
        'priority admission controller computed 1000 from the given PriorityClass name',
    );
    expect(priorityOf(await createPod({ priorityClassName: 'high' }))).toEqual(['high', 1000, 'PreemptLowerPriority']);
  });

  test('is refused if its class does not exist', async () => {
    const { code, body } = await createPod({ priorityClassName: 'high' });

    expect([code, body.message]).toEqual([403, 'pods "p" is forbidden: no PriorityClass with name high was found']);
  });

  test('keeps its priority when an update leaves it out', async () => {
    await createPod();

    const path = '/api/v1/namespaces/kinds/pods/p';
    const reply = await api.send('PATCH', path, { spec: { priority: null, preemptionPolicy: null } }, MERGE_PATCH);

    expect([reply.code, priorityOf(reply)]).toEqual([200, [undefined, 0, 'PreemptLowerPriority']]);
  });
});

describe('the default class', () => {
  test('is the only one', async () => {
    await createClass('first', 1, { globalDefault: true });

    const { code, body } = await createClass('second', 2, { globalDefault: true });

    expect([code, body.message]).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
    ]);
  });

  test('may be changed, and replaced by another one', async () => {
    await createClass('first', 1, { globalDefault: true });
    await createClass('second', 2);
    const patch = (name: string, body: object) => api.send('PATCH', `${CLASSES}/${name}`, body, MERGE_PATCH);

    expect((await patch('first', { description: 'x' })).code).toBe(200);
    expect((await patch('second', { globalDefault: true })).code).toBe(403);
    expect((await patch('first', { globalDefault: false })).code).toBe(200);
    expect((await patch('second', { globalDefault: true })).code).toBe(200);
  });
});
