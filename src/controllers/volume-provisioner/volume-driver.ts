interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * A storage driver, shaped like the controller service of the Container Storage Interface, so that a driver behind a
 * socket can be used like one in this process.
 *
 * Calls are idempotent: a repeated call for the same volume gives the same answer. A `VolumeDriverError` explains a
 * failure.
 */
export interface VolumeDriver {
  /** The provisioner name in StorageClasses. */
  readonly name: string;
  /** Creates a volume with this name. */
  createVolume(request: CreateVolumeRequest, options: CallOptions): Promise<CreatedVolume>;
  /** Deletes a volume; a missing one is not an error. */
  deleteVolume(request: { readonly volumeId: string }, options: CallOptions): Promise<void>;
  /** Attaches a volume to a node; absent when attaching is not needed. */
  controllerPublishVolume?(request: PublishVolumeRequest, options: CallOptions): Promise<PublishedVolume>;
  /** Detaches a volume from a node; not an error if it is not attached. */
  controllerUnpublishVolume?(request: Omit<PublishVolumeRequest, 'volumeContext'>, options: CallOptions): Promise<void>;
  /** Expands a volume; absent when not supported. */
  controllerExpandVolume?(request: ExpandVolumeRequest, options: CallOptions): Promise<ExpandedVolume>;
  /** Applies the parameters of a VolumeAttributesClass; absent when not supported. */
  controllerModifyVolume?(request: ModifyVolumeRequest, options: CallOptions): Promise<void>;
}

export interface CreateVolumeRequest {
  /** Chosen by the caller, the same for every attempt at the same volume. */
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: number };
  readonly volumeCapabilities: readonly VolumeCapability[];
  /** Parameters of the StorageClass. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Parameters of the claim's VolumeAttributesClass, if it has one. */
  readonly mutableParameters?: Readonly<Record<string, string>>;
  /** Where the volume must be accessible, best first; default: anywhere. */
  readonly accessibilityRequirements?: { readonly preferred: readonly Topology[] };
}

/** A set of nodes, by their labels. */
export interface Topology {
  readonly segments: Readonly<Record<string, string>>;
}

export interface VolumeCapability {
  readonly accessType: 'mount' | 'block';
  readonly accessMode: string;
}

export interface CreatedVolume {
  /** The driver's identifier of the volume. */
  readonly volumeId: string;
  readonly capacityBytes: number;
  /** Passed back to the driver when the volume is attached or mounted. */
  readonly volumeContext?: Readonly<Record<string, string>>;
  /** Where the volume is accessible: any of these; default: anywhere. */
  readonly accessibleTopology?: readonly Topology[];
}

export interface PublishVolumeRequest {
  readonly volumeId: string;
  /** The driver's identifier of the node. */
  readonly nodeId: string;
  readonly volumeContext: Readonly<Record<string, string>>;
}

export interface PublishedVolume {
  /** What the node needs to find the volume. */
  readonly publishContext?: Readonly<Record<string, string>>;
}

export interface ExpandVolumeRequest {
  readonly volumeId: string;
  readonly capacityRange: { readonly requiredBytes: number };
}

export interface ExpandedVolume {
  readonly capacityBytes: number;
  /** Whether the node must finish the expansion. */
  readonly nodeExpansionRequired: boolean;
}

export interface ModifyVolumeRequest {
  readonly volumeId: string;
  readonly mutableParameters: Readonly<Record<string, string>>;
}

/** An error returned by a driver. */
export class VolumeDriverError extends Error {
  /** The gRPC status code's name. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(`rpc error: code = ${code} desc = ${message}`);
    this.name = 'VolumeDriverError';
    this.code = code;
  }
}
