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
  /** No node has room for them. */
  readonly isUnschedulable?: boolean;
  /** Every so many pods, another pod goes away and a node changes its labels. */
  readonly churnEvery?: number;
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

export const workloads: readonly Workload[] = [
  { name: 'basic', before: { ...basic, perNode: 1 }, pod: basic },
  {
    name: 'node affinity',
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
  { name: 'topology spreading', before: { ...basic, perNode: 1 }, pod: spread('DoNotSchedule') },
  {
    name: 'default spreading of a Service',
    before: { ...basic, perNode: 1 },
    pod: { labels: { app: 'served' }, requests },
  },
  { name: 'preferred topology spreading', before: { ...basic, perNode: 1 }, pod: spread('ScheduleAnyway') },
  {
    name: 'pod affinity',
    before: { labels: { color: 'blue' }, requests, perNode: 1 },
    pod: withAffinity({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinity(ZONE)] } }),
  },
  {
    name: 'pod anti-affinity',
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
    before: { labels: { color: 'blue' }, requests, perNode: 1 },
    pod: withAffinity({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(HOSTNAME)] } }),
  },
  {
    name: 'preferred pod anti-affinity',
    before: { labels: { color: 'blue' }, requests, perNode: 1 },
    pod: withAffinity({ podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(HOSTNAME)] } }),
  },
  {
    name: 'preemption',
    before: { requests: { cpu: '900m', memory: '500Mi' }, perNode: 4 },
    pod: { requests: { cpu: '3', memory: '500Mi' }, spec: { priority: 10 } },
  },
  { name: 'mixed churn', before: { ...basic, perNode: 1 }, pod: basic, churnEvery: 5 },
  { name: 'unschedulable', pod: { requests: { cpu: '100', memory: '500Mi' } }, isUnschedulable: true },
];
