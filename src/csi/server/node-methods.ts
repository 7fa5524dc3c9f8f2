// The calls about volumes on a node.
import { access } from 'node:fs/promises';
import { GrpcError, type ServedMethod } from '../../wire/grpc/index.ts';
import type { CsiDriverDefinition, CsiNode } from '../kit/driver-definition.ts';
import {
  Node as methods,
  NodeServiceCapability_RPC_Type as Rpc,
  StorageHealthErrorType,
  VolumeUsage_Unit as Unit,
} from '../protocol/csi-v1.ts';
import { healthMessage } from './health-message.ts';
import { KeyedLocks } from './keyed-locks.ts';
import {
  accessModesOf,
  asMap,
  readCapability,
  required,
  sizeOf,
  texts,
  unsupportedCapability,
} from './request-checks.ts';
import { PublishedTargets } from './published-targets.ts';
import { served } from './served-method.ts';

export function nodeMethods(driver: CsiDriverDefinition, node: CsiNode): readonly ServedMethod[] {
  const locks = new KeyedLocks();
  const published = new PublishedTargets();
  const volumeOf = (
    id: string,
    request: Pick<PublishRequest, 'volumeContext' | 'publishContext' | 'volumeCapability'>,
  ): Parameters<CsiNode['publish']>[0] => {
    const capability = readCapability(request.volumeCapability);
    const problem = unsupportedCapability(driver, [capability]);
    if (problem !== undefined) throw new GrpcError('INVALID_ARGUMENT', problem);
    return { id, context: texts(request.volumeContext), attachment: texts(request.publishContext), capability };
  };
  return [
    served(methods.nodeGetInfo, async () => ({
      nodeId: node.id,
      ...(driver.maxVolumesPerNode === undefined ? {} : { maxVolumesPerNode: driver.maxVolumesPerNode }),
      ...(node.topology === undefined ? {} : { accessibleTopology: { segments: asMap(node.topology) } }),
    })),
    served(methods.nodeGetCapabilities, async () => ({
      capabilities: capabilitiesOf(driver, node).map((type) => ({ rpc: { type } })),
    })),
    served(methods.nodePublishVolume, async (request, signal) => {
      const id = required(request.volumeId, 'volume_id');
      const targetPath = required(request.targetPath, 'target_path');
      const stagingPath = request.stagingTargetPath ?? '';
      const volume = volumeOf(id, request);
      // inline volumes of Kubernetes are never staged; with `podInfoOnMount` the kubelet marks them
      const isInline = volume.context['csi.storage.k8s.io/ephemeral'] === 'true';
      if (node.stage !== undefined && stagingPath === '' && !isInline)
        throw new GrpcError('FAILED_PRECONDITION', 'staging_target_path is required: the driver stages volumes');
      const call = { secrets: texts(request.secrets), signal };
      return locks.hold(id, signal, async () => {
        published.check(volume, targetPath);
        await node.publish(volume, { targetPath, stagingPath, isReadOnly: request.readonly ?? false, ...call });
        published.add(volume, targetPath);
        return {};
      });
    }),
    served(methods.nodeUnpublishVolume, async (request, signal) => {
      const id = required(request.volumeId, 'volume_id');
      const targetPath = required(request.targetPath, 'target_path');
      return locks.hold(id, signal, async () => {
        await node.unpublish(id, { targetPath, signal });
        published.delete(id, targetPath);
        return {};
      });
    }),
    ...(node.stage === undefined ? [] : stageMethods(node.stage.bind(node))),
    ...(node.expand === undefined ? [] : [expandMethod(node.expand.bind(node))]),
    ...(node.health === undefined ? [] : [healthMethod(node.health.bind(node))]),
    ...(node.storageHealth === undefined ? [] : [storageMethod(node.storageHealth.bind(node))]),
    ...(node.stats === undefined ? [] : [statsMethod(node.stats.bind(node))]),
  ];

  function stageMethods(stage: NonNullable<CsiNode['stage']>): readonly ServedMethod[] {
    return [
      served(methods.nodeStageVolume, async (request, signal) => {
        const id = required(request.volumeId, 'volume_id');
        const stagingPath = required(request.stagingTargetPath, 'staging_target_path');
        const volume = volumeOf(id, request);
        await locks.hold(id, signal, () => stage(volume, { stagingPath, secrets: texts(request.secrets), signal }));
        return {};
      }),
      served(methods.nodeUnstageVolume, async (request, signal) => {
        const id = required(request.volumeId, 'volume_id');
        const stagingPath = required(request.stagingTargetPath, 'staging_target_path');
        await locks.hold(id, signal, async () => node.unstage?.(id, { stagingPath, signal }));
        return {};
      }),
    ];
  }

  function expandMethod(expand: NonNullable<CsiNode['expand']>): ServedMethod {
    return served(methods.nodeExpandVolume, async (request, signal) => {
      const id = required(request.volumeId, 'volume_id');
      const path = required(request.volumePath, 'volume_path');
      await checkPath(path);
      const capacityBytes = sizeOf(request.capacityRange, 0);
      const call = { secrets: texts(request.secrets), signal };
      const grown = await locks.hold(id, signal, () => expand(id, { path, capacityBytes, ...call }));
      return { capacityBytes: grown ?? capacityBytes };
    });
  }

  function healthMethod(health: NonNullable<CsiNode['health']>): ServedMethod {
    return served(methods.nodeGetVolumeHealth, async ({ volumeId, volumePublishPath, stagingTargetPath }) => {
      const id = required(volumeId, 'volume_id');
      const path = volumePublishPath ?? stagingTargetPath ?? '';
      if (path !== '') await checkPath(path);
      return { volumeHealth: healthMessage(id, await health(id, { path })) };
    });
  }

  function storageMethod(storageHealth: NonNullable<CsiNode['storageHealth']>): ServedMethod {
    return served(methods.nodeGetStorageHealth, async () => ({
      backendHealth: (await storageHealth()).map(({ status, ...words }) => ({
        ...words,
        status: StorageHealthErrorType[status],
      })),
    }));
  }

  function statsMethod(stats: NonNullable<CsiNode['stats']>): ServedMethod {
    return served(methods.nodeGetVolumeStats, async (request) => {
      const id = required(request.volumeId, 'volume_id');
      const path = required(request.volumePath, 'volume_path');
      await checkPath(path);
      const usage = await stats(id, { path });
      return { usage: usage.map(({ unit, ...figures }) => ({ ...figures, unit: Unit[unit] })) };
    });
  }
}

type PublishRequest = Parameters<(typeof methods.nodePublishVolume)['request']['encode']>[0];

function capabilitiesOf(driver: CsiDriverDefinition, node: CsiNode): readonly number[] {
  const offers: readonly (readonly [isOffered: boolean, type: number])[] = [
    [node.stage !== undefined, Rpc.STAGE_UNSTAGE_VOLUME],
    [node.stats !== undefined, Rpc.GET_VOLUME_STATS],
    [node.expand !== undefined, Rpc.EXPAND_VOLUME],
    [accessModesOf(driver).includes('SINGLE_NODE_MULTI_WRITER'), Rpc.SINGLE_NODE_MULTI_WRITER],
    [node.health !== undefined, Rpc.GET_VOLUME_HEALTH],
    [node.storageHealth !== undefined, Rpc.GET_STORAGE_HEALTH],
    [node.setsVolumeGroup === true, Rpc.VOLUME_MOUNT_GROUP],
  ];
  return offers.filter(([isOffered]) => isOffered).map(([, type]) => type);
}

async function checkPath(path: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new GrpcError('NOT_FOUND', `There is no volume at "${path}"`, { cause });
  }
}
