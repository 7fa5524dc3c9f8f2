import { messageOf } from '../../base/index.ts';
import {
  type ContentSource,
  type CreatedVolume,
  type CreateVolumeRequest,
  type DriverFeatures,
  NotReadyError,
  type TakenGroupSnapshot,
  type TakenSnapshot,
  type Topology,
  type VolumeCapability,
  type VolumeDriver,
  VolumeDriverError,
} from '../../controllers/volume-sidecars/index.ts';
import { goCodeName, GrpcError, type Method } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { accessModeOf } from '../client/access-mode.ts';
import type { CsiCapabilities, CsiClient } from '../client/csi-client.ts';
import {
  Controller,
  type createVolumeRequest,
  GroupController,
  type snapshot as snapshotTable,
  type timestamp,
  type topology,
  type volume as volumeTable,
  type volumeCapability,
  type volumeGroupSnapshot,
} from '../protocol/csi-v1.ts';

type Texts = Readonly<Record<string, string>>;

type CsiCapability = Parameters<CsiCapabilities['controller']['has']>[0];

interface CallOptions {
  readonly signal: AbortSignal;
}

/** Entries of one page of a list; lists have at most this many pages. */
const PAGE_ENTRIES = 1000;
const MAX_PAGES = 10_000;

/** A driver behind a socket, as the controllers use drivers. It has the calls that its capabilities name. */
export function socketDriver(client: CsiClient, name: string, capabilities: CsiCapabilities): VolumeDriver {
  const calls = new DriverCalls(client, capabilities);
  const can = (call: CsiCapability): boolean => capabilities.controller.has(call);
  return {
    name,
    features: featuresOf(capabilities),
    ...(can('CREATE_DELETE_VOLUME')
      ? {
          createVolume: (request, options) => calls.createVolume(request, options),
          async deleteVolume({ volumeId, secrets }, options) {
            await calls.call(Controller.deleteVolume, { volumeId, ...withSecrets(secrets) }, options);
          },
        }
      : {}),
    ...(can('PUBLISH_UNPUBLISH_VOLUME')
      ? {
          async controllerPublishVolume({ isReadOnly, secrets, volumeContext, volumeCapability, ...ids }, options) {
            const { publishContext } = await calls.call(
              Controller.controllerPublishVolume,
              {
                ...ids,
                ...withSecrets(secrets),
                volumeContext: mapOf(volumeContext),
                volumeCapability: calls.capability(volumeCapability),
                readonly: isReadOnly,
              },
              options,
            );
            const found = textsOf(publishContext);
            return found === undefined ? {} : { publishContext: found };
          },
          async controllerUnpublishVolume({ volumeId, nodeId, secrets }, options) {
            await calls.call(
              Controller.controllerUnpublishVolume,
              { volumeId, nodeId, ...withSecrets(secrets) },
              options,
            );
          },
        }
      : {}),
    ...(can('LIST_VOLUMES_PUBLISHED_NODES') && can('LIST_VOLUMES')
      ? { listAttachments: (options) => calls.listAttachments(options) }
      : {}),
    ...(can('EXPAND_VOLUME')
      ? {
          async controllerExpandVolume({ volumeId, capacityRange, volumeCapability, secrets }, options) {
            const { capacityBytes = 0, nodeExpansionRequired = false } = await calls.call(
              Controller.controllerExpandVolume,
              {
                volumeId,
                capacityRange: { ...capacityRange },
                volumeCapability: calls.capability(volumeCapability),
                ...withSecrets(secrets),
              },
              options,
            );
            return { capacityBytes, nodeExpansionRequired };
          },
        }
      : {}),
    ...(can('MODIFY_VOLUME')
      ? {
          async controllerModifyVolume({ volumeId, mutableParameters, secrets }, options) {
            await calls.call(
              Controller.controllerModifyVolume,
              { volumeId, mutableParameters: mapOf(mutableParameters), ...withSecrets(secrets) },
              options,
            );
          },
        }
      : {}),
    ...(can('CREATE_DELETE_SNAPSHOT')
      ? {
          async createSnapshot({ sourceVolumeId, name: snapshot, parameters, secrets }, options) {
            const answer = await calls.call(
              Controller.createSnapshot,
              { sourceVolumeId, name: snapshot, parameters: mapOf(parameters), ...withSecrets(secrets) },
              options,
            );
            return takenSnapshot(answer.snapshot, 'CreateSnapshot');
          },
          async deleteSnapshot({ snapshotId, secrets }, options) {
            await calls.call(Controller.deleteSnapshot, { snapshotId, ...withSecrets(secrets) }, options);
          },
        }
      : {}),
    ...(can('GET_SNAPSHOT')
      ? {
          async findSnapshot({ snapshotId, secrets }, options) {
            const answer = await calls.call(Controller.getSnapshot, { snapshotId, ...withSecrets(secrets) }, options);
            return takenSnapshot(answer.snapshot, 'GetSnapshot');
          },
        }
      : can('LIST_SNAPSHOTS')
        ? {
            async findSnapshot({ snapshotId, secrets }, options) {
              const { entries = [] } = await calls.call(
                Controller.listSnapshots,
                { snapshotId, ...withSecrets(secrets) },
                options,
              );
              if (entries.length === 0)
                throw new VolumeDriverError('NotFound', `can not find snapshot for snapshotID ${snapshotId}`);
              return takenSnapshot(entries[0]?.snapshot, 'ListSnapshots');
            },
          }
        : {}),
    ...(capabilities.group.has('CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT')
      ? {
          async createGroupSnapshot({ sourceVolumeIds, name: group, parameters, secrets }, options) {
            const answer = await calls.call(
              GroupController.createVolumeGroupSnapshot,
              {
                sourceVolumeIds: [...sourceVolumeIds],
                name: group,
                parameters: mapOf(parameters),
                ...withSecrets(secrets),
              },
              options,
            );
            return takenGroup(answer.groupSnapshot, 'CreateVolumeGroupSnapshot');
          },
          async deleteGroupSnapshot({ groupSnapshotId, snapshotIds, secrets }, options) {
            await calls.call(
              GroupController.deleteVolumeGroupSnapshot,
              { groupSnapshotId, snapshotIds: [...snapshotIds], ...withSecrets(secrets) },
              options,
            );
          },
          async findGroupSnapshot({ groupSnapshotId, snapshotIds, secrets }, options) {
            const answer = await calls.call(
              GroupController.getVolumeGroupSnapshot,
              { groupSnapshotId, snapshotIds: [...snapshotIds], ...withSecrets(secrets) },
              options,
            );
            return takenGroup(answer.groupSnapshot, 'GetVolumeGroupSnapshot');
          },
        }
      : {}),
    ...(can('GET_CAPACITY')
      ? {
          async getCapacity({ parameters, topology: place }, options) {
            const { availableCapacity = 0, maximumVolumeSize } = await calls.call(
              Controller.getCapacity,
              {
                parameters: mapOf(parameters),
                ...(place === undefined ? {} : { accessibleTopology: { segments: mapOf(place.segments) } }),
              },
              options,
            );
            return {
              availableBytes: availableCapacity,
              ...(maximumVolumeSize === undefined ? {} : { maximumVolumeBytes: maximumVolumeSize.value ?? 0 }),
            };
          },
        }
      : {}),
  };
}

