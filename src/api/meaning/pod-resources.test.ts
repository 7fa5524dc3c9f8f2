import { describe, expect, test } from 'vitest';
import type { Container, PodSpec, PodStatus } from '../types/core/v1.d.ts';
import { quantityOf } from '../values/quantity.ts';
import { amountTexts, containerRequests, podLimits, podRequests } from './pod-resources.ts';

const container = (name: string, cpu: string, more: object = {}): Container => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});
const always = { restartPolicy: 'Always' } as const;
const one = { containers: [container('a', '1')] };

function cpuOf(spec: PodSpec, status?: PodStatus): string | undefined {
  return podRequests({ spec, status }).get('cpu')?.toString();
}

const cases: readonly [name: string, spec: PodSpec, cpu: string][] = [
  ['containers run at the same time', { containers: [container('a', '1'), container('b', '500m')] }, '1500m'],
  [
    'of init containers the largest counts',
    { ...one, initContainers: [container('i', '2'), container('j', '3')] },
    '3',
  ],
  [
    'init containers smaller than the containers count for nothing',
    { containers: [container('a', '2')], initContainers: [container('i', '1')] },
    '2',
  ],
  ['a sidecar runs beside the containers', { ...one, initContainers: [container('s', '1', always)] }, '2'],
  [
    'a sidecar runs beside the init containers behind it',
    { ...one, initContainers: [container('s', '1', always), container('i', '3')] },
    '4',
  ],
  [
    'a sidecar does not run beside the init containers before it',
    { ...one, initContainers: [container('i', '3'), container('s', '1', always)] },
    '3',
  ],
  ['overhead comes on top', { ...one, overhead: { cpu: '250m' } }, '1250m'],
  ['what the pod asks for as a whole replaces the sum', { ...one, resources: { requests: { cpu: '5' } } }, '5'],
];

describe('podRequests()', () => {
  test.each(cases)('%s', (_, spec, cpu) => {
    expect(cpuOf(spec)).toBe(cpu);
  });

  test('amounts are added before they are rounded', () => {
    const half = (name: string): Container => ({ name, resources: { requests: { memory: '500m' } } });
    expect(
      podRequests({ spec: { containers: [half('a'), half('b'), half('c')] } })
        .get('memory')
        ?.value(),
    ).toBe(2);
  });

  const pending = { conditions: [{ type: 'PodResizePending', reason: 'Infeasible', status: 'True' }] };

  test('during a resize of a container the larger of desired and actual counts', () => {
    const status = (cpu: string): PodStatus =>
      ({ containerStatuses: [{ name: 'a', resources: { requests: { cpu } }, allocatedResources: { cpu } }] }) as never;
    expect(cpuOf(one, status('2'))).toBe('2');
    expect(cpuOf(one, status('500m'))).toBe('1');
    expect(cpuOf(one, { ...status('500m'), ...pending } as never)).toBe('500m');
  });

  test('during a resize of the whole pod likewise', () => {
    const spec = { ...one, resources: { requests: { cpu: '5' } } };
    const status = { resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '6' } };
    expect(cpuOf(spec, status)).toBe('6');
    expect(cpuOf(spec, { ...status, allocatedResources: { cpu: '2' } })).toBe('5');
    expect(cpuOf(spec, { resources: { requests: { cpu: '2' } }, ...pending } as never)).toBe('2');
  });

  test('an init container that runs once cannot be resized', () => {
    const initContainerStatuses = [{ name: 'i', resources: { requests: { cpu: '9' } } }];
    expect(cpuOf({ ...one, initContainers: [container('i', '2')] }, { initContainerStatuses } as never)).toBe('2');
  });

  test('amounts can be assumed for containers without requests', () => {
    const forMissing = new Map([['cpu', quantityOf(2)]]);
    const spec = { containers: [container('a', '1'), { name: 'b' }] };
    expect(podRequests({ spec }, { forMissing }).get('cpu')?.toString()).toBe('3');
  });

  test('containerRequests() excludes overhead and pod-level requests', () => {
    const spec = { ...one, resources: { requests: { cpu: '5' } }, overhead: { cpu: '1' } };
    expect(amountTexts(containerRequests({ spec }))).toEqual({ cpu: '1' });
  });
});

test('podLimits() adds overhead to limits, but not if there is none or it is zero', () => {
  const limited = (limits: Record<string, string>): PodSpec => ({
    containers: [{ name: 'a', resources: { limits } }],
    overhead: { cpu: '1', memory: '1Gi' },
  });
  expect(amountTexts(podLimits({ spec: limited({ cpu: '2' }) }))).toEqual({ cpu: '3' });
  expect(amountTexts(podLimits({ spec: limited({ cpu: '0' }) }))).toEqual({ cpu: '0' });
});
