import type { Container, PodSpec } from '../../../src/api/types/core/v1.d.ts';
import {
  type AssignmentOptions,
  DEFAULT_ASSIGNMENT_OPTIONS,
  type MachineShape,
} from '../../../src/assignment/index.ts';
import type { Random } from '../../../src/base/index.ts';
import { type Case, RESOURCE, type Step } from './recorded-decisions.ts';

const GIBIBYTE = 1024 ** 3;
const SHARE = { memoryPerNumaNodeBytes: 8 * GIBIBYTE };

const SHAPES: readonly MachineShape[] = [
  { ...SHARE, coresPerNumaNode: 8 },
  { ...SHARE, sockets: 2, coresPerNumaNode: 4, threadsPerCore: 2 },
  { ...SHARE, sockets: 2, coresPerNumaNode: 4, threadsPerCore: 2, hugePagesPerNumaNode: 512 },
  { ...SHARE, numaNodesPerSocket: 2, coresPerNumaNode: 4, threadsPerCore: 2, cachesPerNumaNode: 2 },
  { ...SHARE, sockets: 2, numaNodesPerSocket: 2, coresPerNumaNode: 4, threadsPerCore: 2, cachesPerNumaNode: 2 },
  { ...SHARE, sockets: 2, numaNodesPerSocket: 2, coresPerNumaNode: 3, threadsPerCore: 2, hugePagesPerNumaNode: 256 },
  { ...SHARE, sockets: 4, coresPerNumaNode: 2, threadsPerCore: 2 },
  { ...SHARE, sockets: 2, numaNodesPerSocket: 4, coresPerNumaNode: 2, threadsPerCore: 2 },
];
/** More NUMA nodes than the topology manager takes by default. */
const LARGE: MachineShape = { ...SHARE, sockets: 2, numaNodesPerSocket: 5, coresPerNumaNode: 2 };

const CPU_OPTIONS: readonly (readonly string[])[] = [
  [],
  [],
  ['full-pcpus-only'],
  ['distribute-cpus-across-numa'],
  ['full-pcpus-only', 'distribute-cpus-across-numa'],
  ['distribute-cpus-across-cores'],
  ['align-by-socket'],
  ['strict-cpu-reservation'],
  ['prefer-align-cpus-by-uncorecache'],
  ['full-pcpus-only', 'prefer-align-cpus-by-uncorecache', 'strict-cpu-reservation'],
];

/** Makes up machines, settings and pods. */
export class RandomCase {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Case {
    const isLarge = this.#is(0.06);
    const shape = isLarge ? LARGE : this.#one(SHAPES);
    const nodes = (shape.sockets ?? 1) * (shape.numaNodesPerSocket ?? 1);
    const options = this.#options(nodes, isLarge);
    const devices = this.#is(0.55) ? this.#devices(nodes) : [];
    const hasDistances = 'prefer-closest-numa-nodes' in options.topologyManagerPolicyOptions;
    const steps = this.#steps(shape, devices.length);
    return { shape, ...(hasDistances ? { distances: this.#distances(nodes) } : {}), options, devices, steps };
  }

  #options(nodes: number, isLarge: boolean): AssignmentOptions {
    const topologyManagerPolicy = this.#one(['none', 'best-effort', 'restricted', 'single-numa-node'] as const);
    const names = this.#one(CPU_OPTIONS).filter(
      (name) => name !== 'align-by-socket' || topologyManagerPolicy !== 'single-numa-node',
    );
    const cpuManagerPolicy = this.#is(0.85) ? 'static' : 'none';
    const isMemoryStatic = !isLarge && this.#is(0.6);
    const isSplit = nodes > 1 && this.#is(0.5);
    const reserved = isSplit ? ['512Mi', '512Mi'] : ['1Gi'];
    const topologyOptions = topologyManagerPolicy === 'none' ? [] : this.#some(['prefer-closest-numa-nodes'], 0.35);
    return {
      ...DEFAULT_ASSIGNMENT_OPTIONS,
      cpuManagerPolicy,
      cpuManagerPolicyOptions:
        cpuManagerPolicy === 'none' ? {} : Object.fromEntries(names.map((name) => [name, 'true'])),
      reservedSystemCPUs: this.#is(0.3) ? '0,2' : '',
      memoryManagerPolicy: isMemoryStatic ? 'Static' : 'None',
      reservedMemory: isMemoryStatic ? reserved.map((memory, numaNode) => ({ numaNode, limits: { memory } })) : [],
      topologyManagerPolicy,
      topologyManagerScope: this.#one(['container', 'pod'] as const),
      topologyManagerPolicyOptions: {
        ...Object.fromEntries(topologyOptions.map((name) => [name, 'true'])),
        ...(isLarge ? { 'max-allowable-numa-nodes': '10' } : {}),
      },
    };
  }

