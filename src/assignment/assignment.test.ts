import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { Checkpoints } from '../node/index.ts';
import { podOf } from '../node/testing/pod-views.ts';
import { type AssignmentMetrics, assignmentMetrics } from './assignment-metrics.ts';
import { formatCpuList, parseCpuList } from './cpu-list.ts';
import type { MachineTopology } from './machine-topology.ts';
import { type MachineShape, madeTopology } from './made-topology.ts';
import {
  type AssignmentOptions,
  DEFAULT_ASSIGNMENT_OPTIONS,
  staticCpuOptions,
  type TopologyPolicy,
} from './assignment-options.ts';
import { chooseCpus } from './cpu-choice.ts';
import { distributeCpus } from './cpu-distribution.ts';
import { ResourceAssigner } from './resource-assigner.ts';
import { StaticCpus } from './static-cpus.ts';
import { TopologyAgreement } from './topology-agreement.ts';
import type { ResourceHints, TopologyHint } from './topology-hints.ts';

const GIBIBYTE = 1024 ** 3;

class MemoryCheckpoints implements Checkpoints {
  readonly files = new Map<string, string>();

  async read(name: string): Promise<string | undefined> {
    return this.files.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.files.set(name, text);
  }
}

const SMALL: MachineShape = {
  sockets: 2,
  coresPerNumaNode: 2,
  threadsPerCore: 2,
  memoryPerNumaNodeBytes: 8 * GIBIBYTE,
};
const RESERVED = { cpu: '1', memory: '1Gi' };

function counted(): { readonly clock: VirtualClock; readonly metrics: AssignmentMetrics } {
  return { clock: new VirtualClock(), metrics: assignmentMetrics() };
}

interface Opened {
  readonly assigner: ResourceAssigner;
  readonly checkpoints: MemoryCheckpoints;
}

async function open(options: Partial<AssignmentOptions>, checkpoints = new MemoryCheckpoints()): Promise<Opened> {
  const all = { ...DEFAULT_ASSIGNMENT_OPTIONS, ...options };
  const topology = madeTopology(SMALL);
  return {
    assigner: await ResourceAssigner.open({ options: all, topology, reserved: RESERVED, checkpoints, ...counted() }),
    checkpoints,
  };
}

interface Sketch {
  readonly cpus: readonly string[];
  readonly memory?: string;
  readonly init?: string;
}

/** A guaranteed pod with a container for each number of processors. */
function pod(uid: string, { cpus, memory = '1Gi', init }: Sketch): Observed<Pod> {
  const container = (name: string, cpu: string): object => {
    const amounts = { cpu, memory };
    return { name, resources: { requests: amounts, limits: amounts } };
  };
  const spec = {
    containers: cpus.map((cpu, index) => container(`c${index}`, cpu)),
    ...(init === undefined ? {} : { initContainers: [container('init', init)] }),
  };
  return podOf({ metadata: { uid }, spec: spec as NonNullable<Pod['spec']>, status: { qosClass: 'Guaranteed' } });
}

interface Choice {
  readonly shape: readonly [number, number, number, number, number];
  readonly available: string;
  readonly count: number;
  readonly kind: string;
  readonly result: string | readonly string[] | null;
}

interface Recorded {
  readonly nodes: number;
  readonly policy: Exclude<TopologyPolicy, 'none'>;
  readonly closest: boolean;
  readonly hints: readonly ('none' | 'impossible' | readonly string[])[];
  readonly result: string;
  readonly accepted: boolean;
}

const answers = JSON.parse(readFileSync(new URL('testdata/kubelet-answers.json', import.meta.url), 'utf8')) as {
  readonly choices: readonly Choice[];
  readonly agreements: readonly Recorded[];
};

function hintOf(text: string): TopologyHint {
  return { nodes: parseCpuList(text.replace('!', '')), isPreferred: text.endsWith('!') };
}

function textOf({ nodes, isPreferred }: TopologyHint): string {
  return `${nodes === undefined ? 'any' : formatCpuList(nodes)}${isPreferred ? '!' : ''}`;
}

