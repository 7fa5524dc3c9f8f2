import type { Checkpoints } from '../backend/index.ts';
import { goChecksum } from '../checkpoint-checksum.ts';
import type { PodAllocation, ResourceNeeds } from './allocation.ts';

/** The name that a kubelet gives the file. */
const NAME = 'allocated_pods_state';

/** A pod as a kubelet writes it. */
interface Entry {
  readonly ContainerResources: Readonly<Record<string, ResourceNeeds>> | null;
  readonly PodLevelResources: ResourceNeeds | null;
}

/** Stores allocations in a kubelet's file, so that they survive a restart of the agent, also one as a kubelet. */
export class AllocationCheckpoint {
  readonly #checkpoints: Checkpoints;

  constructor(checkpoints: Checkpoints) {
    this.#checkpoints = checkpoints;
  }

  /** Throws on a file that is damaged: containers would be resized to what was never allocated. */
  async read(): Promise<Map<string, PodAllocation>> {
    const text = await this.#checkpoints.read(NAME);
    if (text === undefined) return new Map();
    const { data = '', checksum } = JSON.parse(text) as { readonly data?: string; readonly checksum?: number };
    if (goChecksum(`(string)${data}`) !== checksum)
      throw new Error(
        `Cannot use the checkpoint "${NAME}": its checksum is ${checksum}, not that of its content; remove the file`,
      );
    const { entries = {} } = JSON.parse(data) as { readonly entries?: Readonly<Record<string, Entry>> };
    return new Map(Object.entries(entries).map(([uid, entry]) => [uid, allocationOf(entry)]));
  }

  async write(allocations: ReadonlyMap<string, PodAllocation>): Promise<void> {
    const entries: Record<string, Entry> = {};
    for (const [uid, { containers, pod }] of allocations)
      entries[uid] = { ContainerResources: Object.fromEntries(containers), PodLevelResources: pod ?? null };
    const data = JSON.stringify(allocations.size === 0 ? {} : { entries });
    await this.#checkpoints.write(NAME, JSON.stringify({ data, checksum: goChecksum(`(string)${data}`) }));
  }
}

function allocationOf({ ContainerResources, PodLevelResources }: Entry): PodAllocation {
  return { containers: new Map(Object.entries(ContainerResources ?? {})), pod: PodLevelResources ?? undefined };
}
