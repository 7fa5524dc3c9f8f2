import type { KubeletSettings } from './kubelet-fields.ts';
import { quantityOf } from './quantities.ts';
import type { Texts } from '../../settings/setting.ts';

const NONE = 'none';
const RESERVED = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const PLACES = {
  'system-reserved': ['systemReservedCgroup', 'system-reserved-cgroup', 'system-reserved'],
  'system-reserved-compressible': ['systemReservedCgroup', 'system-reserved-cgroup', 'system-reserved'],
  'kube-reserved': ['kubeReservedCgroup', 'kube-reserved-cgroup', 'kube-reserved'],
  'kube-reserved-compressible': ['kubeReservedCgroup', 'kube-reserved-cgroup', 'kube-reserved'],
} as const;
const LEVELS = ['pods', ...Object.keys(PLACES), NONE];

/** What is wrong with what is set aside, and with how that is enforced. */
export function allocatableProblems(settings: KubeletSettings): readonly string[] {
  return [
    ...enforcementProblems(settings),
    ...cpuProblems(settings),
    ...memoryProblems(settings),
    ...reservedProblems(settings.systemReserved),
    ...reservedProblems(settings.kubeReserved),
  ];
}

function enforcementProblems(settings: KubeletSettings): readonly string[] {
  const { enforceNodeAllocatable: levels, cgroupsPerQOS } = settings;
  const problems: string[] = [];
  const add = (message: string): unknown => problems.push(`invalid configuration: ${message}`);
  for (const level of ['system-reserved', 'kube-reserved'])
    if (levels.includes(level) && levels.includes(`${level}-compressible`))
      add(
        `both "${level}" and "${level}-compressible" cannot be specified together in enforceNodeAllocatable (--enforce-node-allocatable)`,
      );
  const seen = new Set<string>();
  for (const level of levels) {
    if (seen.has(level)) {
      add(`duplicated enforcements "${level}" in enforceNodeAllocatable (--enforce-node-allocatable)`);
      continue;
    }
    seen.add(level);
    if (level === NONE) {
      if (levels.length > 1)
        add(
          'enforceNodeAllocatable (--enforce-node-allocatable) may not contain additional enforcements when "none" is specified',
        );
      continue;
    }
    if (!LEVELS.includes(level)) {
      const known = LEVELS.map((each) => `"${each}"`);
      add(
        `option "${level}" specified for enforceNodeAllocatable (--enforce-node-allocatable). Valid options are ${known.slice(0, -1).join(', ')} or "none"`,
      );
      continue;
    }
    const [field, flag, name] = isPlaced(level) ? PLACES[level] : [];
    if (field !== undefined && settings[field] === '')
      add(
        `${field} (--${flag}) must be specified when "${name}" or "${name}-compressible" included in enforceNodeAllocatable (--enforce-node-allocatable)`,
      );
    if (!cgroupsPerQOS)
      add(
        `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "${level}" contained in enforceNodeAllocatable (--enforce-node-allocatable)`,
      );
  }
  return problems;
}

function isPlaced(level: string): level is keyof typeof PLACES {
  return Object.hasOwn(PLACES, level);
}

function cpuProblems({ reservedSystemCPUs, systemReservedCgroup, kubeReservedCgroup }: KubeletSettings): string[] {
  if (reservedSystemCPUs === '') return [];
  const problems: string[] = [];
  if (systemReservedCgroup !== '' || kubeReservedCgroup !== '')
    problems.push(
      "invalid configuration: can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
    );
  if (!/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(reservedSystemCPUs))
    problems.push(
      `invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) ${reservedSystemCPUs}, error: not a list of CPUs`,
    );
  return problems;
}

function memoryProblems({ reservedMemory }: KubeletSettings): readonly string[] {
  const seen = new Set<string>();
  return reservedMemory.flatMap(({ numaNode, limits }) =>
    Object.entries(limits).flatMap(([name, amount]) => {
      const problems: string[] = [];
      if (name !== 'memory' && !name.startsWith('hugepages-'))
        problems.push(
          `invalid configuration: the limit type "${name}" for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
        );
      if (quantityOf(amount) === 0)
        problems.push(
          `invalid configuration: reserved memory may not be zero for NUMA node ${numaNode} and resource "${name}"`,
        );
      const key = `${numaNode} ${name}`;
      if (seen.has(key))
        problems.push(
          `invalid configuration: the reserved memory has a duplicate value for NUMA node ${numaNode} and resource "${name}"`,
        );
      seen.add(key);
      return problems;
    }),
  );
}

/** As a kubelet reports them when it starts. */
function reservedProblems(reserved: Texts): readonly string[] {
  return Object.entries(reserved).flatMap(([name, text]) => {
    if (!RESERVED.includes(name)) return [`cannot reserve "${name}" resource`];
    const amount = quantityOf(text);
    if (amount === undefined) return [`failed to parse quantity "${text}" for "${name}" resource`];
    return amount < 0 ? [`resource quantity for "${name}" cannot be negative: ${text}`] : [];
  });
}