function featuresOf({ services, controller, node }: CsiCapabilities): DriverFeatures {
  return {
    ...(services.has('VOLUME_ACCESSIBILITY_CONSTRAINTS') ? { topology: 'all-keys' as const } : {}),
    clones: controller.has('CLONE_VOLUME'),
    hasSinglePodVolumes: controller.has('SINGLE_NODE_MULTI_WRITER'),
    attachesReadOnly: controller.has('PUBLISH_READONLY'),
    expandsOnNodesOnly: node.has('EXPAND_VOLUME') && !controller.has('EXPAND_VOLUME'),
  };
}

/** Calls of one driver, with its errors in the words of the controllers. */
class DriverCalls {
  readonly #client: CsiClient;
  readonly #capabilities: CsiCapabilities;

  constructor(client: CsiClient, capabilities: CsiCapabilities) {
    this.#client = client;
    this.#capabilities = capabilities;
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { signal }: CallOptions,
  ): Promise<Response> {
    try {
      return await this.#client.call(method, request, { signal });
    } catch (error) {
      if (error instanceof GrpcError) throw new VolumeDriverError(goCodeName(error.code), error.message);
      throw error;
    }
  }

  async createVolume(request: CreateVolumeRequest, options: CallOptions): Promise<CreatedVolume> {
    const { volume } = await this.call(Controller.createVolume, this.#createMessage(request), options);
    const { volumeId = '', capacityBytes = 0, volumeContext, accessibleTopology = [], contentSource } = volume ?? {};
    if (volumeId === '') throw new VolumeDriverError('Internal', 'CreateVolume answered without a volume id');
    const context = textsOf(volumeContext);
    return {
      volumeId,
      capacityBytes,
      ...(context === undefined ? {} : { volumeContext: context }),
      ...(accessibleTopology.length === 0 ? {} : { accessibleTopology: accessibleTopology.map(topologyOf) }),
      isCopy: contentSource !== undefined,
    };
  }

  /** The nodes of each volume. */
  async listAttachments(options: CallOptions): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    let startingToken = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const { entries = [], nextToken = '' } = await this.call(
        Controller.listVolumes,
        { maxEntries: PAGE_ENTRIES, startingToken },
        options,
      );
      for (const { volume, status } of entries)
        if (volume?.volumeId !== undefined && status !== undefined)
          found.set(volume.volumeId, status.publishedNodeIds ?? []);
      if (nextToken === '') return found;
      startingToken = nextToken;
    }
    throw new VolumeDriverError('Internal', `ListVolumes has more than ${MAX_PAGES} pages`);
  }

  capability(capability: VolumeCapability): MessageOf<typeof volumeCapability> {
    const { accessType, accessModes, fsType, mountFlags } = capability;
    const access =
      accessType === 'block'
        ? { block: {} }
        : {
            mount: {
              ...(fsType === undefined ? {} : { fsType }),
              ...(mountFlags === undefined ? {} : { mountFlags: [...mountFlags] }),
            },
          };
    return { ...access, accessMode: { mode: this.#accessMode(accessModes) } };
  }

  #accessMode(modes: readonly string[]): number {
    try {
      return accessModeOf(modes, this.#capabilities.controller.has('SINGLE_NODE_MULTI_WRITER'));
    } catch (error) {
      throw new NotReadyError(messageOf(error));
    }
  }

  #createMessage(request: CreateVolumeRequest): MessageOf<typeof createVolumeRequest> {
    const { name, capacityRange, volumeCapabilities, parameters, secrets, mutableParameters } = request;
    const { accessibilityRequirements: places, volumeContentSource: source } = request;
    return {
      name,
      capacityRange: { ...capacityRange },
      volumeCapabilities: volumeCapabilities.map((each) => this.capability(each)),
      parameters: mapOf(parameters),
      ...withSecrets(secrets),
      ...(mutableParameters === undefined ? {} : { mutableParameters: mapOf(mutableParameters) }),
      ...(places === undefined
        ? {}
        : {
            accessibilityRequirements: {
              requisite: places.requisite.map(topologyMessage),
              preferred: places.preferred.map(topologyMessage),
            },
          }),
      ...(source === undefined ? {} : { volumeContentSource: sourceMessage(source) }),
    };
  }
}

