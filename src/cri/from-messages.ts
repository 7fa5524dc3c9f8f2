// Messages of the Container Runtime Interface as the node's views of pods, containers and images.
import type {
  ContainerEvent,
  ContainerEventType,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  ContainerUser,
  Image,
  PodSandboxMetadata,
  PodSandboxStatus,
  SetResources,
} from '../node/index.ts';
import { RuntimeError } from '../node/index.ts';
import type { MessageOf } from '../wire/protobuf/index.ts';
import * as protocol from './protocol/runtime-v1.ts';

const NANOSECONDS_PER_MS = 1_000_000;

type Texts = ReadonlyMap<string, string>;

/** The status of a sandbox that was asked for by its id; a runtime that answers something else is not believed. */
export function askedSandbox(
  message: MessageOf<typeof protocol.podSandboxStatus> | undefined,
  id: string,
): PodSandboxStatus {
  const problem = sandboxProblem(message) ?? (message?.id === id ? undefined : `is about sandbox "${message?.id}"`);
  if (message === undefined || problem !== undefined)
    throw new RuntimeError('Failed', `the runtime's status of sandbox "${id}" ${problem ?? 'is missing'}`);
  return sandboxStatus(message);
}

/** The status of a container that was asked for by its id. */
export function askedContainer(
  message: MessageOf<typeof protocol.containerStatus> | undefined,
  id: string,
  podSandboxId: string,
): ContainerStatus {
  const problem = containerProblem(message) ?? (message?.id === id ? undefined : `is about container "${message?.id}"`);
  if (message === undefined || problem !== undefined)
    throw new RuntimeError('Failed', `the runtime's status of container "${id}" ${problem ?? 'is missing'}`);
  return containerStatus(message, podSandboxId);
}

/** What is wrong with a sandbox that a runtime reports; undefined for a whole one. */
function sandboxProblem(message: MessageOf<typeof protocol.podSandboxStatus> | undefined): string | undefined {
  if (message === undefined) return 'is missing';
  const { id = '', metadata, createdAt = 0 } = message;
  if (id === '') return 'has no id';
  if (metadata === undefined) return 'has no metadata';
  if ((metadata.name ?? '') === '' || (metadata.namespace ?? '') === '' || (metadata.uid ?? '') === '')
    return 'does not name its pod';
  return createdAt > 0 ? undefined : 'has no time of creation';
}

/** What is wrong with a container that a runtime reports; undefined for a whole one. */
function containerProblem(message: MessageOf<typeof protocol.containerStatus> | undefined): string | undefined {
  if (message === undefined) return 'is missing';
  const { id = '', metadata, createdAt = 0 } = message;
  if (id === '') return 'has no id';
  if ((metadata?.name ?? '') === '') return 'does not name its container';
  return createdAt > 0 ? undefined : 'has no time of creation';
}

export function sandboxStatus(message: MessageOf<typeof protocol.podSandboxStatus>): PodSandboxStatus {
  const { id = '', metadata, state = 0, createdAt = 0, network, labels, annotations } = message;
  return {
    id,
    metadata: sandboxMetadata(metadata),
    state: state === protocol.PodSandboxState.SANDBOX_READY ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY',
    createdAtMs: createdAt / NANOSECONDS_PER_MS,
    network: {
      ip: network?.ip ?? '',
      additionalIps: (network?.additionalIps ?? []).map(({ ip = '' }) => ip),
    },
    labels: asRecord(labels),
    annotations: asRecord(annotations),
  };
}

export function containerStatus(
  message: MessageOf<typeof protocol.containerStatus>,
  podSandboxId: string,
): ContainerStatus {
  const { id = '', metadata, state, exitCode = 0, image, imageRef = '', reason = '', message: words = '' } = message;
  return {
    id,
    podSandboxId,
    metadata: { name: metadata?.name ?? '', attempt: metadata?.attempt ?? 0 },
    state: containerState(state),
    createdAtMs: (message.createdAt ?? 0) / NANOSECONDS_PER_MS,
    startedAtMs: timeOf(message.startedAt),
    finishedAtMs: timeOf(message.finishedAt),
    exitCode,
    image: { image: image?.image ?? '' },
    imageRef,
    reason,
    message: words,
    logPath: message.logPath ?? '',
    ...('mounts' in message ? { mountedImages: mountedImages(message.mounts) } : {}),
    ...('user' in message ? { user: userOf(message.user) } : {}),
    resources: resourcesOf('resources' in message ? message.resources?.linux : undefined),
    labels: asRecord(message.labels),
    annotations: asRecord(message.annotations),
  };
}

