type Texts = Readonly<Record<string, string>>;

interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * A storage driver, shaped like the controller service of the Container Storage Interface, so that a driver behind a
 * socket can be used like one in this process. What a driver does not support is absent.
 *
 * Calls are idempotent: a repeated call for the same volume gives the same answer. A `VolumeDriverError` explains a
 * failure.
 */
export interface VolumeDriver {
  /** The provisioner name in StorageClasses. */
  readonly name: string;
  readonly features?: DriverFeatures;
  /** Creates a volume with this name. */
  createVolume?(request: CreateVolumeRequest, options: CallOptions): Promise<CreatedVolume>;
  /** Deletes a volume; a missing one is not an error. */
  deleteVolume?(request: VolumeReference, options: CallOptions): Promise<void>;
  /** Attaches a volume to a node; absent when attaching is not needed. */
  controllerPublishVolume?(request: PublishVolumeRequest, options: CallOptions): Promise<PublishedVolume>;
  /** Detaches a volume from a node; not an error if it is not attached. */
  controllerUnpublishVolume?(
    request: VolumeReference & { readonly nodeId: string },
    options: CallOptions,
  ): Promise<void>;
  /** The nodes that volumes are attached to, by volume; absent when the driver does not know. */
  listAttachments?(options: CallOptions): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Expands a volume; absent when not supported. */
  controllerExpandVolume?(request: ExpandVolumeRequest, options: CallOptions): Promise<ExpandedVolume>;
  /** Applies the parameters of a VolumeAttributesClass; absent when not supported. */
  controllerModifyVolume?(request: ModifyVolumeRequest, options: CallOptions): Promise<void>;
  /** Takes a snapshot with this name; absent when not supported. */
  createSnapshot?(request: CreateSnapshotRequest, options: CallOptions): Promise<TakenSnapshot>;
  /** Deletes a snapshot; a missing one is not an error. */
  deleteSnapshot?(request: SnapshotReference, options: CallOptions): Promise<void>;
  /** The state of a snapshot; absent when the driver does not list any: all that exist are then ready. */
  findSnapshot?(request: SnapshotReference, options: CallOptions): Promise<TakenSnapshot>;
  /** Takes snapshots of several volumes at the same moment; absent when not supported. */
  createGroupSnapshot?(request: CreateGroupSnapshotRequest, options: CallOptions): Promise<TakenGroupSnapshot>;
  /** Deletes a group with its snapshots; a missing one is not an error. */
  deleteGroupSnapshot?(request: GroupSnapshotReference, options: CallOptions): Promise<void>;
  /** The state of a group. */
  findGroupSnapshot?(request: GroupSnapshotReference, options: CallOptions): Promise<TakenGroupSnapshot>;
  /** The free space for volumes of a class at a place; absent when the driver does not know. */
  getCapacity?(request: GetCapacityRequest, options: CallOptions): Promise<StorageCapacity>;
}

/** What a driver can do, besides the calls that it has. */
export interface DriverFeatures {
  /** Volumes can be reached from some nodes only. `some-keys` takes nodes that lack some of the driver's topology labels, too. */
  readonly topology?: 'all-keys' | 'some-keys';
  /** New volumes can begin as copies of others. */
  readonly clones?: boolean;
  /** Tells volumes for one pod from volumes for one node. */
  readonly hasSinglePodVolumes?: boolean;
  /** Attaches volumes read-only where asked to. */
  readonly attachesReadOnly?: boolean;
  /** Nodes expand volumes without the controller. */
  readonly expandsOnNodesOnly?: boolean;
}

/** Data for a call that only the driver understands. */
interface WithSecrets {
  readonly secrets?: Texts;
}

export interface VolumeReference extends WithSecrets {
  readonly volumeId: string;
}

export interface SnapshotReference extends WithSecrets {
  readonly snapshotId: string;
}

export interface CreateVolumeRequest extends WithSecrets {
  /** Chosen by the caller, the same for every attempt at the same volume. */
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: number };
  readonly volumeCapabilities: readonly VolumeCapability[];
  /** Parameters of the StorageClass. */
  readonly parameters: Texts;
  /** Parameters of the claim's VolumeAttributesClass, if it has one. */
  readonly mutableParameters?: Texts;
  readonly accessibilityRequirements?: TopologyRequirement;
  /** What the volume begins as a copy of. */
  readonly volumeContentSource?: ContentSource;
}

export type ContentSource =
  | { readonly type: 'snapshot'; readonly snapshotId: string }
  | { readonly type: 'volume'; readonly volumeId: string };