describe('a kubelet’s recorded answers', () => {
  const machines = new Map<string, MachineTopology>();

  function machineOf(shape: Choice['shape']): MachineTopology {
    const [sockets, numaNodesPerSocket, coresPerNumaNode, threadsPerCore, cachesPerNumaNode] = shape;
    const key = shape.join();
    const counts = { sockets, numaNodesPerSocket, coresPerNumaNode, threadsPerCore, cachesPerNumaNode };
    const found = machines.get(key) ?? madeTopology({ ...counts, memoryPerNumaNodeBytes: 8 * GIBIBYTE });
    machines.set(key, found);
    return found;
  }

  async function answer({ shape, available, count, kind }: Choice): Promise<string | readonly string[] | null> {
    const { processors } = machineOf(shape);
    const asked = { available: new Set(parseCpuList(available)), count };
    const packed = { isSpread: kind === 'spread', isByCache: kind === 'cache' };
    if (kind.startsWith('distributed')) {
      const groupSize = kind === 'distributed' ? 1 : shape[3];
      return formatCpuList(distributeCpus(processors, asked, { groupSize, isSpread: false }));
    }
    if (!kind.startsWith('hints')) return formatCpuList(chooseCpus(processors, asked, packed));
    const all = new Set(processors.map(({ cpu }) => cpu));
    const checkpoints = new MemoryCheckpoints();
    const options = staticCpuOptions({ 'align-by-socket': String(kind === 'hints by socket') });
    const reserved = new Set([...all].filter((cpu) => !asked.available.has(cpu)));
    const cpus = await StaticCpus.open({ topology: processors, options, reserved, checkpoints, ...counted() });
    const hints = cpus.hints(pod('u', { cpus: [String(count)] }), { name: 'c0', ...resources(String(count)) });
    const texts = (hints.get('cpu') ?? []).map(textOf);
    return texts.length === 0 ? null : texts;
  }

  function resources(cpu: string): object {
    return { resources: { requests: { cpu }, limits: { cpu } } };
  }

  test('to which processors a container gets are given here too', async () => {
    const wrong = [];
    for (const choice of answers.choices) {
      const given = await answer(choice);
      if (JSON.stringify(given) !== JSON.stringify(choice.result)) wrong.push({ ...choice, given });
    }
    expect(wrong).toEqual([]);
  });

  test('to which NUMA nodes suit all resources are given here too', () => {
    const wrong = [];
    for (const recorded of answers.agreements) {
      const { nodes: count, policy, closest, hints } = recorded;
      const nodes = Array.from({ length: count }, (_, id) => ({
        id,
        distances: Array.from({ length: count }, (_each, other) => (other === id ? 10 : 11 + ((id + other) % 3) * 5)),
      }));
      const agreement = new TopologyAgreement(policy, nodes, { prefersClosest: closest, maxNodes: 8 });
      const lists = hints.map((each): ResourceHints => {
        if (each === 'none') return new Map();
        return new Map([['r', each === 'impossible' ? [] : each.map(hintOf)]]);
      });
      const { affinity, isAccepted } = agreement.reach(lists);
      if (textOf(affinity) !== recorded.result || isAccepted !== recorded.accepted)
        wrong.push({ ...recorded, given: textOf(affinity), isAccepted });
    }
    expect(wrong).toEqual([]);
  });
});

