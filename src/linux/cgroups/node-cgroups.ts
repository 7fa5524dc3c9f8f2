import { type Clock, type Logger, messageOf } from '../../base/index.ts';
import { amountsOf, podRequests, qosClassOf } from '../../api/meaning/index.ts';
import { quantityOf } from '../../api/values/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import {
  type CgroupLimits,
  type CgroupName,
  cgroupNameOf,
  cgroupPath,
  podCgroupLimits,
  podCgroupName,
  type PodCgroupPlace,
  qosCgroupName,
  type ResourceRules,
  type ResourceTexts,
  shares,
} from '../../node/index.ts';
import type { CgroupOptions } from './cgroup-options.ts';
import type { CgroupTree } from './cgroup-tree.ts';

export interface NodeCgroupParts {
  readonly tree: CgroupTree;
  readonly options: CgroupOptions;
  readonly rules: ResourceRules;
  /** Capacity of the machine, with `pid` for its processes. */
  readonly capacity: ResourceTexts;
  /** Sizes of the machine's huge pages in bytes. */
  readonly pageSizes: readonly number[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Requests of a pod that count for the cgroup of its QoS class. */
interface Counted {
  readonly qosClass: string;
  readonly milliCpu: number;
  readonly memory: number;
}

const MIN_SHARES = 2;
/** Effectively no limit. */
const UNBOUNDED_PAGES = 2 ** 62;
const POD_PREFIX = 'pod';
/** Processes of a removed pod may take a moment to end. */
const REMOVE_TRIES = 5;
const REMOVE_RETRY_MS = 20;

/** The cgroups of a node: one for all pods, with the node's allocatable resources, below it one for each QoS class and each pod. */
export class NodeCgroups {
  readonly place: PodCgroupPlace;
  readonly #parts: NodeCgroupParts;
  readonly #counted = new Map<string, Counted>();
  /** The cgroups that were prepared for pods, by uid. */
  readonly #paths = new Map<string, string>();
  #qosLimits = '';

  constructor(parts: NodeCgroupParts) {
    this.#parts = parts;
    const { cgroupRoot, cgroupDriver, cgroupsPerQOS } = parts.options;
    this.place = { root: [...cgroupNameOf(cgroupRoot, cgroupDriver), 'kubepods'], isPerPod: cgroupsPerQOS };
  }

  get version(): 1 | 2 {
    return this.#parts.tree.version;
  }

  /** Makes the cgroups above pods, and enforces what is reserved. */
  async start(): Promise<void> {
    const { tree, options } = this.#parts;
    if (options.cgroupsPerQOS) {
      const root = cgroupNameOf(options.cgroupRoot, options.cgroupDriver);
      if (root.length > 0 && !(await tree.exists(this.#path(root))))
        throw new Error(`Cannot use the cgroup root "${options.cgroupRoot}": there is no such cgroup`);
      await this.#ensure(this.place.root, this.#nodeLimits());
      for (const qosClass of ['Burstable', 'BestEffort'])
        await this.#ensure(qosCgroupName(qosClass, this.place), { hugePages: this.#unboundedPages() });
      await this.#updateClasses();
    }
    await this.#enforceReserved();
  }

  /** A pod has resources from now on, or others than before: classes get the sum of what their pods request. */
  async count(pod: Observed<Pod>): Promise<void> {
    if (!this.place.isPerPod) return;
    const requests = podRequests({ spec: pod.spec ?? { containers: [] } });
    this.#counted.set(pod.metadata.uid, {
      qosClass: qosClassOf(pod),
      milliCpu: requests.get('cpu')?.milliValue() ?? 0,
      memory: requests.get('memory')?.value() ?? 0,
    });
    await this.#updateClasses();
  }

  /** The pod no longer counts for its class. */
  async discount(podUid: string): Promise<void> {
    if (this.#counted.delete(podUid)) await this.#updateClasses();
  }

  /** Makes the cgroup of a pod; one that exists keeps its limits. Pods with processors of their own get no quota. */
  async preparePod(
    pod: Observed<Pod>,
    { hasExclusiveCpus = false }: { readonly hasExclusiveCpus?: boolean } = {},
  ): Promise<void> {
    if (!this.place.isPerPod) return;
    const { tree, options, rules } = this.#parts;
    const path = this.#path(podCgroupName(pod, this.place));
    this.#paths.set(pod.metadata.uid, path);
    if (!(await tree.create(path))) return;
    const own = hasExclusiveCpus ? { ...rules, hasCpuQuota: false } : rules;
    const pids = options.podPidsLimit > 0 ? { pids: options.podPidsLimit } : {};
    await tree.setLimits(path, { ...podCgroupLimits(pod, own), ...pids });
  }

  async podLimits(pod: Observed<Pod>): Promise<CgroupLimits | undefined> {
    if (!this.place.isPerPod) return undefined;
    return this.#parts.tree.limits(this.#path(podCgroupName(pod, this.place)));
  }

  async setPodLimits(pod: Observed<Pod>, limits: CgroupLimits): Promise<void> {
    if (this.place.isPerPod) await this.#parts.tree.setLimits(this.#path(podCgroupName(pod, this.place)), limits);
  }

  async podMemoryUsage(pod: Observed<Pod>): Promise<number | undefined> {
    const path = this.#path(podCgroupName(pod, this.place));
    if (!this.place.isPerPod || !(await this.#parts.tree.exists(path))) return undefined;
    return this.#parts.tree.memoryUsage(path);
  }

  /** The uids of all pods that have a cgroup. */
  async podUids(): Promise<readonly string[]> {
    return [...(await this.#podPaths()).keys()];
  }

  /** Kills what still runs in the cgroup of a pod, and removes the cgroup. */
  async removePod(podUid: string): Promise<void> {
    await this.discount(podUid);
    const known = this.#paths.get(podUid);
    this.#paths.delete(podUid);
    const paths = known === undefined ? (await this.#podPaths()).get(podUid) : [known];
    for (const path of paths ?? []) await this.#remove(path);
  }

  async #remove(path: string): Promise<void> {
    const { tree, clock, log } = this.#parts;
    for (let attempt = 0; ; attempt++) {
      try {
        return await tree.remove(path);
      } catch (error) {
        if (attempt === REMOVE_TRIES)
          return log.warn('cgroup is not removed', { cgroup: path, error: messageOf(error) });
      }
      for (const pid of await tree.processes(path)) kill(pid);
      await clock.sleep(REMOVE_RETRY_MS * 2 ** attempt, NEVER);
    }
  }

  /** The paths of cgroups of pods by uid: a pod may have one in several classes when it was created again under another one. */
  async #podPaths(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    if (!this.place.isPerPod) return found;
    const { cgroupDriver } = this.#parts.options;
    for (const qosClass of ['Guaranteed', 'Burstable', 'BestEffort']) {
      const above = this.#path(qosCgroupName(qosClass, this.place));
      for (const name of await this.#parts.tree.children(above)) {
        const path = `${above}/${name}`;
        const last = cgroupNameOf(path, cgroupDriver)
          .slice(above.split('/').length - 1)
          .join('-');
        if (!last.startsWith(POD_PREFIX)) continue;
        const uid = last.slice(POD_PREFIX.length);
        found.set(uid, [...(found.get(uid) ?? []), path]);
      }
    }
    return found;
  }

  /** The limits of all pods together: what the node has, less what is reserved if that is enforced. */
  #nodeLimits(): CgroupLimits {
    const { options, capacity } = this.#parts;
    if (!options.enforceNodeAllocatable.includes('pods')) return this.#limitsOf(capacity);
    const [left, ...reserved] = [capacity, options.systemReserved, options.kubeReserved].map(amountsOf);
    const texts: Record<string, string> = {};
    for (const [name, whole] of left ?? []) {
      const rest = reserved.reduce((sum, each) => sum.sub(each.get(name) ?? ZERO), whole);
      texts[name] = rest.sign < 0 ? '0' : rest.toString();
    }
    return this.#limitsOf(texts);
  }

  #limitsOf(amounts: ResourceTexts): CgroupLimits {
    const found = amountsOf(amounts);
    const [cpu, memory, pids] = [found.get('cpu'), found.get('memory'), found.get('pid')];
    const hugePages = new Map(
      this.#parts.pageSizes.map((size) => [size, found.get(`hugepages-${pageText(size)}`)?.value() ?? 0]),
    );
    return {
      ...(cpu === undefined ? {} : { cpuShares: shares(cpu.milliValue()) }),
      ...(memory === undefined ? {} : { memory: memory.value() }),
      ...(pids === undefined ? {} : { pids: pids.value() }),
      hugePages,
    };
  }

  async #enforceReserved(): Promise<void> {
    const { options, rules } = this.#parts;
    const { enforceNodeAllocatable: enforced } = options;
    const parts = [
      { name: 'system-reserved', cgroup: options.systemReservedCgroup, amounts: options.systemReserved },
      { name: 'kube-reserved', cgroup: options.kubeReservedCgroup, amounts: options.kubeReserved },
    ] as const;
    for (const { name, cgroup, amounts } of parts) {
      const limits = this.#limitsOf(amounts);
      const protection =
        rules.memoryQuality !== undefined && rules.cgroupVersion === 2 && limits.memory !== undefined
          ? { unified: { 'memory.min': String(limits.memory) } }
          : {};
      if (enforced.includes(name)) await this.#enforce(cgroup, { ...limits, ...protection });
      else if (enforced.includes(`${name}-compressible`))
        await this.#enforce(cgroup, limits.cpuShares === undefined ? {} : { cpuShares: limits.cpuShares });
    }
  }

  async #enforce(cgroup: string, limits: CgroupLimits): Promise<void> {
    const { tree, options } = this.#parts;
    const path = this.#path(cgroupNameOf(cgroup, options.cgroupDriver));
    if (!(await tree.exists(path)))
      throw new Error(`Cannot enforce reserved resources on the cgroup "${cgroup}": there is no such cgroup`);
    await tree.setLimits(path, limits);
  }

  /** Sets the limits of the classes if they have changed. */
  async #updateClasses(): Promise<void> {
    const sums = { Guaranteed: 0, Burstable: 0 };
    let milliCpu = 0;
    for (const { qosClass, milliCpu: own, memory } of this.#counted.values()) {
      if (qosClass === 'Burstable') milliCpu += own;
      if (qosClass === 'Burstable' || qosClass === 'Guaranteed') sums[qosClass] += memory;
    }
    const { memoryQuality, cgroupVersion } = this.#parts.rules;
    const isProtected = memoryQuality !== undefined && cgroupVersion === 2;
    const low = memoryQuality?.isProtecting === true ? sums.Burstable : 0;
    const min = memoryQuality?.isProtecting === true ? sums.Guaranteed + sums.Burstable : 0;
    const key = `${milliCpu} ${isProtected ? `${min} ${low}` : ''}`;
    if (key === this.#qosLimits) return;
    const set = (qosClass: string, limits: CgroupLimits): Promise<void> =>
      this.#parts.tree.setLimits(this.#path(qosCgroupName(qosClass, this.place)), limits);
    if (isProtected) await set('Guaranteed', { unified: { 'memory.min': String(min) } });
    await set('Burstable', {
      cpuShares: shares(milliCpu),
      ...(isProtected ? { unified: { 'memory.low': String(low) } } : {}),
    });
    await set('BestEffort', { cpuShares: MIN_SHARES });
    this.#qosLimits = key;
  }

  #unboundedPages(): ReadonlyMap<number, number> {
    return new Map(this.#parts.pageSizes.map((size) => [size, UNBOUNDED_PAGES]));
  }

  async #ensure(name: CgroupName, limits: CgroupLimits): Promise<void> {
    const path = this.#path(name);
    await this.#parts.tree.create(path);
    await this.#parts.tree.setLimits(path, limits);
  }

  #path(name: CgroupName): string {
    return cgroupPath(name, this.#parts.options.cgroupDriver);
  }
}

const NEVER = new AbortController().signal;
const ZERO = quantityOf(0);

/** `2Mi` for 2097152. */
function pageText(bytes: number): string {
  const gibibyte = 1024 ** 3;
  if (bytes % gibibyte === 0) return `${bytes / gibibyte}Gi`;
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2}Mi` : `${bytes / 1024}Ki`;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended by itself
  }
}