  /** Near to one NUMA node, to two, or to none. */
  #devices(nodes: number): Case['devices'] {
    const isPlain = this.#is(0.1);
    return Array.from({ length: 2 + this.#random.int(7) }, (_, index) => {
      const node = this.#random.int(nodes);
      const isNearTwo = nodes > 1 && this.#is(0.15);
      const numaNodes = isNearTwo ? [node, (node + 1) % nodes].toSorted((left, right) => left - right) : [node];
      return { id: `dev-${index}`, numaNodes: isPlain || this.#is(0.08) ? [] : numaNodes };
    });
  }

  #distances(nodes: number): readonly (readonly number[])[] {
    const far = Array.from({ length: nodes }, () => Array.from({ length: nodes }, () => 11 + this.#random.int(4) * 5));
    return far.map((row, from) =>
      row.map((_, to) => (from === to ? 10 : (far[Math.min(from, to)]?.[Math.max(from, to)] ?? 0))),
    );
  }

  #steps(shape: MachineShape, devices: number): readonly Step[] {
    const living: string[] = [];
    return Array.from({ length: 4 + this.#random.int(5) }, (_, index): Step => {
      if (living.length > 1 && this.#is(0.2)) {
        const [release = ''] = living.splice(this.#random.int(living.length), 1);
        return { release };
      }
      const uid = `pod-${index}`;
      living.push(uid);
      return { uid, spec: this.#spec(shape, devices) };
    });
  }

  #spec(shape: MachineShape, devices: number): PodSpec {
    const perNode = shape.coresPerNumaNode * (shape.threadsPerCore ?? 1);
    const isGuaranteed = this.#is(0.85);
    const isPodLevel = this.#is(0.07);
    const wantsDevices = devices > 0 && this.#is(0.6);
    const hasInit = this.#is(0.3);
    const container = (name: string, count: number): Container => {
      const cpu = this.#one(['1', '2', '2', '3', '4', String(perNode), String(perNode + 1), '500m', '1500m']);
      const memory = this.#one(['512Mi', '1Gi', '2Gi', '4Gi', '9Gi']);
      const pages: Record<string, string> =
        (shape.hugePagesPerNumaNode ?? 0) > 0 && this.#is(0.3) ? { 'hugepages-2Mi': '64Mi' } : {};
      const given: Record<string, string> = count > 0 ? { [RESOURCE]: String(count) } : {};
      const limits = { cpu, memory, ...pages, ...given };
      return {
        name,
        image: 'i',
        resources: { limits, requests: isGuaranteed ? limits : { ...limits, memory: '256Mi' } },
      };
    };
    // devices of init containers are given out again in no particular order: one container takes all of them
    const initDevices = wantsDevices && hasInit && this.#is(0.4) ? 1 : 0;
    const count = initDevices > 0 ? 1 : 1 + this.#random.int(3);
    const containers = Array.from({ length: count }, (_, index) =>
      container(`c${index}`, wantsDevices ? initDevices + this.#random.int(3) : 0),
    );
    const init = hasInit
      ? [
          ...(this.#is(0.4) ? [{ ...container('sidecar', 0), restartPolicy: 'Always' }] : []),
          container('init', initDevices),
        ]
      : [];
    const pod = { cpu: '4', memory: '8Gi' };
    return {
      containers,
      ...(init.length > 0 ? { initContainers: init } : {}),
      ...(isPodLevel ? { resources: { limits: pod, requests: pod } } : {}),
    };
  }

  #is(probability: number): boolean {
    return this.#random.float() < probability;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random.int(list.length)] as T;
  }

  #some<T>(list: readonly T[], probability: number): readonly T[] {
    return list.filter(() => this.#is(probability));
  }
}