describe('the static policy for processors', () => {
  test('gives whole processors to guaranteed containers, and the rest to all others', async () => {
    const { assigner, checkpoints } = await open({ cpuManagerPolicy: 'static' });
    expect(await assigner.admit(pod('a', { cpus: ['2', '500m'] }))).toBeUndefined();
    expect(assigner.cpusOf('a', 'c0')).toBe('1,5');
    expect(assigner.cpusOf('a', 'c1')).toBe('0,2-4,6-7');
    expect(assigner.cpusOf('other', 'x')).toBe('0,2-4,6-7');
    expect(assigner.given('a', 'c0').cpus).toEqual([1, 5]);
    expect(assigner.given('a', 'c1').cpus).toEqual([]);
    expect(assigner.givable().cpus).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const limits = {
      cpuPeriod: 100_000,
      cpuQuota: 1,
      cpuShares: 2,
      memoryLimitInBytes: 3,
      oomScoreAdj: 4,
      hugepageLimits: [],
    };
    expect(assigner.assigned(pod('a', { cpus: ['2'] }), { name: 'c0' }, limits)).toMatchObject({
      cpuQuota: -1,
      cpusetCpus: '1,5',
    });
    expect(checkpoints.files.get('cpu_manager_state')).toMatch(
      /^\{"policyName":"static","defaultCpuSet":"0,2-4,6-7","entries":\{"a":\{"c0":"1,5"\}\},"checksum":\d+\}$/,
    );
    const again = await open({ cpuManagerPolicy: 'static' }, checkpoints);
    expect(again.assigner.cpusOf('a', 'c0')).toBe('1,5');
    await again.assigner.release('a');
    expect(again.assigner.cpusOf('other', 'x')).toBe('0-7');
  });

  test('lets containers have the processors of init containers', async () => {
    const { assigner } = await open({ cpuManagerPolicy: 'static' });
    expect(await assigner.admit(pod('a', { cpus: ['4'], init: '6' }))).toBeUndefined();
    const [init, own] = ['init', 'c0'].map((name) => parseCpuList(assigner.cpusOf('a', name) ?? ''));
    expect(own?.every((cpu) => init?.includes(cpu))).toBe(true);
    expect(await assigner.admit(pod('b', { cpus: ['3'] }))).toMatchObject({ reason: 'UnexpectedAdmissionError' });
  });

  test('rejects what does not fit, in a kubelet’s words', async () => {
    const cores = await open({ cpuManagerPolicy: 'static', cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } });
    expect(await cores.assigner.admit(pod('a', { cpus: ['3'] }))).toEqual({
      reason: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
    });
    expect(await cores.assigner.admit(pod('b', { cpus: ['8'] }))).toEqual({
      reason: 'SMTAlignmentError',
      message:
        'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2',
    });
    const plain = await open({ cpuManagerPolicy: 'static' });
    expect(await plain.assigner.admit(pod('c', { cpus: ['8'] }))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to not enough cpus available to satisfy request: requested=8, available=7, which is unexpected',
    });
    expect(plain.assigner.refuseResize({ cpu: true, memory: false })).toBe(
      'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    );
  });

  test('keeps reserved processors for the system alone if that is strict', async () => {
    const { assigner } = await open({
      cpuManagerPolicy: 'static',
      cpuManagerPolicyOptions: { 'strict-cpu-reservation': 'true' },
      reservedSystemCPUs: '0,4',
    });
    expect(assigner.cpusOf('other', 'x')).toBe('1-3,5-7');
  });

  test('writes a kubelet’s file, and refuses one that is damaged or of another policy', async () => {
    const { checkpoints } = await open({});
    expect(checkpoints.files.get('cpu_manager_state')).toBe(
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    );
    expect(checkpoints.files.get('memory_manager_state')).toBe(
      '{"policyName":"None","machineState":{},"checksum":4236770233}',
    );
    await expect(open({ cpuManagerPolicy: 'static' }, checkpoints)).rejects.toThrow(
      'configured policy "static" differs from state checkpoint policy "none"',
    );
    checkpoints.files.set('cpu_manager_state', '{"policyName":"none","defaultCpuSet":"0","checksum":1353318690}');
    await expect(open({}, checkpoints)).rejects.toThrow('checkpoint is corrupted');
  });

  test('options that are unknown or contradict each other are refused', () => {
    expect(() => staticCpuOptions({ fast: 'true' })).toThrow('unknown CPU Manager Policy option: "fast"');
    expect(() => staticCpuOptions({ 'full-pcpus-only': 'yes' })).toThrow('bad value for option "full-pcpus-only"');
    expect(() =>
      staticCpuOptions({ 'prefer-align-cpus-by-uncorecache': 'true', 'distribute-cpus-across-numa': 'true' }),
    ).toThrow('can not be used at the same time');
  });
});

