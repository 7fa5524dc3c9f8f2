import type { ResourceTexts } from '../node/index.ts';

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

/** How processors and memory are assigned to containers. Names and values as in KubeletConfiguration. */
export interface AssignmentOptions {
  readonly cpuManagerPolicy: 'none' | 'static';
  /** `{ 'full-pcpus-only': 'true' }`. */
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>;
  readonly cpuManagerReconcilePeriodMs: number;
  /** Processors that no container gets alone, as a list: `0-1`; empty for as many as are reserved, from the first core on. */
  readonly reservedSystemCPUs: string;
  readonly memoryManagerPolicy: 'None' | 'Static';
  /** What is reserved on each NUMA node; together it must be what is reserved of the node. */
  readonly reservedMemory: readonly { readonly numaNode: number; readonly limits: ResourceTexts }[];
  readonly topologyManagerPolicy: TopologyPolicy;
  readonly topologyManagerScope: 'container' | 'pod';
  readonly topologyManagerPolicyOptions: Readonly<Record<string, string>>;
}

export const DEFAULT_ASSIGNMENT_OPTIONS: AssignmentOptions = {
  cpuManagerPolicy: 'none',
  cpuManagerPolicyOptions: {},
  cpuManagerReconcilePeriodMs: 10_000,
  reservedSystemCPUs: '',
  memoryManagerPolicy: 'None',
  reservedMemory: [],
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  topologyManagerPolicyOptions: {},
};

/** The options of the static policy. */
export interface StaticCpuOptions {
  /** Containers get whole cores only. */
  readonly hasFullCores: boolean;
  readonly isDistributed: boolean;
  readonly isSpread: boolean;
  readonly isBySocket: boolean;
  /** Shared processors do not contain the reserved ones. */
  readonly isStrict: boolean;
  readonly isByCache: boolean;
}

const CPU_OPTIONS = {
  'full-pcpus-only': 'hasFullCores',
  'distribute-cpus-across-numa': 'isDistributed',
  'distribute-cpus-across-cores': 'isSpread',
  'align-by-socket': 'isBySocket',
  'strict-cpu-reservation': 'isStrict',
  'prefer-align-cpus-by-uncorecache': 'isByCache',
} as const;

/** Still behind feature gates that are off by default. */
const ALPHA = new Set(['distribute-cpus-across-cores', 'align-by-socket']);

type CpuOption = keyof typeof CPU_OPTIONS;

/** Options that cannot be used together. */
const EXCLUSIVE: readonly (readonly [CpuOption, CpuOption])[] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

/** Reads the options of the static policy. `allowsAlpha` is the feature gate CPUManagerPolicyAlphaOptions. */
export function staticCpuOptions(
  texts: Readonly<Record<string, string>>,
  { allowsAlpha = true }: { readonly allowsAlpha?: boolean } = {},
): StaticCpuOptions {
  const on = new Set<string>();
  for (const [name, value] of Object.entries(texts)) {
    if (!(name in CPU_OPTIONS)) throw new Error(`unknown CPU Manager Policy option: "${name}"`);
    if (ALPHA.has(name) && !allowsAlpha)
      throw new Error(`CPU Manager Policy Alpha-level Options not enabled, but option "${name}" provided`);
    if (isOn(name, value)) on.add(name);
  }
  for (const [left, right] of EXCLUSIVE)
    if (on.has(left) && on.has(right))
      throw new Error(`static policy options ${left} and ${right} can not be used at the same time`);
  const has = (name: CpuOption): boolean => on.has(name);
  return {
    hasFullCores: has('full-pcpus-only'),
    isDistributed: has('distribute-cpus-across-numa'),
    isSpread: has('distribute-cpus-across-cores'),
    isBySocket: has('align-by-socket'),
    isStrict: has('strict-cpu-reservation'),
    isByCache: has('prefer-align-cpus-by-uncorecache'),
  };
}

export interface TopologyOptions {
  readonly prefersClosest: boolean;
  readonly maxNodes: number;
}

/** More NUMA nodes make the number of combinations explode. */
const DEFAULT_MAX_NODES = 8;

export function topologyOptions(texts: Readonly<Record<string, string>>): TopologyOptions {
  let [prefersClosest, maxNodes] = [false, DEFAULT_MAX_NODES];
  for (const [name, value] of Object.entries(texts))
    if (name === 'prefer-closest-numa-nodes') prefersClosest = isOn(name, value);
    else if (name === 'max-allowable-numa-nodes') {
      maxNodes = Number(value);
      if (!Number.isInteger(maxNodes))
        throw new Error(`unable to convert policy option to integer "${name}": "${value}"`);
      if (maxNodes < DEFAULT_MAX_NODES)
        throw new Error(`the minimum value of "${name}" should not be less than ${DEFAULT_MAX_NODES}`);
    } else throw new Error(`unknown Topology Manager Policy option: "${name}"`);
  return { prefersClosest, maxNodes };
}

function isOn(name: string, value: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw new Error(`bad value for option "${name}": "${value}" is neither true nor false`);
}
