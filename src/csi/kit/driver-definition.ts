import type { CsiRecords, SnapshotRecord, VolumeRecord } from '../records/records.ts';

type Texts = Readonly<Record<string, string>>;

/** Who may use a volume at a time, and how. */
export type AccessMode =
  | 'SINGLE_NODE_WRITER'
  | 'SINGLE_NODE_READER_ONLY'
  | 'MULTI_NODE_READER_ONLY'
  | 'MULTI_NODE_SINGLE_WRITER'
  | 'MULTI_NODE_MULTI_WRITER'
  | 'SINGLE_NODE_SINGLE_WRITER'
  | 'SINGLE_NODE_MULTI_WRITER';

/** How a volume is going to be used. */
export interface VolumeCapability {
  /** As a mounted file system, or as a raw block device. */
  readonly type: 'mount' | 'block';
  readonly accessMode: AccessMode;
  /** Of a mounted one: `ext4`; empty for the driver's choice. */
  readonly fsType: string;
  readonly mountFlags: readonly string[];
  /** Of a mounted one: the group that should own the files; empty unless the driver has `setsVolumeGroup`. */
  readonly mountGroup: string;
}

/** A volume that exists for the cluster. */
export type Volume = Pick<
  VolumeRecord,
  'id' | 'name' | 'capacityBytes' | 'parameters' | 'context' | 'source' | 'topology' | 'attachments'
>;

/** A volume that is to be created. */
export interface NewVolume extends Volume {
  readonly secrets: Texts;
  readonly capabilities: readonly VolumeCapability[];
  /** Of a copy: the snapshot or the volume that it begins as. */
  readonly copyOf?:
    | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
    | { readonly type: 'volume'; readonly volume: Volume };
  /** Where the volume must be usable, in order of preference; absent where the cluster does not say. */
  readonly accessibility?: { readonly requisite: readonly Texts[]; readonly preferred: readonly Texts[] };
}

/** What became of a volume that was created; what is left out is as it was asked for. */
export interface CreatedVolume {
  readonly capacityBytes?: number;
  readonly context?: Texts;
  readonly topology?: readonly Texts[];
}

/** A snapshot of a volume. */
export type Snapshot = Pick<
  SnapshotRecord,
  'id' | 'name' | 'volumeId' | 'sizeBytes' | 'createdAtMs' | 'isReady' | 'groupId'
>;

/** What storage has free. */
export interface FreeCapacity {
  readonly availableBytes: number;
  readonly maxVolumeBytes?: number;
  readonly minVolumeBytes?: number;
}

/** The secrets of a call, and the signal that ends it. */
export interface CallDetails {
  readonly secrets: Texts;
  /** Aborts when the caller gives up. What was begun is begun again by the caller's next try. */
  readonly signal: AbortSignal;
}

/**
 * The side of a driver that creates volumes. What is not implemented is not offered.
 *
 * Idempotency, names that are taken, ids that are unknown, lists and pages are the kit's, by the records. A function is called again for the same
 * volume when an earlier call failed or the process died: it must finish what an earlier call has begun.
 */
export interface CsiController {
  /** Where the kit remembers volumes and snapshots: `folderRecords('/var/lib/mine')`. */
  readonly records: CsiRecords;
  create(volume: NewVolume, call: CallDetails): Promise<CreatedVolume | void>;
  /** Also undoes a `create` that failed; a volume that is not there is deleted. */
  delete(volume: Volume, call: CallDetails): Promise<void>;
  /** What a new volume may begin as a copy of; default nothing. */
  readonly copies?: readonly ('snapshot' | 'volume')[];
  /** Size of a volume for which the cluster asks none; default 1 GiB. */
  readonly defaultBytes?: number;
  /** Attaches a volume to a node; what is returned is given to the node's functions. */
  attach?(volume: Volume, node: AttachDetails): Promise<Texts | void>;
  detach?(volume: Volume, node: Pick<AttachDetails, 'nodeId' | 'secrets' | 'signal'>): Promise<void>;
  /** Whether a node can have volumes attached; default every node. */
  hasNode?(nodeId: string): Promise<boolean>;
  /** Returns whether the node has to grow the file system; default false. */
  expand?(
    volume: Volume,
    growth: CallDetails & { readonly capacityBytes: number },
  ): Promise<{ needsNode: boolean } | void>;
  /** Names of parameters of a VolumeAttributesClass, which can be changed later; default none. Others are refused. */
  readonly mutable?: readonly string[];
  /** Changes some of the `mutable` parameters. */
  modify?(volume: Volume, change: CallDetails & { readonly parameters: Texts }): Promise<void>;
  snapshot?(
    snapshot: Snapshot & { readonly parameters: Texts },
    of: Volume,
    call: CallDetails,
  ): Promise<CreatedSnapshot | void>;
  deleteSnapshot?(snapshot: Snapshot, call: CallDetails): Promise<void>;
  /** Takes snapshots of several volumes at the same moment; `deleteSnapshot` deletes each. */
  snapshotGroup?(members: readonly SnapshotOf[], call: CallDetails): Promise<void>;
  /** What is wrong with a volume; nothing for one that is well. */
  health?(volume: Volume): Promise<readonly HealthProblem[]>;
  capacity?(request: { readonly parameters: Texts; readonly topology: Texts }): Promise<FreeCapacity>;
}