describe('agreement on NUMA nodes', () => {
  const aligned = { cpuManagerPolicy: 'static', topologyManagerPolicy: 'single-numa-node' } as const;

  test('keeps a container on one node, or rejects its pod', async () => {
    const { assigner } = await open(aligned);
    expect(await assigner.admit(pod('a', { cpus: ['4'] }))).toBeUndefined();
    expect(assigner.cpusOf('a', 'c0')).toBe('2-3,6-7');
    expect(await assigner.admit(pod('b', { cpus: ['4'] }))).toEqual({
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
    });
  });

  test('holds for all containers of a pod together if the scope is the pod', async () => {
    const two = pod('a', { cpus: ['3', '3'] });
    const alone = await open(aligned);
    expect(await alone.assigner.admit(two)).toBeUndefined();
    const together = await open({ ...aligned, topologyManagerScope: 'pod' });
    expect(await together.assigner.admit(two)).toMatchObject({ reason: 'TopologyAffinityError' });
    expect(together.assigner.podUids()).toEqual([]);
  });
});

describe('the static policy for memory', () => {
  const reservedMemory = [{ numaNode: 0, limits: { memory: '1Gi' } }];
  const options = { memoryManagerPolicy: 'Static', reservedMemory } as const;

  test('gives each container memory of as few NUMA nodes as possible', async () => {
    const { assigner, checkpoints } = await open(options);
    const limits = {
      cpuPeriod: 1,
      cpuQuota: 1,
      cpuShares: 2,
      memoryLimitInBytes: 3,
      oomScoreAdj: 4,
      hugepageLimits: [],
    };
    const memsOf = (uid: string): string | undefined =>
      assigner.assigned(pod(uid, { cpus: ['1'] }), { name: 'c0' }, limits).cpusetMems;
    expect(await assigner.admit(pod('a', { cpus: ['1'], memory: '6Gi' }))).toBeUndefined();
    expect(await assigner.admit(pod('b', { cpus: ['1'], memory: '7Gi' }))).toBeUndefined();
    expect([memsOf('a'), memsOf('b')]).toEqual(['0', '1']);
    expect(assigner.given('b', 'c0')).toEqual({
      cpus: [],
      memory: [{ type: 'memory', size: 7 * GIBIBYTE, nodes: [1] }],
    });
    expect(assigner.givable().memory).toEqual([
      { type: 'memory', size: 7 * GIBIBYTE, nodes: [0] },
      { type: 'memory', size: 8 * GIBIBYTE, nodes: [1] },
    ]);
    expect(await assigner.admit(pod('c', { cpus: ['1'], memory: '2Gi' }))).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: expect.stringContaining('no NUMA nodes with enough memory is available') as string,
    });
    const state = JSON.parse(checkpoints.files.get('memory_manager_state') ?? '') as {
      readonly machineState: Readonly<Record<string, { readonly memoryMap: Readonly<Record<string, unknown>> }>>;
    };
    expect(state.machineState['0']?.memoryMap['memory']).toEqual({
      total: 8 * GIBIBYTE,
      systemReserved: GIBIBYTE,
      allocatable: 7 * GIBIBYTE,
      reserved: 6 * GIBIBYTE,
      free: GIBIBYTE,
    });
    const again = await open(options, checkpoints);
    await again.assigner.release('a');
    await again.assigner.release('b');
    expect(await again.assigner.admit(pod('d', { cpus: ['1'], memory: '15Gi' }))).toBeUndefined();
    expect(again.assigner.assigned(pod('d', { cpus: ['1'] }), { name: 'c0' }, limits).cpusetMems).toBe('0-1');
    expect(await again.assigner.admit(pod('e', { cpus: ['1'], memory: '1Mi' }))).toBeDefined();
  });

  test('needs a reservation that is the node’s', async () => {
    await expect(open({ memoryManagerPolicy: 'Static' })).rejects.toThrow(
      'the total amount "0" of type "memory" is not equal to the value "1Gi" determined by Node Allocatable feature',
    );
  });
});
