import { describe, expect, test } from 'vitest';
import { Snapshot } from '../cache/snapshot.ts';
import { Cycle } from '../framework/cycle.ts';
import { Framework } from '../framework/framework.ts';
import { defaultProfile } from '../framework/profile.ts';
import { filtersFor, runPreFilters } from '../framework/run-filters.ts';
import { nodeInfoOf, podInfoOf, sharedContext } from '../testing/objects.ts';
import { builtInPlugins } from './registry.ts';

type PodSketch = NonNullable<Parameters<typeof podInfoOf>[0]>;
type NodeSketch = NonNullable<Parameters<typeof nodeInfoOf>[0]>;

interface Case {
  readonly name: string;
  readonly pod: PodSketch;
  readonly node: NodeSketch;
  /** Pods on the node. */
  readonly pods?: readonly PodSketch[];
  /** Undefined: the pod fits. */
  readonly why?: string;
  readonly code?: 'Unschedulable' | 'UnschedulableAndUnresolvable';
}

const framework = new Framework(defaultProfile, builtInPlugins, sharedContext());

function verdict({ pod, node, pods = [] }: Case): { code?: string; why?: string } {
  const cycle = new Cycle(podInfoOf(pod));
  const info = nodeInfoOf(
    node,
    pods.map((sketch, index) => podInfoOf({ name: `other-${index}`, ...sketch })),
  );
  const { rejection } = runPreFilters(framework, cycle, new Snapshot());
  const found = rejection ?? filtersFor(framework, cycle)(info);
  return { code: found?.code, why: found?.reasons.join('; ') };
}

function describeFilter(plugin: string, cases: readonly Case[]): void {
  describe(plugin, () => {
    test.each(cases)('$name', (one) => {
      const code = one.why === undefined ? undefined : (one.code ?? 'UnschedulableAndUnresolvable');
      expect(verdict(one)).toEqual({ code, why: one.why });
    });
  });
}

describeFilter('NodeName', [
  { name: 'lets a pod go to the node it names', pod: { nodeName: 'node' }, node: {} },
  {
    name: 'keeps a pod from other nodes than the one it names',
    pod: { nodeName: 'other' },
    node: {},
    why: "node(s) didn't match the requested node name",
  },
]);

describeFilter('NodeUnschedulable', [
  {
    name: 'keeps pods from a cordoned node',
    pod: {},
    node: { unschedulable: true },
    why: 'node(s) were unschedulable',
  },
  {
    name: 'lets pods pass that tolerate the taint of cordoned nodes',
    pod: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
    node: { unschedulable: true },
  },
]);

const taint = { key: 'k', value: 'v', effect: 'NoSchedule' } as const;
const untolerated = 'node(s) had untolerated taint(s)';
describeFilter('TaintToleration', [
  { name: 'keeps pods from a tainted node', pod: {}, node: { taints: [taint] }, why: untolerated },
  { name: 'knows NoExecute', pod: {}, node: { taints: [{ ...taint, effect: 'NoExecute' }] }, why: untolerated },
  { name: 'leaves PreferNoSchedule to Score', pod: {}, node: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } },
  { name: 'takes an equal toleration', pod: { tolerations: [{ key: 'k', value: 'v' }] }, node: { taints: [taint] } },
  {
    name: 'does not take a toleration of another value',
    pod: { tolerations: [{ key: 'k', operator: 'Equal', value: 'w' }] },
    node: { taints: [taint] },
    why: untolerated,
  },
  {
    name: 'takes a toleration of any value',
    pod: { tolerations: [{ key: 'k', operator: 'Exists' }] },
    node: { taints: [taint] },
  },
  {
    name: 'takes a toleration of everything',
    pod: { tolerations: [{ operator: 'Exists' }] },
    node: { taints: [taint] },
  },
  {
    name: 'does not take a toleration of another effect',
    pod: { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
    node: { taints: [taint] },
    why: untolerated,
  },
  {
    name: 'wants all taints to be tolerated',
    pod: { tolerations: [{ key: 'k', operator: 'Exists' }] },
    node: { taints: [taint, { ...taint, key: 'l' }] },
    why: untolerated,
  },
]);

const noMatch = "node(s) didn't match Pod's node affinity/selector";
type Requirement = { key: string; operator: string; values?: string[] };
const terms = (...list: { matchExpressions?: Requirement[]; matchFields?: Requirement[] }[]): PodSketch => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: list as never } } },
});
const labelled = { labels: { disk: 'ssd', size: '20' } };
const expression = (key: string, operator: string, ...values: string[]): PodSketch =>
  terms({ matchExpressions: [{ key, operator, values }] });
