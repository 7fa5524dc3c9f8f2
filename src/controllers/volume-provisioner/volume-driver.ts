/**
 * What provides storage, in the shape of the controller service of the Container Storage Interface: a driver that speaks it over
 * a socket can stand here as one that lives in this process.
 *
 * Both calls may come again for the same volume, and then answer as before.
 */
export interface VolumeDriver {
  /** As classes name it. */
  readonly name: string;
  /** Makes a volume of this name; a `VolumeDriverError` says why it cannot. */
  createVolume(request: CreateVolumeRequest, options: { readonly signal: AbortSignal }): Promise<CreatedVolume>;
  /** Deletes a volume; one that is not there is fine. */
  deleteVolume(request: { readonly volumeId: string }, options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface CreateVolumeRequest {
  /** Made up by who asks, the same whenever it asks for the same volume. */
  readonly name: string;
  readonly capacityRange: { readonly requiredBytes: number };
  readonly volumeCapabilities: readonly VolumeCapability[];
  /** Of the class. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The node that the volume is to be reached from; any unless given. */
  readonly selectedNode?: string;
}

export interface VolumeCapability {
  readonly accessType: 'mount' | 'block';
  readonly accessMode: string;
}

export interface CreatedVolume {
  /** Under which the driver knows it. */
  readonly volumeId: string;
  readonly capacityBytes: number;
  /** What the driver wants to be told when the volume is mounted. */
  readonly volumeContext?: Readonly<Record<string, string>>;
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
