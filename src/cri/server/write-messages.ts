// What a runtime says about pods, containers and images, as messages of the Container Runtime Interface.
import type { ContainerStats, ContainerStatus, Image, PodSandboxMetadata, PodSandboxStatus } from '../../node/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import * as protocol from '../protocol/runtime-v1.ts';
import {
  asMap,
  imageMessage,
  mountMessage,
  namespacesMessage,
  resourcesMessage,
  signalNumber,
} from '../to-messages.ts';
import type { KeptContainer, KeptSandbox } from './kept-configs.ts';

const NANOSECONDS_PER_MS = 1_000_000;

export const nanoseconds = (ms: number): number => Math.round(ms) * NANOSECONDS_PER_MS;

export function sandboxStatusMessage(
  status: PodSandboxStatus,
  kept: KeptSandbox | undefined,
): MessageOf<typeof protocol.podSandboxStatus> {
  const { network } = status;
  const options = kept === undefined ? {} : namespacesMessage(kept.namespaceOptions);
  return {
    ...listedSandboxMessage(status, kept),
    network: { ip: network.ip, additionalIps: network.additionalIps.map((ip) => ({ ip })) },
    linux: { namespaces: { options } },
  };
}

export function listedSandboxMessage(
  status: PodSandboxStatus,
  kept: KeptSandbox | undefined,
): MessageOf<typeof protocol.podSandbox> {
  const { id, metadata, state, createdAtMs, labels, annotations } = status;
  return {
    id,
    metadata,
    state: protocol.PodSandboxState[state],
    createdAt: nanoseconds(createdAtMs),
    labels: asMap(labels),
    annotations: asMap(annotations),
    runtimeHandler: kept?.runtimeHandler ?? '',
  };
}

export function containerStatusMessage(
  status: ContainerStatus,
  kept: KeptContainer | undefined,
): MessageOf<typeof protocol.containerStatus> {
  const { startedAtMs, finishedAtMs, exitCode, reason, message } = status;
  return {
    ...containerParts(status, kept),
    startedAt: startedAtMs === undefined ? 0 : nanoseconds(startedAtMs),
    finishedAt: finishedAtMs === undefined ? 0 : nanoseconds(finishedAtMs),
    exitCode,
    reason,
    message,
    logPath: kept?.logFile ?? '',
    ...(kept === undefined
      ? {}
      : {
          mounts: kept.mounts.map((mount) => mountMessage(mount, {})),
          resources: { linux: resourcesMessage(kept.resources) },
          user: { linux: kept.user },
          stopSignal: kept.stopSignal === undefined ? protocol.Signal.SIGTERM : signalNumber(kept.stopSignal),
        }),
  };
}

export function listedContainerMessage(
  status: ContainerStatus,
  kept: KeptContainer | undefined,
): MessageOf<typeof protocol.container> {
  return { ...containerParts(status, kept), podSandboxId: status.podSandboxId };
}

function containerParts(
  status: ContainerStatus,
  kept: KeptContainer | undefined,
): Pick<
  MessageOf<typeof protocol.containerStatus>,
  'id' | 'metadata' | 'image' | 'imageRef' | 'imageId' | 'state' | 'createdAt' | 'labels' | 'annotations'
> {
  const { id, metadata, image, imageRef, state, createdAtMs, labels, annotations } = status;
  return {
    id,
    metadata,
    image: imageMessage(image),
    imageRef,
    imageId: kept?.imageId ?? imageRef,
    state: protocol.ContainerState[state],
    createdAt: nanoseconds(createdAtMs),
    labels: asMap(labels),
    annotations: asMap(annotations),
  };
}

export function statsMessage(
  stats: ContainerStats,
  { labels, annotations }: Pick<ContainerStatus, 'labels' | 'annotations'>,
  mountpoint: string,
): MessageOf<typeof protocol.containerStats> {
  const { id, metadata, writableLayerBytes } = stats;
  const timestamp = nanoseconds(stats.timestampMs);
  return {
    attributes: { id, metadata, labels: asMap(labels), annotations: asMap(annotations) },
    ...usageMessages(stats),
    writableLayer: {
      timestamp,
      fsId: { mountpoint },
      usedBytes: { value: writableLayerBytes },
      inodesUsed: { value: 0 },
    },
    swap: { timestamp, swapAvailableBytes: { value: 0 }, swapUsageBytes: { value: 0 } },
  };
}

type Usage = Pick<ContainerStats, 'timestampMs' | 'usageNanoCores' | 'usageCoreNanoSeconds' | 'workingSetBytes'>;

function usageMessages({ timestampMs, usageNanoCores, usageCoreNanoSeconds, workingSetBytes }: Usage): {
  readonly cpu: MessageOf<typeof protocol.cpuUsage>;
  readonly memory: MessageOf<typeof protocol.memoryUsage>;
} {
  const timestamp = nanoseconds(timestampMs);
  const memory = { value: Math.round(workingSetBytes) };
  return {
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: Math.round(usageCoreNanoSeconds) },
      ...(usageNanoCores === undefined ? {} : { usageNanoCores: { value: Math.round(usageNanoCores) } }),
    },
    memory: { timestamp, workingSetBytes: memory, usageBytes: memory, rssBytes: memory },
  };
}

/** The usage of a pod: the sum over its containers. */
export function podStatsMessage(
  { id, metadata, labels, annotations }: PodSandboxStatus,
  containers: readonly (readonly [ContainerStats, MessageOf<typeof protocol.containerStats>])[],
  nowMs: number,
): MessageOf<typeof protocol.podSandboxStats> {
  const sum = (value: (stats: ContainerStats) => number): number =>
    containers.reduce((total, [stats]) => total + value(stats), 0);
  const usage = {
    timestampMs: nowMs,
    usageNanoCores: sum(({ usageNanoCores = 0 }) => usageNanoCores),
    usageCoreNanoSeconds: sum(({ usageCoreNanoSeconds }) => usageCoreNanoSeconds),
    workingSetBytes: sum(({ workingSetBytes }) => workingSetBytes),
  };
  return {
    attributes: { id, metadata: podMetadata(metadata), labels: asMap(labels), annotations: asMap(annotations) },
    linux: {
      ...usageMessages(usage),
      process: { timestamp: nanoseconds(nowMs), processCount: { value: containers.length } },
      containers: containers.map(([, message]) => message),
    },
  };
}

function podMetadata({ name, uid, namespace, attempt }: PodSandboxMetadata): PodSandboxMetadata {
  return { name, uid, namespace, attempt };
}

export function listedImageMessage(image: Image): MessageOf<typeof protocol.image> {
  const { id, repoTags, repoDigests, size, uid, username } = image;
  return {
    id,
    repoTags,
    repoDigests,
    size,
    ...(uid === undefined ? {} : { uid: { value: uid } }),
    ...(username === undefined ? {} : { username }),
  };
}
