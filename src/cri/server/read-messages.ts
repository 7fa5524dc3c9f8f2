// What clients of the Container Runtime Interface ask for, as the node's configuration of pods and containers.
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
} from '../../node/index.ts';
import { RuntimeError } from '../../node/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { asRecord, nameOf } from '../from-messages.ts';
import * as protocol from '../protocol/runtime-v1.ts';

export function sandboxConfigOf(message: MessageOf<typeof protocol.podSandboxConfig> = {}): PodSandboxConfig {
  const { metadata, hostname = '', logDirectory = '', dnsConfig, portMappings = [], linux } = message;
  if (metadata === undefined) throw new RuntimeError('Invalid', 'pod sandbox config must include metadata');
  const { name = '', uid = '', namespace = '', attempt = 0 } = metadata;
  const { servers = [], searches = [], options = [] } = dnsConfig ?? {};
  return {
    metadata: { name, uid, namespace, attempt },
    hostname,
    logDirectory,
    ...(dnsConfig === undefined ? {} : { dnsConfig: { servers, searches, options } }),
    portMappings: portMappings.map(({ protocol: number = 0, containerPort = 0, hostPort = 0, hostIp = '' }) => ({
      protocol: nameOf<string>(protocol.Protocol, number) ?? 'TCP',
      containerPort,
      hostPort,
      hostIp,
    })),
    labels: asRecord(message.labels),
    annotations: asRecord(message.annotations),
    linux: {
      cgroupParent: linux?.cgroupParent ?? '',
      securityContext: sandboxSecurity(linux?.securityContext),
      sysctls: asRecord(linux?.sysctls),
      ...(linux?.resources === undefined ? {} : { resources: resourcesOf(linux.resources) }),
      ...(linux?.overhead === undefined ? {} : { overhead: resourcesOf(linux.overhead) }),
    },
  };
}

export function containerConfigOf(message: MessageOf<typeof protocol.containerConfig> = {}): ContainerConfig {
  const { metadata, command = [], args = [], workingDir = '', logPath = '', stopSignal, linux } = message;
  const { stdin = false, stdinOnce = false, tty = false } = message;
  if (metadata === undefined) throw new RuntimeError('Invalid', 'container config must include metadata');
  return {
    metadata: { name: metadata.name ?? '', attempt: metadata.attempt ?? 0 },
    image: imageSpecOf(message.image),
    labels: asRecord(message.labels),
    annotations: asRecord(message.annotations),
    logPath,
    command,
    args,
    workingDir,
    envs: (message.envs ?? []).map(({ key = '', value = new Uint8Array() }) => ({
      key,
      value: Buffer.from(value).toString(),
    })),
    mounts: (message.mounts ?? []).map(mountOf),
    devices: (message.devices ?? []).map(({ containerPath = '', hostPath = '', permissions = '' }) => ({
      containerPath,
      hostPath,
      permissions,
    })),
    cdiDevices: (message.cdiDevices ?? []).map(({ name = '' }) => name),
    stdin,
    stdinOnce,
    tty,
    ...signalOf(stopSignal),
    linux: {
      resources: resourcesOf(linux?.resources),
      securityContext: containerSecurity(linux?.securityContext),
    },
  };
}

export function imageSpecOf(message: MessageOf<typeof protocol.imageSpec> = {}): ImageSpec {
  const { image = '', userSpecifiedImage = '', runtimeHandler = '', annotations } = message;
  return {
    image,
    ...(userSpecifiedImage === '' ? {} : { userSpecifiedImage }),
    ...(runtimeHandler === '' ? {} : { runtimeHandler }),
    annotations: asRecord(annotations),
  };
}

export function authOf(message: MessageOf<typeof protocol.authConfig>): AuthConfig {
  const { username, password, serverAddress, identityToken } = message;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(serverAddress === undefined ? {} : { serverAddress }),
    ...(identityToken === undefined ? {} : { identityToken }),
  };
}

export function resourcesOf(message: MessageOf<typeof protocol.linuxContainerResources> = {}): LinuxContainerResources {
  const { cpuPeriod = 0, cpuQuota = 0, cpuShares = 0, memoryLimitInBytes = 0, oomScoreAdj = 0, unified } = message;
  return {
    cpuPeriod,
    cpuQuota,
    cpuShares,
    memoryLimitInBytes,
    oomScoreAdj,
    hugepageLimits: (message.hugepageLimits ?? []).map(({ pageSize = '', limit = 0 }) => ({ pageSize, limit })),
    ...(unified === undefined || unified.size === 0 ? {} : { unified: asRecord(unified) }),
  };
}

