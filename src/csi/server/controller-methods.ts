// The calls about volumes.
import type { Random } from '../../base/index.ts';
import { GrpcError, type ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import type { CsiController, CsiDriverDefinition, NewVolume } from '../kit/driver-definition.ts';
import {
  Controller as methods,
  ControllerServiceCapability_RPC_Type as Rpc,
  type createVolumeRequest,
  type topologyRequirement,
  type volume as volumeTable,
  type volumeHealth,
} from '../protocol/csi-v1.ts';
import type { VolumeRecord, VolumeSource } from '../records/records.ts';
import { healthMessage } from './health-message.ts';
import type { KeyedLocks } from './keyed-locks.ts';
import { pageOf } from './pages.ts';
import {
  accessModesOf,
  asMap,
  isWithin,
  readCapabilities,
  readCapability,
  required,
  sameTexts,
  sizeOf,
  texts,
  unsupportedCapability,
} from './request-checks.ts';
import { served } from './served-method.ts';
import { VolumeCatalog } from './volume-catalog.ts';

export interface ControllerParts {
  readonly driver: CsiDriverDefinition;
  readonly controller: CsiController;
  readonly random: Random;
  /** Shared by the calls about volumes and about snapshots. */
  readonly locks: KeyedLocks;
}

const DEFAULT_BYTES = 1024 ** 3;

export function controllerMethods({ driver, controller, random, locks }: ControllerParts): readonly ServedMethod[] {
  const catalog = new VolumeCatalog(controller, random);
  return [
    served(methods.controllerGetCapabilities, async () => ({
      capabilities: capabilitiesOf(driver, controller).map((type) => ({ rpc: { type } })),
    })),
    served(methods.createVolume, async (request, signal) => {
      const name = required(request.name, 'name');
      const capabilities = readCapabilities(request.volumeCapabilities);
      const problem = unsupportedCapability(driver, capabilities);
      if (problem !== undefined) throw new GrpcError('INVALID_ARGUMENT', problem);
      checkMutable(request.mutableParameters);
      const call = { secrets: texts(request.secrets), signal };
      return locks.hold(`volume name ${name}`, signal, async () => {
        const capacityBytes = sizeOf(request.capacityRange, controller.defaultBytes ?? DEFAULT_BYTES);
        const parameters = { ...texts(request.parameters), ...texts(request.mutableParameters) };
        const source = sourceOf(request);
        const existing = await catalog.named(name, call);
        if (existing !== undefined) {
          const difference = differenceOf(existing, { request, parameters, source });
          if (difference !== undefined)
            throw new GrpcError('ALREADY_EXISTS', `There is a volume "${name}" with ${difference}`);
          return { volume: volumeMessage(existing) };
        }
        const copyOf = source === undefined ? undefined : await original(source, capacityBytes);
        const accessibility = accessibilityOf(request.accessibilityRequirements);
        const wanted = {
          name,
          capacityBytes,
          parameters,
          capabilities,
          ...(source === undefined ? {} : { source }),
          ...(copyOf === undefined ? {} : { copyOf }),
          ...(accessibility === undefined ? {} : { accessibility }),
        };
        return { volume: volumeMessage(await catalog.create(wanted, call)) };
      });
    }),
    served(methods.deleteVolume, async ({ volumeId, secrets }, signal) => {
      const id = required(volumeId, 'volume_id');
      return locks.hold(`volume ${id}`, signal, async () => {
        const found = await controller.records.volumes.get(id);
        const nodes = Object.keys(found?.attachments ?? {});
        if (nodes.length > 0)
          throw new GrpcError('FAILED_PRECONDITION', `Volume "${id}" is attached to ${nodes.join(', ')}`);
        await catalog.delete(id, { secrets: texts(secrets), signal });
        return {};
      });
    }),
    served(methods.validateVolumeCapabilities, async (request) => {
      const id = required(request.volumeId, 'volume_id');
      const capabilities = readCapabilities(request.volumeCapabilities);
      await catalog.get(id);
      const message = unsupportedCapability(driver, capabilities);
      if (message !== undefined) return { message };
      const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
      return {
        confirmed: {
          volumeContext: volumeContext ?? new Map(),
          volumeCapabilities: volumeCapabilities ?? [],
          parameters: parameters ?? new Map(),
          mutableParameters: mutableParameters ?? new Map(),
        },
      };
    }),
    served(methods.listVolumes, async (request) => {
      const { page, nextToken } = pageOf(await catalog.list(), request);
      return {
        entries: page.map((record) => ({
          volume: volumeMessage(record),
          status: { publishedNodeIds: Object.keys(record.attachments) },
        })),
        nextToken,
      };
    }),
    served(methods.controllerGetVolume, async ({ volumeId }) => {
      const record = await catalog.get(required(volumeId, 'volume_id'));
      return { volume: volumeMessage(record), status: { publishedNodeIds: Object.keys(record.attachments) } };
    }),
    ...(controller.attach === undefined ? [] : attachMethods(controller.attach.bind(controller))),
    ...(controller.expand === undefined ? [] : [expandMethod(controller.expand.bind(controller))]),
    ...(controller.modify === undefined ? [] : [modifyMethod(controller.modify.bind(controller))]),
    ...(controller.health === undefined ? [] : healthMethods(controller.health.bind(controller))),
    ...(controller.capacity === undefined ? [] : [capacityMethod(controller.capacity.bind(controller))]),
  ];

  function checkMutable(parameters: ReadonlyMap<string, string> | undefined): void {
    for (const name of parameters?.keys() ?? [])
      if (controller.mutable?.includes(name) !== true)
        throw new GrpcError('INVALID_ARGUMENT', `${driver.name} has no parameter "${name}" that can be changed`);
  }

  /** What a copy begins as; refused when it does not exist, or is larger than the copy. */
  async function original(source: VolumeSource, capacityBytes: number): Promise<NonNullable<NewVolume['copyOf']>> {
    if (controller.copies?.includes(source.type) !== true)
      throw new GrpcError('INVALID_ARGUMENT', `${driver.name} makes no copies of a ${source.type}`);
    if (source.type === 'volume') {
      const volume = await catalog.get(source.volumeId);
      checkSize(volume.capacityBytes, capacityBytes);
      return { type: 'volume', volume };
    }
    const snapshot = await controller.records.snapshots.get(source.snapshotId);
    if (snapshot?.state !== 'ready') throw new GrpcError('NOT_FOUND', `There is no snapshot "${source.snapshotId}"`);
    checkSize(snapshot.sizeBytes, capacityBytes);
    return { type: 'snapshot', snapshot };
  }

  function attachMethods(attach: NonNullable<CsiController['attach']>): readonly ServedMethod[] {
    return [
      served(methods.controllerPublishVolume, async (request, signal) => {
        const id = required(request.volumeId, 'volume_id');
        const nodeId = required(request.nodeId, 'node_id');
        const capability = readCapability(request.volumeCapability);
        return locks.hold(`volume ${id}`, signal, async () => {
          const record = await catalog.get(id);
          if ((await controller.hasNode?.(nodeId)) === false)
            throw new GrpcError('NOT_FOUND', `There is no node "${nodeId}"`);
          const problem = unsupportedCapability(driver, [capability]);
          if (problem !== undefined) throw new GrpcError('INVALID_ARGUMENT', problem);
          const isReadOnly = request.readonly ?? false;
          const attached = record.attachments[nodeId];
          if (attached !== undefined && attached.isReadOnly !== isReadOnly)
            throw new GrpcError('ALREADY_EXISTS', `Volume "${id}" is attached to "${nodeId}" in another way`);
          if (attached !== undefined) return { publishContext: asMap(attached.context) };
          const others = Object.keys(record.attachments);
          if (others.length > 0 && capability.accessMode.startsWith('SINGLE_NODE'))
            throw new GrpcError('FAILED_PRECONDITION', `Volume "${id}" is attached to ${others.join(', ')}`);
          const { maxVolumesPerNode: most } = driver;
          const there = (await catalog.list()).filter(({ attachments }) => attachments[nodeId] !== undefined).length;
          if (most !== undefined && there >= most)
            throw new GrpcError(
              'RESOURCE_EXHAUSTED',
              `Node "${nodeId}" has ${there} volumes attached, the most it can`,
            );
          const call = { secrets: texts(request.secrets), signal };
          const context = (await attach(record, { nodeId, isReadOnly, capability, ...call })) ?? {};
          const attachments = { ...record.attachments, [nodeId]: { isReadOnly, context } };
          await catalog.put({ ...record, attachments });
          return { publishContext: asMap(context) };
        });
      }),
      served(methods.controllerUnpublishVolume, async (request, signal) => {
        const id = required(request.volumeId, 'volume_id');
        return locks.hold(`volume ${id}`, signal, async () => {
          const record = await catalog.find(id);
          if (record === undefined) return {};
          const asked = request.nodeId ?? '';
          const nodes = asked === '' ? Object.keys(record.attachments) : [asked];
          for (const nodeId of nodes)
            await controller.detach?.(record, { nodeId, secrets: texts(request.secrets), signal });
          const attachments = Object.fromEntries(
            Object.entries(record.attachments).filter(([nodeId]) => !nodes.includes(nodeId)),
          );
          await catalog.put({ ...record, attachments });
          return {};
        });
      }),
    ];
  }

  function expandMethod(expand: NonNullable<CsiController['expand']>): ServedMethod {
    return served(methods.controllerExpandVolume, async (request, signal) => {
      const id = required(request.volumeId, 'volume_id');
      const { capacityRange: range } = request;
      if (range === undefined) throw new GrpcError('INVALID_ARGUMENT', 'capacity_range is required');
      return locks.hold(`volume ${id}`, signal, async () => {
        const record = await catalog.get(id);
        const wanted = sizeOf(range, record.capacityBytes);
        const needsNode = driver.node?.expand !== undefined;
        if (wanted <= record.capacityBytes)
          return { capacityBytes: record.capacityBytes, nodeExpansionRequired: needsNode };
        const grown = await expand(record, { capacityBytes: wanted, secrets: texts(request.secrets), signal });
        await catalog.put({ ...record, capacityBytes: wanted });
        return { capacityBytes: wanted, nodeExpansionRequired: grown?.needsNode ?? needsNode };
      });
    });
  }

  function modifyMethod(modify: NonNullable<CsiController['modify']>): ServedMethod {
    return served(methods.controllerModifyVolume, async ({ volumeId, mutableParameters, secrets }, signal) => {
      const id = required(volumeId, 'volume_id');
      return locks.hold(`volume ${id}`, signal, async () => {
        const record = await catalog.get(id);
        checkMutable(mutableParameters);
        const changed = texts(mutableParameters);
        await modify(record, { parameters: changed, secrets: texts(secrets), signal });
        await catalog.put({ ...record, parameters: { ...record.parameters, ...changed } });
        return {};
      });
    });
  }

  function healthMethods(health: NonNullable<CsiController['health']>): readonly ServedMethod[] {
    const healthOf = async (record: VolumeRecord): Promise<MessageOf<typeof volumeHealth>> =>
      healthMessage(record.id, await health(record));
    return [
      served(methods.controllerGetVolumeHealth, async ({ volumeId }) => ({
        volumeHealth: await healthOf(await catalog.get(required(volumeId, 'volume_id'))),
      })),
      served(methods.controllerListVolumeHealth, async (request) => {
        const { page, nextToken } = pageOf(await catalog.list(), request);
        const entries = await Promise.all(page.map(healthOf));
        return { entries: entries.filter(({ healthStatuses = [] }) => healthStatuses.length > 0), nextToken };
      }),
    ];
  }

  function capacityMethod(capacity: NonNullable<CsiController['capacity']>): ServedMethod {
    return served(methods.getCapacity, async ({ parameters, accessibleTopology, volumeCapabilities = [] }) => {
      if (volumeCapabilities.length > 0) {
        const problem = unsupportedCapability(driver, readCapabilities(volumeCapabilities));
        if (problem !== undefined) return { availableCapacity: 0 };
      }
      const free = await capacity({ parameters: texts(parameters), topology: texts(accessibleTopology?.segments) });
      return {
        availableCapacity: free.availableBytes,
        ...(free.maxVolumeBytes === undefined ? {} : { maximumVolumeSize: { value: free.maxVolumeBytes } }),
        ...(free.minVolumeBytes === undefined ? {} : { minimumVolumeSize: { value: free.minVolumeBytes } }),
      };
    });
  }
}

/** What the driver offers, by what its author has written. */
function capabilitiesOf(driver: CsiDriverDefinition, controller: CsiController): readonly number[] {
  const offers: readonly (readonly [isOffered: boolean, type: number])[] = [
    [true, Rpc.CREATE_DELETE_VOLUME],
    [true, Rpc.LIST_VOLUMES],
    [true, Rpc.GET_VOLUME],
    [controller.attach !== undefined, Rpc.PUBLISH_UNPUBLISH_VOLUME],
    [controller.attach !== undefined, Rpc.PUBLISH_READONLY],
    [controller.attach !== undefined, Rpc.LIST_VOLUMES_PUBLISHED_NODES],
    [controller.capacity !== undefined, Rpc.GET_CAPACITY],
    [controller.snapshot !== undefined, Rpc.CREATE_DELETE_SNAPSHOT],
    [controller.snapshot !== undefined, Rpc.LIST_SNAPSHOTS],
    [controller.snapshot !== undefined, Rpc.GET_SNAPSHOT],
    [controller.copies?.includes('volume') === true, Rpc.CLONE_VOLUME],
    [controller.expand !== undefined, Rpc.EXPAND_VOLUME],
    [controller.modify !== undefined, Rpc.MODIFY_VOLUME],
    [controller.health !== undefined, Rpc.GET_VOLUME_HEALTH],
    [controller.health !== undefined, Rpc.LIST_VOLUME_HEALTH],
    [accessModesOf(driver).includes('SINGLE_NODE_MULTI_WRITER'), Rpc.SINGLE_NODE_MULTI_WRITER],
  ];
  return offers.filter(([isOffered]) => isOffered).map(([, type]) => type);
}

function sourceOf({ volumeContentSource }: MessageOf<typeof createVolumeRequest>): VolumeSource | undefined {
  if (volumeContentSource === undefined) return undefined;
  const { snapshot, volume } = volumeContentSource;
  if (snapshot !== undefined)
    return {
      type: 'snapshot',
      snapshotId: required(snapshot.snapshotId, 'volume_content_source.snapshot.snapshot_id'),
    };
  return { type: 'volume', volumeId: required(volume?.volumeId, 'volume_content_source.volume.volume_id') };
}

/** What keeps an existing volume from being the one that is asked for; undefined when it is. */
function differenceOf(
  existing: VolumeRecord,
  {
    request,
    parameters,
    source,
  }: {
    readonly request: MessageOf<typeof createVolumeRequest>;
    readonly parameters: Readonly<Record<string, string>>;
    readonly source: VolumeSource | undefined;
  },
): string | undefined {
  if (!isWithin(existing.capacityBytes, request.capacityRange)) return `${existing.capacityBytes} bytes`;
  if (!sameTexts(existing.parameters, parameters)) return 'other parameters';
  if (JSON.stringify(existing.source) !== JSON.stringify(source)) return 'another source';
  return undefined;
}

function checkSize(sourceBytes: number, capacityBytes: number): void {
  if (capacityBytes < sourceBytes)
    throw new GrpcError('OUT_OF_RANGE', `A copy of ${sourceBytes} bytes does not fit into ${capacityBytes}`);
}

function accessibilityOf(message: MessageOf<typeof topologyRequirement> | undefined): NewVolume['accessibility'] {
  if (message === undefined) return undefined;
  const { requisite = [], preferred = [] } = message;
  return {
    requisite: requisite.map(({ segments }) => texts(segments)),
    preferred: preferred.map(({ segments }) => texts(segments)),
  };
}

function volumeMessage(record: VolumeRecord): MessageOf<typeof volumeTable> {
  const { id, capacityBytes, context, source, topology } = record;
  const contentSource =
    source?.type === 'snapshot'
      ? { snapshot: { snapshotId: source.snapshotId } }
      : source?.type === 'volume'
        ? { volume: { volumeId: source.volumeId } }
        : undefined;
  return {
    volumeId: id,
    capacityBytes,
    volumeContext: asMap(context),
    ...(contentSource === undefined ? {} : { contentSource }),
    ...(topology === undefined
      ? {}
      : { accessibleTopology: topology.map((segments) => ({ segments: asMap(segments) })) }),
  };
}