export interface TopologyRequirement {
  /** The volume must be accessible from at least one of these. */
  readonly requisite: readonly Topology[];
  /** The same, the preferred one first. */
  readonly preferred: readonly Topology[];
}

/** A place, by the labels of its nodes. */
export interface Topology {
  readonly segments: Texts;
}

export interface VolumeCapability {
  readonly accessType: 'mount' | 'block';
  /** One or more of the access modes of Kubernetes that are used together. */
  readonly accessModes: readonly string[];
  /** Of a mounted volume. */
  readonly fsType?: string;
  readonly mountFlags?: readonly string[];
}

export interface CreatedVolume {
  /** The driver's identifier of the volume. */
  readonly volumeId: string;
  /** 0 if the driver does not know. */
  readonly capacityBytes: number;
  /** Passed back to the driver when the volume is attached or mounted. */
  readonly volumeContext?: Texts;
  /** Where the volume is accessible: any of these; default: anywhere. */
  readonly accessibleTopology?: readonly Topology[];
  /** Whether the volume is a copy, as was asked for. */
  readonly isCopy?: boolean;
}

export interface PublishVolumeRequest extends VolumeReference {
  /** The driver's identifier of the node. */
  readonly nodeId: string;
  readonly volumeContext: Texts;
  readonly volumeCapability: VolumeCapability;
  readonly isReadOnly: boolean;
}

export interface PublishedVolume {
  /** What the node needs to find the volume. */
  readonly publishContext?: Texts;
}

export interface ExpandVolumeRequest extends VolumeReference {
  readonly capacityRange: { readonly requiredBytes: number };
  readonly volumeCapability: VolumeCapability;
}

export interface ExpandedVolume {
  readonly capacityBytes: number;
  /** Whether the node must finish the expansion. */
  readonly nodeExpansionRequired: boolean;
}

export interface ModifyVolumeRequest extends VolumeReference {
  readonly mutableParameters: Texts;
}

export interface CreateSnapshotRequest extends WithSecrets {
  readonly sourceVolumeId: string;
  /** Chosen by the caller, the same for every attempt at the same snapshot. */
  readonly name: string;
  readonly parameters: Texts;
}

export interface CreateGroupSnapshotRequest extends WithSecrets {
  readonly sourceVolumeIds: readonly string[];
  /** Chosen by the caller, the same for every attempt at the same group. */
  readonly name: string;
  readonly parameters: Texts;
}

export interface GroupSnapshotReference extends WithSecrets {
  readonly groupSnapshotId: string;
  /** All snapshots of the group. */
  readonly snapshotIds: readonly string[];
}

export interface TakenGroupSnapshot {
  readonly groupSnapshotId: string;
  readonly snapshots: readonly (TakenSnapshot & { readonly sourceVolumeId: string })[];
  /** Absent if the driver does not say. */
  readonly createdAtNs?: bigint;
  readonly isReady: boolean;
}

export interface TakenSnapshot {
  readonly snapshotId: string;
  /** The group that the snapshot was taken with. */
  readonly groupSnapshotId?: string;
  /** 0 if the driver does not know. */
  readonly sizeBytes: number;
  /** Absent if the driver does not say. */
  readonly createdAtNs?: bigint;
  readonly isReady: boolean;
}

export interface GetCapacityRequest {
  readonly parameters: Texts;
  readonly topology?: Topology;
}

export interface StorageCapacity {
  readonly availableBytes: number;
  readonly maximumVolumeBytes?: number;
}

/** Codes of errors after which an operation may still be in progress. */
const UNCERTAIN = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable', 'Aborted']);

/** An error returned by a driver. */
export class VolumeDriverError extends Error {
  /** The gRPC status code's name. */
  readonly code: string;
  /** The driver's own words. */
  readonly detail: string;

  constructor(code: string, message: string) {
    super(`rpc error: code = ${code} desc = ${message}`);
    this.name = 'VolumeDriverError';
    this.code = code;
    this.detail = message;
  }

  /** Whether the driver may still be at work on what was asked. */
  get isUncertain(): boolean {
    return UNCERTAIN.has(this.code);
  }
}

/** Something that a call of a driver needs is missing; it is looked for again later. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  /** Whether another node should be selected for the claim. */
  readonly needsOtherNode: boolean;

  constructor(message: string, { needsOtherNode = false }: { readonly needsOtherNode?: boolean } = {}) {
    super(message);
    this.needsOtherNode = needsOtherNode;
  }
}