const named = (operator: string, ...values: string[]): PodSketch =>
  terms({ matchFields: [{ key: 'metadata.name', operator, values }] });

describeFilter('NodeAffinity', [
  { name: 'matches a nodeSelector', pod: { nodeSelector: { disk: 'ssd' } }, node: labelled },
  { name: 'wants every label', pod: { nodeSelector: { disk: 'ssd', a: 'b' } }, node: labelled, why: noMatch },
  { name: 'knows In', pod: expression('disk', 'In', 'hdd', 'ssd'), node: labelled },
  { name: 'knows NotIn', pod: expression('disk', 'NotIn', 'hdd', 'ssd'), node: labelled, why: noMatch },
  { name: 'knows Exists', pod: expression('disk', 'Exists'), node: labelled },
  { name: 'knows DoesNotExist', pod: expression('disk', 'DoesNotExist'), node: labelled, why: noMatch },
  { name: 'knows Gt', pod: expression('size', 'Gt', '19'), node: labelled },
  { name: 'knows Lt', pod: expression('size', 'Lt', '20'), node: labelled, why: noMatch },
  { name: 'matches by name', pod: named('In', 'node'), node: {} },
  { name: 'does not match another name', pod: named('In', 'other'), node: {}, why: noMatch },
  { name: 'knows NotIn for names', pod: named('NotIn', 'node'), node: {}, why: noMatch },
  {
    name: 'rejects names that cannot hold together',
    pod: terms({
      matchFields: [
        { key: 'metadata.name', operator: 'In', values: ['a'] },
        { key: 'metadata.name', operator: 'In', values: ['b'] },
      ],
    }),
    node: {},
    why: 'pod affinity terms conflict',
  },
  { name: 'matches nothing by an empty term', pod: terms({}), node: labelled, why: noMatch },
  {
    name: 'needs one of several terms',
    pod: terms(
      { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] },
      { matchExpressions: [{ key: 'size', operator: 'Exists' }] },
    ),
    node: labelled,
  },
  {
    name: 'needs the nodeSelector as well as the affinity',
    pod: { ...expression('disk', 'Exists'), nodeSelector: { disk: 'hdd' } },
    node: labelled,
    why: noMatch,
  },
]);

const hostPort = (port: number, hostIP?: string): PodSketch => ({
  containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: port, hostIP }] }],
});
describeFilter('NodePorts', [
  { name: 'gives out different ports', pod: hostPort(80), node: {}, pods: [hostPort(81)] },
  {
    name: 'gives out a port once',
    pod: hostPort(80),
    node: {},
    pods: [hostPort(80)],
    why: "node(s) didn't have free ports for the requested pod ports",
    code: 'Unschedulable',
  },
  {
    name: 'gives out a port once an address',
    pod: hostPort(80, '10.0.0.1'),
    node: {},
    pods: [hostPort(80, '10.0.0.2')],
  },
]);

const small = {
  allocatable: { cpu: '1', memory: '1Gi', pods: '2', 'example.com/gpu': '2', 'ephemeral-storage': '1Gi' },
};
describeFilter('NodeResourcesFit', [
  { name: 'takes what just fits', pod: { requests: { cpu: '1', memory: '1Gi' } }, node: small },
  {
    name: 'tells when other pods are in the way',
    pod: { requests: { cpu: '600m' } },
    node: small,
    pods: [{ requests: { cpu: '500m' } }],
    why: 'Insufficient cpu',
    code: 'Unschedulable',
  },
  {
    name: 'tells when the node is too small altogether',
    pod: { requests: { cpu: '1100m' } },
    node: small,
    why: 'Insufficient cpu',
  },
  {
    name: 'tells of everything that is missing',
    pod: { requests: { cpu: '2', memory: '2Gi', 'ephemeral-storage': '2Gi', 'example.com/gpu': '3' } },
    node: small,
    why: 'Insufficient cpu; Insufficient memory; Insufficient ephemeral-storage; Insufficient example.com/gpu',
  },
  {
    name: 'counts pods',
    pod: {},
    node: small,
    pods: [{}, {}],
    why: 'Too many pods',
    code: 'Unschedulable',
  },
  {
    name: 'counts extended resources',
    pod: { requests: { 'example.com/gpu': '2' } },
    node: small,
    pods: [{ requests: { 'example.com/gpu': '1' } }],
    why: 'Insufficient example.com/gpu',
    code: 'Unschedulable',
  },
  { name: 'does not mind pods that ask for nothing', pod: {}, node: small, pods: [{ requests: { cpu: '1' } }] },
]);
