import { type Checkpoints, goChecksum } from '../node/index.ts';
import { formatCpuList, parseCpuList } from './cpu-list.ts';
import { type PolicyContent, readPolicyCheckpoint } from './policy-checkpoint.ts';

/** Which processors are shared, and which ones containers have alone, by pod and container. */
export interface CpuState {
  readonly shared: ReadonlySet<number>;
  readonly assigned: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<number>>>;
}

/** The name that a kubelet gives the file. */
const NAME = 'cpu_manager_state';

interface Content extends PolicyContent {
  readonly defaultCpuSet?: string;
  readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Stores assignments of processors in a kubelet's file and format. */
export class CpuCheckpoint {
  readonly #checkpoints: Checkpoints;
  readonly #policy: string;

  constructor(checkpoints: Checkpoints, policy: 'none' | 'static') {
    this.#checkpoints = checkpoints;
    this.#policy = policy;
  }

  /** Undefined when nothing was stored. Throws on a file that is damaged or of another policy: running containers rely on it. */
  async read(): Promise<CpuState | undefined> {
    const content = await readPolicyCheckpoint<Content>(this.#checkpoints, {
      name: NAME,
      policy: this.#policy,
      checksumOf: ({ policyName = '', defaultCpuSet = '', entries = {} }) =>
        checksumOf(policyName, defaultCpuSet, entries),
    });
    if (content === undefined) return undefined;
    const { defaultCpuSet = '', entries = {} } = content;
    const assigned = new Map(
      Object.entries(entries).map(([uid, containers]) => [
        uid,
        new Map(Object.entries(containers).map(([name, list]) => [name, new Set(parseCpuList(list))])),
      ]),
    );
    // a state without shared processors and without containers was never used
    return defaultCpuSet === '' && assigned.size === 0
      ? undefined
      : { shared: new Set(parseCpuList(defaultCpuSet)), assigned };
  }

  async write({ shared, assigned }: CpuState): Promise<void> {
    const entries = Object.fromEntries(
      [...assigned].map(([uid, containers]) => [
        uid,
        Object.fromEntries([...containers].map(([name, cpus]) => [name, formatCpuList(cpus)])),
      ]),
    );
    const defaultCpuSet = formatCpuList(shared);
    const checksum = checksumOf(this.#policy, defaultCpuSet, entries);
    const content = { policyName: this.#policy, defaultCpuSet, ...(assigned.size === 0 ? {} : { entries }), checksum };
    await this.#checkpoints.write(NAME, JSON.stringify(content));
  }
}

/** Over the content as Go prints the kubelet's struct. */
function checksumOf(policy: string, shared: string, entries: NonNullable<Content['entries']>): number {
  const map = goMap(Object.entries(entries).map(([uid, containers]) => [uid, goMap(Object.entries(containers))]));
  const fields = `PolicyName:(string)${policy} DefaultCPUSet:(string)${shared} Entries:(map[string]map[string]string)${map}`;
  return goChecksum(`(*state.CPUManagerCheckpoint){${fields} Checksum:(checksum.Checksum)0}`);
}

function goMap(entries: readonly (readonly [string, string])[]): string {
  const sorted = entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `map[${sorted.map(([key, value]) => `${key}:${value}`).join(' ')}]`;
}