function sourceMessage(source: ContentSource): NonNullable<MessageOf<typeof volumeTable>['contentSource']> {
  return source.type === 'snapshot'
    ? { snapshot: { snapshotId: source.snapshotId } }
    : { volume: { volumeId: source.volumeId } };
}

function takenSnapshot(snapshot: MessageOf<typeof snapshotTable> | undefined, call: string): TakenSnapshot {
  const { snapshotId = '', sizeBytes = 0, creationTime, readyToUse = false, groupSnapshotId = '' } = snapshot ?? {};
  if (snapshotId === '') throw new VolumeDriverError('Internal', `${call} answered without a snapshot id`);
  return {
    snapshotId,
    sizeBytes,
    ...(groupSnapshotId === '' ? {} : { groupSnapshotId }),
    ...createdAt(creationTime),
    isReady: readyToUse,
  };
}

function takenGroup(group: MessageOf<typeof volumeGroupSnapshot> | undefined, call: string): TakenGroupSnapshot {
  const { groupSnapshotId = '', snapshots = [], creationTime, readyToUse = false } = group ?? {};
  if (groupSnapshotId === '') throw new VolumeDriverError('Internal', `${call} answered without a group snapshot id`);
  return {
    groupSnapshotId,
    snapshots: snapshots.map((each) => ({
      ...takenSnapshot(each, call),
      sourceVolumeId: each.sourceVolumeId ?? '',
    })),
    ...createdAt(creationTime),
    isReady: readyToUse,
  };
}

function createdAt(time: MessageOf<typeof timestamp> | undefined): { readonly createdAtNs?: bigint } {
  if (time === undefined) return {};
  const { seconds = 0, nanos = 0 } = time;
  return { createdAtNs: BigInt(seconds) * 1_000_000_000n + BigInt(nanos) };
}

function topologyMessage({ segments }: Topology): MessageOf<typeof topology> {
  return { segments: mapOf(segments) };
}

function topologyOf({ segments }: MessageOf<typeof topology>): Topology {
  return { segments: textsOf(segments) ?? {} };
}

function mapOf(texts: Texts): Map<string, string> {
  return new Map(Object.entries(texts));
}

function textsOf(map: ReadonlyMap<string, string> | undefined): Texts | undefined {
  return map === undefined || map.size === 0 ? undefined : Object.fromEntries(map);
}

function withSecrets(secrets: Texts | undefined): { readonly secrets?: Map<string, string> } {
  return secrets === undefined ? {} : { secrets: mapOf(secrets) };
}
