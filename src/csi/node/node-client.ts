import type { Clock, Logger, Random } from '../../base/index.ts';
import { GrpcError, goErrorText, isGrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import {
  Node,
  NodeServiceCapability_RPC_Type as Rpc,
  type volumeCapability,
  VolumeCapability_AccessMode_Mode as Mode,
  VolumeUsage_Unit as Unit,
} from '../protocol/csi-v1.ts';

type Texts = Readonly<Record<string, string>>;

/** How a volume is to be used, in the words of the cluster. */
export interface VolumeUse {
  readonly handle: string;
  /** The first access mode of the PersistentVolume: `ReadWriteOnce`. */
  readonly accessMode: string;
  readonly type:
    | { readonly kind: 'block' }
    | {
        readonly kind: 'mount';
        readonly fsType: string;
        readonly mountFlags: readonly string[];
        /** The group that the driver shall give files to; undefined where the agent does that, or no pod asks for it. */
        readonly group: number | undefined;
      };
  /** What attaching the volume has returned. */
  readonly publishContext: Texts;
  readonly volumeContext: Texts;
  readonly secrets: Texts;
}

/** What a driver says about the node it runs on. */
export interface DriverNodeInfo {
  readonly nodeId: string;
  /** 0 for no limit. */
  readonly maxVolumes: number;
  readonly topology: Texts;
}

/** The calls that the driver offers beside publishing. */
export interface NodeCapabilities {
  readonly stages: boolean;
  readonly expands: boolean;
  readonly hasStats: boolean;
  readonly hasSingleNodeMultiWriter: boolean;
  readonly setsVolumeGroup: boolean;
}

/** Usage in bytes and inodes; members that the driver does not tell are left out. */
export interface UsageFigures {
  readonly capacityBytes?: number;
  readonly availableBytes?: number;
  readonly usedBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  readonly inodesUsed?: number;
}

/** A call of a driver has failed, in the words that Go's gRPC has for it. */
export class DriverCallError extends Error {
  override readonly name = 'DriverCallError';
  readonly code: string;
  /** The driver has certainly not done, and does not do, what it was called for. */
  readonly isFinal: boolean;

  constructor(error: GrpcError) {
    super(goErrorText(error), { cause: error });
    this.code = error.code;
    this.isFinal = !isGrpcError(
      error,
      ...(['CANCELLED', 'DEADLINE_EXCEEDED', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'ABORTED'] as const),
    );
  }
}

export interface NodeClientOptions {
  /** The path of the driver's socket. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Calls the node service of a CSI driver of this machine. */
export class CsiNodeClient implements AsyncDisposable {
  readonly #calls: SocketCalls;

  constructor({ endpoint, clock, random, log }: NodeClientOptions) {
    const path = endpoint.replace(/^unix:(?:\/\/)?/, '');
    this.#calls = new SocketCalls({ endpoint: `unix://${path}`, server: 'the CSI driver', clock, random, log });
  }

  async info(signal?: AbortSignal): Promise<DriverNodeInfo> {
    const answer = await this.#call(Node.nodeGetInfo, {}, signal);
    return {
      nodeId: answer.nodeId ?? '',
      maxVolumes: answer.maxVolumesPerNode ?? 0,
      topology: Object.fromEntries(answer.accessibleTopology?.segments ?? []),
    };
  }

  async capabilities(signal?: AbortSignal): Promise<NodeCapabilities> {
    const { capabilities = [] } = await this.#call(Node.nodeGetCapabilities, {}, signal);
    const offered = new Set(capabilities.map(({ rpc }) => rpc?.type));
    return {
      stages: offered.has(Rpc.STAGE_UNSTAGE_VOLUME),
      expands: offered.has(Rpc.EXPAND_VOLUME),
      hasStats: offered.has(Rpc.GET_VOLUME_STATS),
      hasSingleNodeMultiWriter: offered.has(Rpc.SINGLE_NODE_MULTI_WRITER),
      setsVolumeGroup: offered.has(Rpc.VOLUME_MOUNT_GROUP),
    };
  }

  async stage(use: VolumeUse, at: CallPlace & { readonly stagingPath: string }): Promise<void> {
    await this.#call(
      Node.nodeStageVolume,
      {
        volumeId: use.handle,
        publishContext: mapOf(use.publishContext),
        stagingTargetPath: at.stagingPath,
        volumeCapability: capabilityOf(use, at.capabilities),
        secrets: mapOf(use.secrets),
        volumeContext: mapOf(use.volumeContext),
      },
      at.signal,
    );
  }

  async publish(
    use: VolumeUse,
    at: CallPlace & { readonly stagingPath: string; readonly targetPath: string; readonly isReadOnly: boolean },
  ): Promise<void> {
    await this.#call(
      Node.nodePublishVolume,
      {
        volumeId: use.handle,
        publishContext: mapOf(use.publishContext),
        stagingTargetPath: at.stagingPath,
        targetPath: at.targetPath,
        volumeCapability: capabilityOf(use, at.capabilities),
        readonly: at.isReadOnly,
        secrets: mapOf(use.secrets),
        volumeContext: mapOf(use.volumeContext),
      },
      at.signal,
    );
  }

  async unpublish(volumeId: string, targetPath: string): Promise<void> {
    await this.#call(Node.nodeUnpublishVolume, { volumeId, targetPath });
  }

  async unstage(volumeId: string, stagingTargetPath: string): Promise<void> {
    await this.#call(Node.nodeUnstageVolume, { volumeId, stagingTargetPath });
  }

  async expand(
    use: VolumeUse,
    at: CallPlace & { readonly stagingPath: string; readonly path: string; readonly bytes: number },
  ): Promise<void> {
    await this.#call(
      Node.nodeExpandVolume,
      {
        volumeId: use.handle,
        volumePath: at.path,
        capacityRange: { requiredBytes: at.bytes },
        stagingTargetPath: at.stagingPath,
        volumeCapability: capabilityOf(use, at.capabilities),
        secrets: mapOf(use.secrets),
      },
      at.signal,
    );
  }

  async stats(volumeId: string, volumePath: string, signal: AbortSignal): Promise<UsageFigures> {
    const { usage = [] } = await this.#call(Node.nodeGetVolumeStats, { volumeId, volumePath }, signal);
    const bytes = usage.findLast(({ unit }) => unit === Unit.BYTES);
    const inodes = usage.findLast(({ unit }) => unit === Unit.INODES);
    return {
      ...(bytes === undefined
        ? {}
        : {
            capacityBytes: bytes.total ?? 0,
            availableBytes: bytes.available ?? 0,
            usedBytes: bytes.used ?? 0,
          }),
      ...(inodes === undefined
        ? {}
        : { inodes: inodes.total ?? 0, inodesFree: inodes.available ?? 0, inodesUsed: inodes.used ?? 0 }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal?: AbortSignal,
  ): Promise<Response> {
    try {
      return await this.#calls.call(method, request, signal === undefined ? {} : { signal });
    } catch (error) {
      if (error instanceof GrpcError) throw new DriverCallError(error);
      throw error;
    }
  }
}

interface CallPlace {
  readonly capabilities: NodeCapabilities;
  readonly signal?: AbortSignal;
}

function capabilityOf(
  { accessMode, type }: VolumeUse,
  capabilities: NodeCapabilities,
): MessageOf<typeof volumeCapability> {
  const mode = accessModeOf(accessMode, capabilities.hasSingleNodeMultiWriter);
  if (type.kind === 'block') return { accessMode: { mode }, block: {} };
  const { fsType, mountFlags, group } = type;
  const volumeMountGroup = group === undefined || !capabilities.setsVolumeGroup ? '' : String(group);
  return { accessMode: { mode }, mount: { fsType, mountFlags, volumeMountGroup } };
}

/** A driver that knows the modes of single nodes gets them; others get the mode that came before those. */
function accessModeOf(accessMode: string, hasSingleNodeMultiWriter: boolean): number {
  switch (accessMode) {
    case 'ReadWriteOnce':
      return hasSingleNodeMultiWriter ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER;
    case 'ReadWriteOncePod':
      return hasSingleNodeMultiWriter ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER;
    case 'ReadOnlyMany':
      return Mode.MULTI_NODE_READER_ONLY;
    case 'ReadWriteMany':
      return Mode.MULTI_NODE_MULTI_WRITER;
    default:
      return Mode.UNKNOWN;
  }
}

function mapOf(texts: Texts): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}
