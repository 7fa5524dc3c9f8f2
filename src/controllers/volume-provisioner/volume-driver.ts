interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * What provides storage, in the shape of the controller service of the Container Storage Interface: a driver that speaks it over
 * a socket can stand here as one that lives in this process.
 *
 * Calls may come again for the same volume, and then answer as before. A `VolumeDriverError` says why something cannot be done.
 */
export interface VolumeDriver {
  /** As classes name it. */
  readonly name: string;
  /** Makes a volume of this name. */
  createVolume(request: CreateVolumeRequest, options: CallOptions): Promise<CreatedVolume>;
  /** Deletes a volume; one that is not there is fine. */
  deleteVolume(request: { readonly volumeId: string }, options: CallOptions): Promise<void>;
  /** Attaches a volume to a node; absent when nothing has to be done for that. */
  controllerPublishVolume?(request: PublishVolumeRequest, options: CallOptions): Promise<PublishedVolume>;
  /** Detaches a volume from a node; one that is not attached is fine. */
  controllerUnpublishVolume?(request: Omit<PublishVolumeRequest, 'volumeContext'>, options: CallOptions): Promise<void>;
  /** Makes a volume larger; absent when that cannot be done. */
  controllerExpandVolume?(request: ExpandVolumeRequest, options: CallOptions): Promise<ExpandedVolume>;
  /** Gives a volume the parameters of a VolumeAttributesClass; absent when that cannot be done. */
  controllerModifyVolume?(request: ModifyVolumeRequest, options: CallOptions): Promise<void>;
}

export interface CreateVolumeRequest {
  /** Made up by who asks, the same whenever it asks for the same volume. */
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: number };
  readonly volumeCapabilities: readonly VolumeCapability[];
  /** Of the class. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the attributes class of the claim, if it names one. */
  readonly mutableParameters?: Readonly<Record<string, string>>;
  /** Where the volume has to be reached from, the best place first; from anywhere unless given. */
  readonly accessibilityRequirements?: { readonly preferred: readonly Topology[] };
}

/** A place: labels of the nodes that are there. */
export interface Topology {
  readonly segments: Readonly<Record<string, string>>;
}

export interface VolumeCapability {
  readonly accessType: 'mount' | 'block';
  readonly accessMode: string;
}

export interface CreatedVolume {
  /** Under which the driver knows it. */
  readonly volumeId: string;
  readonly capacityBytes: number;
  /** What the driver wants to be told when the volume is attached or mounted. */
  readonly volumeContext?: Readonly<Record<string, string>>;
  /** Where the volume can be reached from: one of these places; from anywhere unless given. */
  readonly accessibleTopology?: readonly Topology[];
}

export interface PublishVolumeRequest {
  readonly volumeId: string;
  /** Under which the driver knows the node. */
  readonly nodeId: string;
  readonly volumeContext: Readonly<Record<string, string>>;
}

export interface PublishedVolume {
  /** What the node has to know in order to find the volume. */
  readonly publishContext?: Readonly<Record<string, string>>;
}

export interface ExpandVolumeRequest {
  readonly volumeId: string;
  readonly capacityRange: { readonly requiredBytes: number };
}

export interface ExpandedVolume {
  readonly capacityBytes: number;
  /** Whether the node has to do its part before the volume is larger. */
  readonly nodeExpansionRequired: boolean;
}

export interface ModifyVolumeRequest {
  readonly volumeId: string;
  readonly mutableParameters: Readonly<Record<string, string>>;
}

/** A driver's refusal. */
export class VolumeDriverError extends Error {
  /** As in gRPC. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(`rpc error: code = ${code} desc = ${message}`);
    this.name = 'VolumeDriverError';
    this.code = code;
  }
}