function mountedImages(mounts: readonly MessageOf<typeof protocol.mount>[] = []): readonly string[] {
  return mounts.flatMap(({ image: mounted }) => mounted?.image ?? []);
}

function userOf(message: MessageOf<typeof protocol.containerUser> | undefined): ContainerUser | undefined {
  if (message?.linux === undefined) return message === undefined ? undefined : {};
  const { uid = 0, gid = 0, supplementalGroups = [] } = message.linux;
  return { linux: { uid, gid, supplementalGroups } };
}

function resourcesOf(
  message: MessageOf<typeof protocol.linuxContainerResources> | undefined,
): SetResources | undefined {
  if (message === undefined) return undefined;
  const { cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes } = message;
  return { cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes };
}

/** A container in a list, which says less than its status. */
export function listedContainer(message: MessageOf<typeof protocol.container>): ContainerStatus {
  const { podSandboxId = '' } = message;
  return containerStatus(message, podSandboxId);
}

export function containerStats(message: MessageOf<typeof protocol.containerStats>): ContainerStats {
  const { attributes, cpu, memory, writableLayer } = message;
  const usageNanoCores = cpu?.usageNanoCores?.value;
  return {
    id: attributes?.id ?? '',
    metadata: { name: attributes?.metadata?.name ?? '', attempt: attributes?.metadata?.attempt ?? 0 },
    timestampMs: (cpu?.timestamp ?? memory?.timestamp ?? 0) / NANOSECONDS_PER_MS,
    ...(usageNanoCores === undefined ? {} : { usageNanoCores }),
    usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds?.value ?? 0,
    workingSetBytes: memory?.workingSetBytes?.value ?? 0,
    writableLayerBytes: writableLayer?.usedBytes?.value ?? 0,
    writableLayerInodes: writableLayer?.inodesUsed?.value ?? 0,
  };
}

/** Undefined for types of events that are not known. */
export function containerEvent(message: MessageOf<typeof protocol.containerEventResponse>): ContainerEvent | undefined {
  const { containerId = '', containerEventType = 0, createdAt = 0, podSandboxStatus } = message;
  const type = nameOf<ContainerEventType>(protocol.ContainerEventType, containerEventType);
  if (type === undefined) return undefined;
  return {
    containerId,
    containerEventType: type,
    createdAtMs: createdAt / NANOSECONDS_PER_MS,
    pod: sandboxMetadata(podSandboxStatus?.metadata),
  };
}

export function image(message: MessageOf<typeof protocol.image>): Image {
  const { id = '', repoTags = [], repoDigests = [], size = 0, uid, username } = message;
  return {
    id,
    repoTags,
    repoDigests,
    size,
    ...(uid === undefined ? {} : { uid: uid.value ?? 0 }),
    ...(username === undefined || username === '' ? {} : { username }),
  };
}

function sandboxMetadata(message: MessageOf<typeof protocol.podSandboxMetadata> = {}): PodSandboxMetadata {
  const { name = '', uid = '', namespace = '', attempt = 0 } = message;
  return { name, uid, namespace, attempt };
}

function containerState(number = 0): ContainerState {
  return nameOf<ContainerState>(protocol.ContainerState, number) ?? 'CONTAINER_UNKNOWN';
}

/** The name of an enum's number; undefined for a number that the interface does not know. */
export function nameOf<Name extends string>(names: Readonly<Record<Name, number>>, number: number): Name | undefined {
  return (Object.keys(names) as Name[]).find((name) => names[name] === number);
}

function timeOf(nanoseconds = 0): number | undefined {
  return nanoseconds === 0 ? undefined : nanoseconds / NANOSECONDS_PER_MS;
}

export function asRecord(texts: Texts = new Map()): Readonly<Record<string, string>> {
  return Object.fromEntries(texts);
}
