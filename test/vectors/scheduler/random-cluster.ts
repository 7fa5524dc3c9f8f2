import type { Random } from '../../../src/base/index.ts';
import type {
  Container,
  NodeSelectorTerm,
  NodeSpec,
  NodeStatus,
  PodSpec,
  Taint,
  Toleration,
} from '../../../src/api/types/core/v1.d.ts';

/** A node to be made. */
export interface RandomNode {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** A pod to be made. */
export interface RandomPod {
  readonly name: string;
  readonly spec: PodSpec;
}

const NODES = 12;
const PODS = 110;

/** Nodes and pods that differ in all that the plugins look at: room, labels, taints, ports; far too many pods for the room. */
export class RandomCluster {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  nodes(): RandomNode[] {
    return Array.from({ length: NODES }, (_, index) => this.#node(`n${index}`));
  }

  pods(): RandomPod[] {
    return Array.from({ length: PODS }, (_, index) => ({ name: `p${index}`, spec: this.#podSpec() }));
  }

  #node(name: string): RandomNode {
    const allocatable = {
      cpu: this.#oneOf('2', '3500m', '4', '8', '16'),
      memory: this.#oneOf('3Gi', '4000000Ki', '8Gi', '16Gi', '31Gi'),
      pods: this.#oneOf('9', '110', '250'),
      'ephemeral-storage': this.#oneOf('10Gi', '50Gi'),
      ...this.#maybe(0.3, () => ({ 'example.com/gpu': this.#oneOf('2', '4') })),
    };
    const labels = {
      'kubernetes.io/hostname': name,
      zone: this.#oneOf('a', 'b', 'c'),
      generation: this.#oneOf('1', '2', '3', '5', '8'),
      ...this.#maybe(0.4, () => ({ disk: this.#oneOf('ssd', 'hdd') })),
    };
    const spec = { taints: this.#taints(), ...this.#maybe(0.1, () => ({ unschedulable: true })) };
    return { metadata: { name, labels }, spec, status: { allocatable, capacity: allocatable } };
  }

  #taints(): Taint[] {
    const taint = (share: number, make: () => Taint): Taint[] => (this.#random.float() < share ? [make()] : []);
    return [
      ...taint(0.35, () => ({ key: 'slow', value: this.#oneOf('a', 'b'), effect: 'PreferNoSchedule' })),
      ...taint(0.2, () => ({ key: 'old', effect: 'PreferNoSchedule' })),
      ...taint(0.25, () => ({
        key: 'dedicated',
        value: this.#oneOf('x', 'y'),
        effect: this.#oneOf('NoSchedule', 'NoExecute'),
      })),
    ];
  }

  #podSpec(): PodSpec {
    const containers = this.#containers('c', this.#oneOf(1, 1, 1, 2, 3));
    return {
      containers,
      ...this.#maybe(0.15, () => ({ initContainers: this.#initContainers() })),
      ...this.#maybe(0.1, () => ({
        resources: { requests: this.#oneOf<Record<string, string>>({ cpu: '4', memory: '12Gi' }, { cpu: '6' }) },
      })),
      ...this.#maybe(0.3, () => ({ tolerations: [this.#toleration()] })),
      ...this.#maybe(0.4, () => ({ affinity: { nodeAffinity: this.#nodeAffinity() } })),
      ...this.#maybe(0.1, () => ({ nodeSelector: { zone: this.#oneOf('a', 'b', 'c') } })),
    };
  }

  #containers(prefix: string, count: number): Container[] {
    return Array.from({ length: count }, (_, index) => {
      const gpu = this.#maybe(0.05, () => ({ 'example.com/gpu': '1' }));
      return {
        name: `${prefix}${index}`,
        image: 'image',
        resources: { limits: gpu, requests: { ...this.#requests(), ...gpu } },
        ...this.#maybe(0.08, () => ({ ports: [this.#hostPort()] })),
      };
    });
  }

  #initContainers(): Container[] {
    return this.#containers('i', this.#oneOf(1, 2)).map((container) => ({
      ...container,
      ...this.#maybe(0.5, () => ({ restartPolicy: 'Always' as const })),
    }));
  }

  #hostPort(): { containerPort: number; hostPort: number; hostIP: string } {
    return { containerPort: 80, hostPort: this.#oneOf(8080, 8081), hostIP: this.#oneOf('', '127.0.0.1', '10.0.0.1') };
  }

  #requests(): Record<string, string> {
    return {
      ...this.#maybe(0.75, () => ({ cpu: this.#oneOf('50m', '100m', '333m', '500m', '1', '1500m', '2') })),
      ...this.#maybe(0.7, () => ({ memory: this.#oneOf('64Mi', '200Mi', '1Gi', '1500M', '3Gi') })),
      ...this.#maybe(0.1, () => ({ 'ephemeral-storage': this.#oneOf('1Gi', '20Gi') })),
    };
  }

  #toleration(): Toleration {
    return this.#oneOf<Toleration>(
      { key: 'slow', operator: 'Exists' },
      { key: 'slow', value: 'a', effect: 'PreferNoSchedule' },
      { key: 'dedicated', operator: 'Equal', value: 'x' },
      { key: 'old', operator: 'Exists', effect: 'NoSchedule' },
      { operator: 'Exists' },
    );
  }

  #nodeAffinity(): NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']> {
    const terms = (count: number): NodeSelectorTerm[] => Array.from({ length: count }, () => this.#term());
    return {
      ...this.#maybe(0.7, () => ({
        preferredDuringSchedulingIgnoredDuringExecution: terms(this.#oneOf(1, 2, 3)).map((preference) => ({
          weight: 1 + this.#random.int(100),
          preference,
        })),
      })),
      ...this.#maybe(0.5, () => ({
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms(this.#oneOf(1, 2)) },
      })),
    };
  }

  #term(): NodeSelectorTerm {
    return this.#oneOf<NodeSelectorTerm>(
      { matchExpressions: [{ key: 'zone', operator: 'In', values: [this.#oneOf('a', 'b'), this.#oneOf('b', 'c')] }] },
      { matchExpressions: [{ key: 'disk', operator: this.#oneOf('Exists', 'DoesNotExist') }] },
      { matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['hdd'] }] },
      { matchExpressions: [{ key: 'generation', operator: this.#oneOf('Gt', 'Lt'), values: [this.#oneOf('2', '4')] }] },
      {
        matchFields: [
          { key: 'metadata.name', operator: this.#oneOf('In', 'NotIn'), values: [`n${this.#random.int(NODES + 2)}`] },
        ],
      },
    );
  }

  #oneOf<const T>(...values: readonly T[]): T {
    return values[this.#random.int(values.length)] as T;
  }

  #maybe<T extends object>(share: number, make: () => T): Partial<T> {
    return this.#random.float() < share ? make() : {};
  }
}
