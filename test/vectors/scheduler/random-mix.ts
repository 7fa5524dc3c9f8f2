import type { Random } from '../../../src/base/index.ts';
import type {
  Container,
  NodeSpec,
  NodeStatus,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../src/api/types/core/v1.d.ts';
import type { LabelSelector } from '../../../src/api/types/meta/v1.d.ts';
import { profileNames } from './decision-profiles.ts';

type Labels = Record<string, string>;

export interface MixedNode {
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** An object that selects pods. */
export interface Selecting {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
}

/** All that is there before the first pod. */
export interface Surroundings {
  readonly namespaces: Readonly<Record<string, Labels>>;
  readonly nodes: readonly MixedNode[];
  readonly services: readonly Selecting[];
  readonly owners: readonly (Selecting & {
    readonly kind: 'ReplicaSet' | 'StatefulSet' | 'ReplicationController';
  })[];
  readonly budgets: readonly (Selecting & { readonly allowed: number })[];
}

export interface MixedPod {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly owner?: Surroundings['owners'][number];
  readonly spec: PodSpec;
}

const NODES = 14;
const PODS = 125;
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const APPS = ['red', 'green', 'blue', 'grey'] as const;
const IMAGES = { small: 20e6, middle: 300e6, large: 1200e6 } as const;

/** Clusters for everything that plugins look at beyond the room on nodes: other pods, zones, images, budgets, priorities. */
export class RandomMix {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  surroundings(): Surroundings {
    const namespaces = { default: {}, east: { team: 'a' }, west: { team: 'b', tier: 'x' } };
    const names = Object.keys(namespaces);
    const selecting = (name: string): Selecting => ({
      name,
      namespace: this.#of(names),
      labels: { app: this.#of(APPS), ...this.#maybe(0.2, () => ({ track: 'stable' })) },
    });
    return {
      namespaces,
      nodes: Array.from({ length: NODES }, (_, index) => this.#node(`n${index}`)),
      services: ['s0', 's1', 's2'].map(selecting),
      owners: (['ReplicaSet', 'StatefulSet', 'ReplicationController'] as const).map((kind) => ({
        kind,
        ...selecting(kind.toLowerCase()),
      })),
      budgets: ['b0', 'b1', 'b2'].map((name) => ({ ...selecting(name), allowed: this.#of([0, 0, 1, 2]) })),
    };
  }

  pods({ namespaces, owners }: Surroundings): MixedPod[] {
    return Array.from({ length: PODS }, (_, index) => {
      const isOwned = this.#random.float() < 0.2;
      const owner = isOwned ? this.#of(owners) : undefined;
      const labels = owner?.labels ?? {
        ...this.#maybe(0.95, () => ({ app: this.#of(APPS) })),
        ...this.#maybe(0.3, () => ({ track: this.#of(['stable', 'canary']) })),
      };
      const namespace = owner?.namespace ?? this.#of(['default', 'default', ...Object.keys(namespaces)]);
      return { name: `p${index}`, namespace, labels, owner, spec: this.#podSpec() };
    });
  }

  #node(name: string): MixedNode {
    const allocatable = {
      cpu: this.#of(['1500m', '2', '3', '4']),
      memory: this.#of(['3Gi', '4Gi', '6Gi']),
      pods: this.#of(['6', '30', '110']),
      'ephemeral-storage': '50Gi',
      ...this.#maybe(0.4, () => ({ 'example.com/gpu': this.#of(['1', '4']) })),
    };
    const labels = {
      ...this.#maybe(0.95, () => ({ [HOSTNAME]: name })),
      ...this.#maybe(0.9, () => ({ [ZONE]: this.#of(['a', 'b', 'c']) })),
      ...this.#maybe(0.6, () => ({ rack: this.#of(['1', '2', '3', '4']) })),
      ...this.#maybe(0.4, () => ({ disk: this.#of(['ssd', 'hdd']) })),
      generation: this.#of(['1', '2', '5', '8']),
    } as Labels;
    const images = Object.entries(IMAGES)
      .filter(() => this.#random.float() < 0.4)
      .map(([image, sizeBytes]) => ({ names: [`registry.example/${image}:latest`], sizeBytes }));
    const declaredFeatures = this.#random.float() < 0.6 ? ['RestartAllContainersOnContainerExits'] : [];
    const taints = [
      ...(this.#random.float() < 0.15 ? [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' as const }] : []),
      ...(this.#random.float() < 0.2 ? [{ key: 'slow', effect: 'PreferNoSchedule' as const }] : []),
    ];
    return {
      metadata: { name, labels },
      spec: { taints },
      status: { allocatable, capacity: allocatable, images, declaredFeatures },
    };
  }

  #podSpec(): PodSpec {
    const what = this.#random.float();
    return {
      schedulerName: this.#random.float() < 0.4 ? 'default-scheduler' : this.#of(profileNames),
      priority: this.#of([-10, 0, 0, 0, 10, 100]),
      containers: this.#containers('c', this.#of([1, 1, 2])),
      ...this.#maybe(0.1, () => ({
        initContainers: this.#containers('i', 1).map((one) => ({ ...one, restartPolicy: 'Always' as const })),
      })),
      ...this.#maybe(0.05, () => ({ overhead: { cpu: '100m', memory: '50Mi' } })),
      ...this.#maybe(0.1, () => ({ resources: { requests: { cpu: '1500m' } } })),
      ...this.#maybe(0.1, () => ({ preemptionPolicy: 'Never' as const })),
      ...this.#maybe(0.15, () => ({ nodeSelector: { [this.#of([ZONE, 'rack'])]: this.#of(['a', 'b', '1']) } })),
      ...this.#maybe(0.2, () => ({ tolerations: [{ key: 'dedicated', operator: 'Exists' as const }] })),
      ...(what < 0.45 ? { topologySpreadConstraints: this.#constraints() } : {}),
      ...(what > 0.35 && what < 0.85 ? { affinity: this.#affinity() } : {}),
    };
  }

  #containers(prefix: string, count: number): Container[] {
    return Array.from({ length: count }, (_, index) => {
      const gpu = this.#maybe(0.08, () => ({ 'example.com/gpu': '1' }));
      const requests = {
        ...this.#maybe(0.8, () => ({ cpu: this.#of(['50m', '100m', '250m', '500m', '1']) })),
        ...this.#maybe(0.7, () => ({ memory: this.#of(['64Mi', '200Mi', '700Mi', '1Gi']) })),
        ...gpu,
      };
      return {
        name: `${prefix}${index}`,
        image: `registry.example/${this.#of(Object.keys(IMAGES))}`,
        resources: { limits: gpu, requests },
        ...this.#maybe(0.04, () => ({
          restartPolicy: 'Never' as const,
          restartPolicyRules: [
            { action: 'RestartAllContainers' as const, exitCodes: { operator: 'In' as const, values: [42] } },
          ],
        })),
      };
    });
  }

  #constraints(): TopologySpreadConstraint[] {
    const keys = this.#of([[ZONE], [HOSTNAME], [ZONE, HOSTNAME], ['rack', ZONE]]);
    return keys
      .map((topologyKey) => {
        const whenUnsatisfiable = this.#of(['DoNotSchedule', 'ScheduleAnyway'] as const);
        return {
          topologyKey,
          whenUnsatisfiable,
          maxSkew: this.#of([1, 1, 2, 3]),
          ...this.#maybe(0.9, () => ({ labelSelector: this.#selector() })),
          ...(whenUnsatisfiable === 'DoNotSchedule' ? this.#maybe(0.2, () => ({ minDomains: this.#of([2, 4]) })) : {}),
          ...this.#maybe(0.3, () => ({ nodeAffinityPolicy: this.#of(['Honor', 'Ignore'] as const) })),
          ...this.#maybe(0.3, () => ({ nodeTaintsPolicy: this.#of(['Honor', 'Ignore'] as const) })),
        };
      })
      .map((constraint) =>
        constraint.labelSelector !== undefined && this.#random.float() < 0.2
          ? { ...constraint, matchLabelKeys: ['track'] }
          : constraint,
      );
  }

  #affinity(): NonNullable<PodSpec['affinity']> {
    const terms = (): PodAffinityTerm[] => Array.from({ length: this.#of([1, 1, 2]) }, () => this.#term());
    const wishes = (): { weight: number; podAffinityTerm: PodAffinityTerm }[] =>
      terms().map((podAffinityTerm) => ({ weight: 1 + this.#random.int(100), podAffinityTerm }));
    return {
      ...this.#maybe(0.5, () => ({
        podAffinity: {
          ...this.#maybe(0.35, () => ({ requiredDuringSchedulingIgnoredDuringExecution: terms() })),
          ...this.#maybe(0.7, () => ({ preferredDuringSchedulingIgnoredDuringExecution: wishes() })),
        },
      })),
      ...this.#maybe(0.5, () => ({
        podAntiAffinity: {
          ...this.#maybe(0.4, () => ({ requiredDuringSchedulingIgnoredDuringExecution: terms() })),
          ...this.#maybe(0.7, () => ({ preferredDuringSchedulingIgnoredDuringExecution: wishes() })),
        },
      })),
      ...this.#maybe(0.15, () => ({
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: ZONE, operator: 'NotIn', values: [this.#of(['a', 'b'])] }] },
            ],
          },
        },
      })),
    };
  }

  #term(): PodAffinityTerm {
    const labelSelector = this.#selector();
    return {
      topologyKey: this.#of([HOSTNAME, HOSTNAME, ZONE, 'rack']),
      labelSelector,
      ...this.#maybe(0.15, () => ({ namespaces: [this.#of(['default', 'east'])] })),
      ...this.#maybe(0.25, () => ({ namespaceSelector: this.#namespaceSelector() })),
      ...this.#maybe(0.1, () => ({ matchLabelKeys: ['track'] })),
    };
  }

  #namespaceSelector(): LabelSelector {
    return this.#of<LabelSelector>([
      {},
      { matchLabels: { team: 'a' } },
      { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
      { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
    ]);
  }

  #selector(): LabelSelector {
    return this.#of<LabelSelector>([
      { matchLabels: { app: this.#of(APPS) } },
      { matchLabels: { app: this.#of(APPS) } },
      { matchExpressions: [{ key: 'app', operator: 'In', values: ['red', this.#of(APPS)] }] },
      { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [this.#of(APPS)] }] },
      { matchExpressions: [{ key: 'track', operator: 'Exists' }] },
      {},
    ]);
  }

  #of<T>(values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  #maybe<T extends object>(share: number, make: () => T): Partial<T> {
    return this.#random.float() < share ? make() : {};
  }
}
