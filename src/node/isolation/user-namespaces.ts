import { Buffer } from 'node:buffer';
import type { PodFiles } from '../backend/index.ts';
import { podFolder } from '../backend/index.ts';
import type { IdMapping } from '../runtime/index.ts';

/** The user and group ids of the machine that pods with user namespaces may have. */
export interface IdRange {
  readonly first: number;
  readonly length: number;
  /** A multiple of 65536. */
  readonly perPod: number;
}

/** All ids above those of the machine's own users. */
export const DEFAULT_IDS: IdRange = { first: 65_536, length: 2 ** 32 - 65_536, perPod: 65_536 };

/** As the kubelet names it, so that either of them finds what the other has assigned. */
const FILE = 'userns';
const MAX_FILE_BYTES = 4096;

export interface UserNamespacesParts {
  readonly files: PodFiles;
  /** The agent's folder. */
  readonly root: string;
  readonly ids: IdRange;
}

/**
 * Assigns each pod with a user namespace a range of ids that no other pod has. Assignments are kept in the pods' folders: a pod has the
 * same range after a restart of the agent, and until its folder is removed.
 */
export class UserNamespaces {
  readonly #parts: UserNamespacesParts;
  readonly #firstIds = new Map<string, number>();
  #opening: Promise<void> | undefined;

  constructor(parts: UserNamespacesParts) {
    this.#parts = parts;
  }

  async of(podUid: string): Promise<IdMapping> {
    await (this.#opening ??= this.#open());
    const known = this.#firstIds.get(podUid);
    if (known !== undefined) return this.#mapping(known);
    const mapping = this.#mapping(this.#next());
    this.#firstIds.set(podUid, mapping.hostId); // before the file is written: another pod may ask meanwhile
    try {
      await this.#parts.files.write(this.#path(podUid), async () =>
        JSON.stringify({ uidMappings: [mapping], gidMappings: [mapping] }),
      );
    } catch (error) {
      this.#firstIds.delete(podUid);
      throw error;
    }
    return mapping;
  }

  /** The pod's folder has been removed. */
  release(podUid: string): void {
    this.#firstIds.delete(podUid);
  }

  async #open(): Promise<void> {
    const { files } = this.#parts;
    for (const podUid of await files.pods()) {
      const bytes = await files.read(this.#path(podUid), MAX_FILE_BYTES);
      const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
      if (text !== '') this.#firstIds.set(podUid, firstId(text, podUid));
    }
  }

  #next(): number {
    const { first, length, perPod } = this.#parts.ids;
    const taken = new Set(this.#firstIds.values());
    for (let id = first; id + perPod <= first + length; id += perPod) if (!taken.has(id)) return id;
    throw new Error('create user namespace: could not find an empty slot to allocate a user namespace');
  }

  #mapping(hostId: number): IdMapping {
    return { hostId, containerId: 0, length: this.#parts.ids.perPod };
  }

  #path(podUid: string): string {
    return `${podFolder(this.#parts.root, podUid)}/${FILE}`;
  }
}

function firstId(text: string, podUid: string): number {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot read the user namespace of pod ${podUid}: invalid user namespace mappings file`, { cause });
  }
  const { uidMappings } = read as { readonly uidMappings?: readonly Partial<IdMapping>[] };
  const { hostId, containerId } = uidMappings?.[0] ?? {};
  if (uidMappings?.length !== 1 || typeof hostId !== 'number' || containerId !== 0)
    throw new Error(`Cannot read the user namespace of pod ${podUid}: there must be one mapping, and it must map id 0`);
  return hostId;
}
