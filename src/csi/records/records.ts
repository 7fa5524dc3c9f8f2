/** What a driver remembers of a volume. */
export interface VolumeRecord {
  readonly id: string;
  /** The name that the cluster asked for; a second request with it means the same volume. */
  readonly name: string;
  /** `creating` and `deleting` are work that was begun; after a crash the next request about the volume finishes it. */
  readonly state: 'creating' | 'ready' | 'deleting';
  readonly capacityBytes: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** Given to the node with every call. */
  readonly context: Readonly<Record<string, string>>;
  readonly source?: VolumeSource;
  /** Where the volume can be used, as segments of a topology; everywhere when absent. */
  readonly topology?: readonly Readonly<Record<string, string>>[];
  /** Nodes that the volume is attached to, with what the node needs to know. */
  readonly attachments: Readonly<Record<string, Attachment>>;
}

/** A volume's attachment to one node. */
export interface Attachment {
  readonly isReadOnly: boolean;
  readonly context: Readonly<Record<string, string>>;
}

/** What a volume begins as a copy of. */
export type VolumeSource =
  | { readonly type: 'snapshot'; readonly snapshotId: string }
  | { readonly type: 'volume'; readonly volumeId: string };

/** What a driver remembers of a snapshot. */
export interface SnapshotRecord {
  readonly id: string;
  readonly name: string;
  readonly state: VolumeRecord['state'];
  readonly volumeId: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
  /** False while the storage still copies. */
  readonly isReady: boolean;
  /** Of a snapshot that was taken with others. */
  readonly groupId?: string;
}

/** What a driver remembers of snapshots that were taken of several volumes at the same moment. */
export interface SnapshotGroupRecord {
  readonly id: string;
  readonly name: string;
  readonly state: VolumeRecord['state'];
  readonly snapshotIds: readonly string[];
  /** In the order of `snapshotIds`. */
  readonly volumeIds: readonly string[];
  readonly createdAtMs: number;
}

/** Records of one kind, with ids and names. */
export interface RecordTable<Entry extends { readonly id: string; readonly name: string }> {
  get(id: string): Promise<Entry | undefined>;
  named(name: string): Promise<Entry | undefined>;
  /** All of them, in the order of their ids. */
  list(): Promise<readonly Entry[]>;
  /** Resolves when the record survives a crash. */
  put(entry: Entry): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Everything that a driver's controller remembers. A driver whose storage remembers it implements this on its storage. */
export interface CsiRecords {
  readonly volumes: RecordTable<VolumeRecord>;
  readonly snapshots: RecordTable<SnapshotRecord>;
  readonly groups: RecordTable<SnapshotGroupRecord>;
}

/** Records that are gone with the process, for tests. */
export class MemoryTable<Entry extends { readonly id: string; readonly name: string }> implements RecordTable<Entry> {
  readonly #byId = new Map<string, Entry>();
  readonly #idsByName = new Map<string, string>();

  async get(id: string): Promise<Entry | undefined> {
    return this.#byId.get(id);
  }

  async named(name: string): Promise<Entry | undefined> {
    return this.#byId.get(this.#idsByName.get(name) ?? '');
  }

  async list(): Promise<readonly Entry[]> {
    return [...this.#byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  async put(entry: Entry): Promise<void> {
    this.#byId.set(entry.id, entry);
    this.#idsByName.set(entry.name, entry.id);
  }

  async delete(id: string): Promise<void> {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    if (this.#idsByName.get(entry.name) === id) this.#idsByName.delete(entry.name);
  }
}

/** Records in memory. */
export function memoryRecords(): CsiRecords {
  return { volumes: new MemoryTable(), snapshots: new MemoryTable(), groups: new MemoryTable() };
}
