import { describe, expect, test } from 'vitest';
import { amountsOf } from '../../api/meaning/index.ts';
import { podOf } from '../testing/pod-views.ts';
import { type AdmittingNode, NodeAdmission } from './node-admission.ts';

const node: AdmittingNode = {
  name: 'n1',
  labels: { zone: 'a', cores: '8' },
  operatingSystem: 'linux',
  taints: [],
  allocatable: amountsOf({ cpu: '1', memory: '1Gi', pods: '3', 'example.com/gpu': '1' }),
};

type Spec = NonNullable<Parameters<typeof podOf>[0]['spec']>;

function pod(uid: string, spec: Partial<Spec> = {}): ReturnType<typeof podOf> {
  return podOf({ metadata: { uid }, spec: { containers: [{ name: 'web' }], ...spec } });
}

function requests(list: Record<string, string>): Partial<Spec> {
  return { containers: [{ name: 'web', resources: { requests: list } }] };
}

describe('admission to a node', () => {
  test('counts what is used until a pod is over', () => {
    const admission = new NodeAdmission();
    expect(admission.admit(pod('1', requests({ cpu: '600m' })), node)).toBeUndefined();
    expect(admission.admit(pod('2', requests({ cpu: '600m' })), node)).toEqual({
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 600, used: 600, capacity: 1000",
    });
    admission.release('1');
    expect(admission.admit(pod('2', requests({ cpu: '600m' })), node)).toBeUndefined();
  });

  test('counts pods', () => {
    const admission = new NodeAdmission();
    for (const uid of ['1', '2', '3']) expect(admission.admit(pod(uid), node)).toBeUndefined();
    expect(admission.admit(pod('4'), node)).toEqual({
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    });
  });

  test('takes an init container for as long as it runs', () => {
    const spec = {
      containers: [{ name: 'web' }],
      initContainers: [{ name: 'i', resources: { requests: { memory: '2Gi' } } }],
    };
    expect(new NodeAdmission().admit(pod('1', spec), node)?.reason).toBe('OutOfmemory');
  });

  test('leaves resources alone that the node does not have', () => {
    expect(new NodeAdmission().admit(pod('1', requests({ 'example.com/other': '5' })), node)).toBeUndefined();
    expect(new NodeAdmission().admit(pod('1', requests({ 'example.com/gpu': '2' })), node)?.reason).toBe(
      'OutOfexample.com/gpu',
    );
  });

  const affinities: readonly [string, NonNullable<Spec['affinity']>['nodeAffinity'], boolean][] = [
    ['In', term([{ key: 'zone', operator: 'In', values: ['a', 'b'] }]), true],
    ['NotIn', term([{ key: 'zone', operator: 'NotIn', values: ['a'] }]), false],
    ['Exists', term([{ key: 'missing', operator: 'Exists' }]), false],
    ['DoesNotExist', term([{ key: 'missing', operator: 'DoesNotExist' }]), true],
    ['Gt', term([{ key: 'cores', operator: 'Gt', values: ['7'] }]), true],
    ['Lt', term([{ key: 'cores', operator: 'Lt', values: ['8'] }]), false],
    ['an empty term', term([]), false],
  ];
  for (const [title, nodeAffinity, isAdmitted] of affinities) {
    test(`${isAdmitted ? 'admits' : 'refuses'} by node affinity: ${title}`, () => {
      const rejection = new NodeAdmission().admit(pod('1', { affinity: { nodeAffinity } }), node);
      expect(rejection?.reason).toBe(isAdmitted ? undefined : 'NodeAffinity');
    });
  }

  test('refuses ports that are taken, on any address or the same', () => {
    const port = (hostIP?: string): Partial<Spec> => ({
      containers: [
        { name: 'web', ports: [{ containerPort: 80, hostPort: 80, ...(hostIP === undefined ? {} : { hostIP }) }] },
      ],
    });
    const admission = new NodeAdmission();
    expect(admission.admit(pod('1', port('10.0.0.1')), node)).toBeUndefined();
    expect(admission.admit(pod('2', port('10.0.0.2')), node)).toBeUndefined();
    expect(admission.admit(pod('3', port()), node)?.reason).toBe('NodePorts');
    admission.release('1');
    expect(admission.admit(pod('4', port('10.0.0.1')), node)).toBeUndefined();
  });

  test('refuses pods that do not tolerate what drives pods out', () => {
    const tainted: AdmittingNode = {
      ...node,
      taints: [
        { key: 'gone', value: 'yes', effect: 'NoExecute' },
        { key: 'busy', effect: 'NoSchedule' },
      ],
    };
    expect(new NodeAdmission().admit(pod('1'), tainted)).toEqual({
      reason: 'TaintToleration',
      message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    });
    for (const toleration of [
      { operator: 'Exists' },
      { key: 'gone', value: 'yes' },
      { key: 'gone', operator: 'Exists', effect: 'NoExecute' },
    ] as const)
      expect(new NodeAdmission().admit(pod('1', { tolerations: [toleration] }), tainted)).toBeUndefined();
    expect(new NodeAdmission().admit(pod('1', { tolerations: [{ key: 'gone', value: 'no' }] }), tainted)).toBeDefined();
  });

  test('refuses pods of another operating system', () => {
    expect(new NodeAdmission().admit(pod('1', { os: { name: 'windows' } }), node)?.reason).toBe('PodOSNotSupported');
    const labelled = podOf({ metadata: { labels: { 'kubernetes.io/os': 'windows' } } });
    expect(new NodeAdmission().admit(labelled, node)?.reason).toBe('PodOSSelectorNodeLabelDoesNotMatch');
  });

  test('needs a runtime that obeys a strict policy for groups', () => {
    const strict = pod('1', { securityContext: { supplementalGroupsPolicy: 'Strict' } });
    expect(new NodeAdmission().admit(strict, { ...node, hasStrictGroups: true })).toBeUndefined();
    expect(new NodeAdmission().admit(strict, { ...node, hasStrictGroups: false })).toEqual({
      reason: 'SupplementalGroupsPolicyNotSupported',
      message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
    });
  });

  test('replaces what a resized pod has, or leaves it', () => {
    const admission = new NodeAdmission();
    admission.admit(pod('1', requests({ cpu: '600m' })), node);
    expect(admission.resize(pod('1', requests({ cpu: '900m' })), node)).toBeUndefined();
    expect(admission.resize(pod('1', requests({ cpu: '1100m' })), node)?.message).toContain('requested: 1100, used: 0');
    expect(admission.admit(pod('2', requests({ cpu: '200m' })), node)?.message).toContain('used: 900');
  });
});

function term(
  matchExpressions: { key: string; operator: string; values?: string[] }[],
): NonNullable<Spec['affinity']>['nodeAffinity'] {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
  } as NonNullable<Spec['affinity']>['nodeAffinity'];
}
