import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import { podOf } from '../testing/objects.ts';
import { podRequests } from './pod-requests.ts';

const container = (name: string, cpu: string, more: object = {}): PodSpec['containers'][number] => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});
const always = { restartPolicy: 'Always' } as const;

const cases: readonly [name: string, spec: Partial<PodSpec>, milliCpu: number][] = [
  ['containers run at the same time', { containers: [container('a', '1'), container('b', '500m')] }, 1500],
  [
    'of init containers the largest counts',
    { containers: [container('a', '1')], initContainers: [container('i', '2'), container('j', '3')] },
    3000,
  ],
  [
    'init containers smaller than the containers count for nothing',
    { containers: [container('a', '2')], initContainers: [container('i', '1')] },
    2000,
  ],
  [
    'a sidecar runs beside the containers',
    { containers: [container('a', '1')], initContainers: [container('s', '1', always)] },
    2000,
  ],
  [
    'a sidecar runs beside the init containers behind it',
    { containers: [container('a', '1')], initContainers: [container('s', '1', always), container('i', '3')] },
    4000,
  ],
  [
    'a sidecar does not run beside the init containers before it',
    { containers: [container('a', '1')], initContainers: [container('i', '3'), container('s', '1', always)] },
    3000,
  ],
  ['overhead comes on top', { containers: [container('a', '1')], overhead: { cpu: '250m' } }, 1250],
  [
    'what the pod asks for as a whole replaces the sum',
    { containers: [container('a', '1')], resources: { requests: { cpu: '5' } } },
    5000,
  ],
  ['thousandths are rounded up', { containers: [container('a', '1500u')] }, 2],
];

describe('podRequests()', () => {
  test.each(cases)('%s', (_, spec, milliCpu) => {
    expect(podRequests(podOf(spec)).get('cpu')).toBe(milliCpu);
  });

  test('while a resize is under way the larger of wish and reality counts', () => {
    const status = (cpu: string): object => ({
      containerStatuses: [{ name: 'a', resources: { requests: { cpu } }, allocatedResources: { cpu } }],
    });
    const spec = { containers: [container('a', '1')] };
    expect(podRequests(podOf({ ...spec, status: status('2') })).get('cpu')).toBe(2000);
    expect(podRequests(podOf({ ...spec, status: status('500m') })).get('cpu')).toBe(1000);
    const infeasible = {
      ...status('500m'),
      conditions: [{ type: 'PodResizePending', reason: 'Infeasible', status: 'True' }],
    };
    expect(podRequests(podOf({ ...spec, status: infeasible as never })).get('cpu')).toBe(500);
  });

  test('containers that ask for nothing can be given something', () => {
    const forMissing = new Map([['cpu', 100]]);
    const pod = podOf({ containers: [container('a', '1'), { name: 'b' }] });
    expect(podRequests(pod, { forMissing }).get('cpu')).toBe(1100);
  });
});