/** An empty id or selector selects everything. */
export function sandboxFilterOf(message: MessageOf<typeof protocol.podSandboxFilter> = {}): PodSandboxFilter {
  const { id = '', state, labelSelector } = message;
  const name = state === undefined ? undefined : nameOf(protocol.PodSandboxState, state.state ?? 0);
  return {
    ...(id === '' ? {} : { id }),
    ...(name === undefined ? {} : { state: name }),
    labelSelector: asRecord(labelSelector),
  };
}

/** An empty id or selector selects everything. */
export function containerFilterOf(message: MessageOf<typeof protocol.containerFilter> = {}): ContainerFilter {
  const { id = '', state, podSandboxId = '', labelSelector } = message;
  const name = state === undefined ? undefined : nameOf(protocol.ContainerState, state.state ?? 0);
  return {
    ...(id === '' ? {} : { id }),
    ...(podSandboxId === '' ? {} : { podSandboxId }),
    ...(name === undefined ? {} : { state: name }),
    labelSelector: asRecord(labelSelector),
  };
}

function mountOf(message: MessageOf<typeof protocol.mount>): Mount {
  const { containerPath = '', hostPath = '', readonly = false, recursiveReadOnly = false } = message;
  return {
    containerPath,
    hostPath,
    readonly,
    recursiveReadOnly,
    propagation: nameOf(protocol.MountPropagation, message.propagation ?? 0) ?? 'PROPAGATION_PRIVATE',
    selinuxRelabel: message.selinuxRelabel ?? false,
  };
}

function sandboxSecurity(
  message: MessageOf<typeof protocol.linuxSandboxSecurityContext> = {},
): LinuxSandboxSecurityContext {
  const { selinuxOptions, runAsUser, runAsGroup, supplementalGroups = [], privileged = false, apparmor } = message;
  const { user = '', role = '', type = '', level = '' } = selinuxOptions ?? {};
  return {
    namespaceOptions: namespacesOf(message.namespaceOptions),
    ...(selinuxOptions === undefined ? {} : { selinuxOptions: { user, role, type, level } }),
    ...(runAsUser === undefined ? {} : { runAsUser: runAsUser.value ?? 0 }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: runAsGroup.value ?? 0 }),
    supplementalGroups,
    supplementalGroupsPolicy:
      nameOf(protocol.SupplementalGroupsPolicy, message.supplementalGroupsPolicy ?? 0) ?? 'Merge',
    privileged,
    seccomp: profileOf(message.seccomp),
    ...(apparmor === undefined ? {} : { apparmor: profileOf(apparmor) }),
  };
}

function containerSecurity(
  message: MessageOf<typeof protocol.linuxContainerSecurityContext> = {},
): LinuxContainerSecurityContext {
  const { capabilities, readonlyRootfs = false, noNewPrivs = false, maskedPaths = [] } = message;
  return {
    ...sandboxSecurity(message),
    addCapabilities: capabilities?.addCapabilities ?? [],
    dropCapabilities: capabilities?.dropCapabilities ?? [],
    readonlyRootfs,
    noNewPrivs,
    isProcMasked: maskedPaths.length > 0,
  };
}

function namespacesOf(message: MessageOf<typeof protocol.namespaceOption> = {}): NamespaceOption {
  const { network = 0, pid = 0, ipc = 0, targetId = '' } = message;
  return {
    network: nameOf(protocol.NamespaceMode, network) ?? 'POD',
    pid: nameOf(protocol.NamespaceMode, pid) ?? 'POD',
    ipc: nameOf(protocol.NamespaceMode, ipc) ?? 'POD',
    ...(targetId === '' ? {} : { targetId }),
  };
}

function profileOf(message: MessageOf<typeof protocol.securityProfile> = {}): SecurityProfile {
  const { profileType = 0, localhostRef = '' } = message;
  return {
    profileType: nameOf(protocol.SecurityProfile_ProfileType, profileType) ?? 'RuntimeDefault',
    localhostRef,
  };
}

function signalOf(number = 0): Pick<ContainerConfig, 'stopSignal'> {
  const name = number === 0 ? undefined : nameOf<string>(protocol.Signal, number);
  return name === undefined ? {} : { stopSignal: name };
}