/** The node that a volume is attached to, and how. */
export interface AttachDetails extends CallDetails {
  readonly nodeId: string;
  readonly isReadOnly: boolean;
  readonly capability: VolumeCapability;
}

/** A snapshot and the volume that it was taken of. */
export interface SnapshotOf {
  readonly snapshot: Snapshot;
  readonly volume: Volume;
}

/** Something that is wrong with a volume. */
export interface HealthProblem {
  readonly status: 'DEGRADED' | 'INACCESSIBLE' | 'DATA_LOSS';
  /** One word, for programs: `DiskFailing`. */
  readonly reason: string;
  readonly message: string;
}

/** Something that is wrong with the storage behind the volumes of a node. */
export interface StorageProblem {
  readonly status: 'STORAGE_DEGRADED' | 'STORAGE_UNREACHABLE';
  readonly reason: string;
  readonly message: string;
}

/** What a driver reports of a snapshot that it has made. */
export interface CreatedSnapshot {
  readonly sizeBytes?: number;
  /** Default true. */
  readonly isReady?: boolean;
}

/** A volume as a node sees it. */
export interface NodeVolume {
  readonly id: string;
  readonly context: Texts;
  /** What `attach` has returned; empty without it. */
  readonly attachment: Texts;
  readonly capability: VolumeCapability;
}

/** Usage of a volume: of bytes, or of inodes. */
export interface VolumeUsage {
  readonly unit: 'BYTES' | 'INODES';
  readonly total: number;
  readonly used: number;
  readonly available: number;
}

/** The side of a driver that runs on each node. Each function may be called again for what is done already, and must then do nothing. */
export interface CsiNode {
  /** How `attach` knows this node. */
  readonly id: string;
  /** Where the node is, as segments: `{ 'topology.example.com/zone': 'a' }`. */
  readonly topology?: Texts;
  /** Whether `publish` gives files to `capability.mountGroup` itself. */
  readonly setsVolumeGroup?: boolean;
  /** Prepares a volume once on the node, at a folder that exists. */
  stage?(volume: NodeVolume, at: CallDetails & { readonly stagingPath: string }): Promise<void>;
  unstage?(volumeId: string, at: { readonly stagingPath: string; readonly signal: AbortSignal }): Promise<void>;
  /** Makes a volume visible to one pod. `targetPath` does not exist yet; its parent does. */
  publish(volume: NodeVolume, at: PublishDetails): Promise<void>;
  /** Takes the volume away and removes `targetPath`. */
  unpublish(volumeId: string, at: { readonly targetPath: string; readonly signal: AbortSignal }): Promise<void>;
  /** Grows the file system of a volume that the controller has grown. Returns its size; default the size asked for. */
  expand?(
    volumeId: string,
    growth: CallDetails & { readonly path: string; readonly capacityBytes: number },
  ): Promise<number | void>;
  /** `path` is empty where the cluster does not say where the volume is visible. */
  health?(volumeId: string, at: { readonly path: string }): Promise<readonly HealthProblem[]>;
  storageHealth?(): Promise<readonly StorageProblem[]>;
  stats?(volumeId: string, at: { readonly path: string }): Promise<readonly VolumeUsage[]>;
}

/** Where a volume is published on a node, and how. */
export interface PublishDetails extends CallDetails {
  readonly targetPath: string;
  /** Empty without `stage`. */
  readonly stagingPath: string;
  readonly isReadOnly: boolean;
}

/** A CSI driver: its name, and what it does on the side of the controller and of nodes. One process may have one side or both. */
export interface CsiDriverDefinition {
  /** A domain name of the author's: `dir.csi.example.com`. */
  readonly name: string;
  readonly version: string;
  /** How volumes may be used; default by one node at a time. */
  readonly accessModes?: readonly AccessMode[];
  /** Default mounted file systems only. */
  readonly types?: readonly VolumeCapability['type'][];
  /** Most volumes of this driver on a node; default the cluster's limit. */
  readonly maxVolumesPerNode?: number;
  /** Whether the driver is ready to serve; default it is. Throws, or returns false, when not. */
  probe?(): Promise<boolean>;
  readonly controller?: CsiController;
  readonly node?: CsiNode;
}
