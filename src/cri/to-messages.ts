// The node's configuration of pods and containers as messages of the Container Runtime Interface.
import { Buffer } from 'node:buffer';
import type {
  AuthConfig,
  ContainerConfig,
  ContainerFilter,
  ImageSpec,
  LinuxContainerResources,
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  Mount,
  NamespaceOption,
  PodSandboxConfig,
  PodSandboxFilter,
  SecurityProfile,
} from '../node/index.ts';
import { POD_UID } from '../node/index.ts';
import type { MessageOf } from '../wire/protobuf/index.ts';
import * as protocol from './protocol/runtime-v1.ts';

type Texts = Readonly<Record<string, string>>;

/** Paths under /proc and /sys that containers cannot see; as the kubelet sends them. */
const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export function sandboxMessage(config: PodSandboxConfig): MessageOf<typeof protocol.podSandboxConfig> {
  const { metadata, hostname, logDirectory, dnsConfig, portMappings, labels, annotations, linux } = config;
  return {
    metadata,
    hostname,
    logDirectory,
    ...(dnsConfig === undefined ? {} : { dnsConfig }),
    portMappings: portMappings.map(({ protocol: name, ...ports }) => ({
      ...ports,
      protocol: name === 'UDP' || name === 'SCTP' ? protocol.Protocol[name] : protocol.Protocol.TCP,
    })),
    labels: asMap(labels),
    annotations: asMap(annotations),
    linux: {
      cgroupParent: linux.cgroupParent,
      securityContext: securityMessage(linux.securityContext),
      sysctls: asMap(linux.sysctls),
      ...(linux.resources === undefined ? {} : { resources: resourcesMessage(linux.resources) }),
      ...(linux.overhead === undefined ? {} : { overhead: resourcesMessage(linux.overhead) }),
    },
  };
}

export function containerMessage(config: ContainerConfig): MessageOf<typeof protocol.containerConfig> {
  const { metadata, command, args, workingDir, logPath, devices, stdin, stdinOnce, tty, stopSignal, linux } = config;
  return {
    metadata,
    image: imageMessage(config.image),
    command,
    args,
    workingDir,
    envs: config.envs.map(({ key, value }) => ({ key, value: Buffer.from(value) })),
    mounts: config.mounts.map((mount) => mountMessage(mount, linux.securityContext.namespaceOptions)),
    devices,
    labels: asMap(config.labels),
    annotations: asMap(config.annotations),
    logPath,
    stdin,
    stdinOnce,
    tty,
    cdiDevices: config.cdiDevices.map((name) => ({ name })),
    ...(stopSignal === undefined ? {} : { stopSignal: signalNumber(stopSignal) }),
    linux: {
      resources: resourcesMessage(linux.resources),
      securityContext: containerSecurityMessage(linux.securityContext),
    },
  };
}

export function imageMessage(image: ImageSpec): MessageOf<typeof protocol.imageSpec> {
  const { image: name, userSpecifiedImage = name, annotations = {}, runtimeHandler = '' } = image;
  return { image: name, userSpecifiedImage, annotations: asMap(annotations), runtimeHandler };
}

export function authMessage(auth: AuthConfig): MessageOf<typeof protocol.authConfig> {
  return definedOf(auth);
}

export function resourcesMessage(
  resources: LinuxContainerResources,
): MessageOf<typeof protocol.linuxContainerResources> {
  const { unified, ...numbers } = resources;
  return { ...definedOf(numbers), ...(unified === undefined ? {} : { unified: asMap(unified) }) };
}

export function sandboxFilterMessage(filter: PodSandboxFilter = {}): MessageOf<typeof protocol.podSandboxFilter> {
  const { id, state, podUid, labelSelector = {} } = filter;
  return {
    ...(id === undefined ? {} : { id }),
    ...(state === undefined ? {} : { state: { state: protocol.PodSandboxState[state] } }),
    labelSelector: asMap(podUid === undefined ? labelSelector : { ...labelSelector, [POD_UID]: podUid }),
  };
}

export function containerFilterMessage(filter: ContainerFilter = {}): MessageOf<typeof protocol.containerFilter> {
  const { id, state, podSandboxId, labelSelector = {} } = filter;
  return {
    ...(id === undefined ? {} : { id }),
    ...(state === undefined ? {} : { state: { state: protocol.ContainerState[state] } }),
    ...(podSandboxId === undefined ? {} : { podSandboxId }),
    labelSelector: asMap(labelSelector),
  };
}

export function mountMessage(
  { propagation, image, ...mount }: Mount,
  { userNamespace }: Pick<NamespaceOption, 'userNamespace'>,
): MessageOf<typeof protocol.mount> {
  return {
    ...mount,
    ...(userNamespace === undefined ? {} : { uidMappings: [userNamespace], gidMappings: [userNamespace] }),
    ...(image === undefined ? {} : { image: imageMessage(image) }),
    propagation: protocol.MountPropagation[propagation],
  };
}

function securityMessage(context: LinuxSandboxSecurityContext): MessageOf<typeof protocol.linuxSandboxSecurityContext> {
  const { selinuxOptions, runAsUser, runAsGroup, apparmor } = context;
  return {
    namespaceOptions: namespacesMessage(context.namespaceOptions),
    ...(selinuxOptions === undefined ? {} : { selinuxOptions }),
    ...(runAsUser === undefined ? {} : { runAsUser: { value: runAsUser } }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    supplementalGroups: context.supplementalGroups,
    supplementalGroupsPolicy: protocol.SupplementalGroupsPolicy[context.supplementalGroupsPolicy],
    privileged: context.privileged,
    seccomp: profileMessage(context.seccomp),
    ...(apparmor === undefined ? {} : { apparmor: profileMessage(apparmor) }),
  };
}

function containerSecurityMessage(
  context: LinuxContainerSecurityContext,
): MessageOf<typeof protocol.linuxContainerSecurityContext> {
  const { addCapabilities, dropCapabilities, readonlyRootfs, noNewPrivs, isProcMasked } = context;
  return {
    ...securityMessage(context),
    capabilities: { addCapabilities, dropCapabilities },
    readonlyRootfs,
    noNewPrivs,
    maskedPaths: isProcMasked ? MASKED_PATHS : [],
    readonlyPaths: isProcMasked ? READONLY_PATHS : [],
  };
}

export function namespacesMessage(option: NamespaceOption): MessageOf<typeof protocol.namespaceOption> {
  const { network, pid, ipc, targetId, userNamespace } = option;
  return {
    usernsOptions:
      userNamespace === undefined
        ? { mode: protocol.NamespaceMode.NODE }
        : { mode: protocol.NamespaceMode.POD, uids: [userNamespace], gids: [userNamespace] },
    network: protocol.NamespaceMode[network],
    pid: protocol.NamespaceMode[pid],
    ipc: protocol.NamespaceMode[ipc],
    ...(targetId === undefined ? {} : { targetId }),
  };
}

function profileMessage(profile: SecurityProfile): MessageOf<typeof protocol.securityProfile> {
  const { profileType, localhostRef } = profile;
  return { profileType: protocol.SecurityProfile_ProfileType[profileType], localhostRef };
}

export function signalNumber(name: string): number {
  return (protocol.Signal as Readonly<Record<string, number>>)[name] ?? protocol.Signal.RUNTIME_DEFAULT;
}

export function asMap(texts: Texts): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}

/** Drops members that are undefined. */
function definedOf<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
