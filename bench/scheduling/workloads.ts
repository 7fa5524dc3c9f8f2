// The workloads of Kubernetes' scheduler_perf, as far as they need no volumes and no devices.
import type { PodAffinityTerm, PodSpec } from '../../src/api/types/core/v1.d.ts';

export interface PodTemplate {
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
}

export interface Workload {
  readonly name: string;
  /** Pods that are there before, as a number for each node. */
  readonly before?: PodTemplate & { readonly perNode: number };
  /** Pods that are measured. */
  readonly pod: PodTemplate;
  /** Pods that no node has room for, waiting before the measured ones come. */
  readonly waiting?: PodTemplate & { readonly count: number };
  /** How many pods are measured beside kube-scheduler. */
  readonly count: number;
  /** No node has room for the measured pods. */
  readonly isUnschedulable?: boolean;
  /** Nodes, pods and Services come and go meanwhile. */
  readonly hasChurn?: boolean;
}

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';
const requests = { cpu: '100m', memory: '500Mi' };
const blue = { matchLabels: { color: 'blue' } };

function affinity(topologyKey: string): PodAffinityTerm {
  return { topologyKey, labelSelector: blue, namespaces: ['default'] };
}

function spread(whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): PodTemplate {
  const constraint = { maxSkew: 5, topologyKey: ZONE, whenUnsatisfiable, labelSelector: blue };
  return { labels: { color: 'blue' }, requests, spec: { topologySpreadConstraints: [constraint] } };
}

function withAffinity(value: PodSpec['affinity']): PodTemplate {
  return { labels: { color: 'blue' }, requests, spec: { affinity: value } };
}

const wish = (topologyKey: string): { weight: number; podAffinityTerm: PodAffinityTerm } => ({
  weight: 1,
  podAffinityTerm: affinity(topologyKey),
});
const basic = { requests };
const oneBasic = { ...basic, perNode: 1 };
const oneBlue = { ...basic, labels: { color: 'blue' }, perNode: 1 };
const tooLarge = { requests: { cpu: '100', memory: '500Mi' } };

export const workloads: readonly Workload[] = [
  { name: 'basic', before: oneBasic, pod: basic, count: 5000 },
  {
    name: 'node affinity',
    count: 2000,
    pod: {
      requests,
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone-0', 'zone-1'] }] }],
            },
          },
        },
      },
    },
  },
  { name: 'topology spreading', before: oneBasic, pod: spread('DoNotSchedule'), count: 1000 },
  {
    name: 'default spreading of a Service',
    count: 1000,
    before: oneBasic,
    pod: { labels: { app: 'served' }, requests },
  },
  { name: 'preferred topology spreading', before: oneBasic, pod: spread('ScheduleAnyway'), count: 1000 },
  {
    name: 'pod affinity',
    count: 1000,
    before: oneBlue,
    pod: withAffinity({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinity(ZONE)] } }),
  },
  {
    name: 'pod anti-affinity',
    count: 1000,
    pod: {
      labels: { color: 'green' },
      requests,
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: HOSTNAME, labelSelector: { matchLabels: { color: 'green' } } },
            ],
          },
        },
      },
    },
  },
  {
    name: 'preferred pod affinity',
    count: 1000,
    before: oneBlue,
    pod: withAffinity({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(HOSTNAME)] } }),
  },
  {
    name: 'preferred pod anti-affinity',
    count: 1000,
    before: oneBlue,
    pod: withAffinity({ podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(HOSTNAME)] } }),
  },
  {
    name: 'preemption',
    count: 200,
    before: { requests: { cpu: '900m', memory: '500Mi' }, perNode: 4 },
    pod: { requests: { cpu: '3', memory: '500Mi' }, spec: { priority: 10 } },
  },
  { name: 'mixed churn', before: oneBasic, pod: basic, count: 2000, hasChurn: true },
  {
    name: 'others unschedulable',
    waiting: { ...tooLarge, count: 200 },
    pod: basic,
    count: 2000,
  },
  { name: 'unschedulable', pod: tooLarge, count: 500, isUnschedulable: true },
];
