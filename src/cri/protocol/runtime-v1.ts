// Written by `npm run protocols` from k8s.io/cri-api@v0.36.3/pkg/apis/runtime/v1/api.proto. Do not edit.
import type { Method } from '../../wire/grpc/index.ts';
import {
  bool,
  bytes,
  double,
  enumeration,
  int32,
  int64,
  nested,
  repeated,
  text,
  textMap,
  uint32,
  type Fields,
  type Message,
  MessageTable,
} from '../../wire/protobuf/index.ts';

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path, request, response };
}

export const Protocol = {
  TCP: 0,
  UDP: 1,
  SCTP: 2,
} as const;

export const MountPropagation = {
  PROPAGATION_PRIVATE: 0,
  PROPAGATION_HOST_TO_CONTAINER: 1,
  PROPAGATION_BIDIRECTIONAL: 2,
} as const;

export const NamespaceMode = {
  POD: 0,
  CONTAINER: 1,
  NODE: 2,
  TARGET: 3,
} as const;

export const SupplementalGroupsPolicy = {
  Merge: 0,
  Strict: 1,
} as const;

export const SecurityProfile_ProfileType = {
  RuntimeDefault: 0,
  Unconfined: 1,
  Localhost: 2,
} as const;

export const PodSandboxState = {
  SANDBOX_READY: 0,
  SANDBOX_NOTREADY: 1,
} as const;

export const Signal = {
  RUNTIME_DEFAULT: 0,
  SIGABRT: 1,
  SIGALRM: 2,
  SIGBUS: 3,
  SIGCHLD: 4,
  SIGCLD: 5,
  SIGCONT: 6,
  SIGFPE: 7,
  SIGHUP: 8,
  SIGILL: 9,
  SIGINT: 10,
  SIGIO: 11,
  SIGIOT: 12,
  SIGKILL: 13,
  SIGPIPE: 14,
  SIGPOLL: 15,
  SIGPROF: 16,
  SIGPWR: 17,
  SIGQUIT: 18,
  SIGSEGV: 19,
  SIGSTKFLT: 20,
  SIGSTOP: 21,
  SIGSYS: 22,
  SIGTERM: 23,
  SIGTRAP: 24,
  SIGTSTP: 25,
  SIGTTIN: 26,
  SIGTTOU: 27,
  SIGURG: 28,
  SIGUSR1: 29,
  SIGUSR2: 30,
  SIGVTALRM: 31,
  SIGWINCH: 32,
  SIGXCPU: 33,
  SIGXFSZ: 34,
  SIGRTMIN: 35,
  SIGRTMINPLUS1: 36,
  SIGRTMINPLUS2: 37,
  SIGRTMINPLUS3: 38,
  SIGRTMINPLUS4: 39,
  SIGRTMINPLUS5: 40,
  SIGRTMINPLUS6: 41,
  SIGRTMINPLUS7: 42,
  SIGRTMINPLUS8: 43,
  SIGRTMINPLUS9: 44,
  SIGRTMINPLUS10: 45,
  SIGRTMINPLUS11: 46,
  SIGRTMINPLUS12: 47,
  SIGRTMINPLUS13: 48,
  SIGRTMINPLUS14: 49,
  SIGRTMINPLUS15: 50,
  SIGRTMAXMINUS14: 51,
  SIGRTMAXMINUS13: 52,
  SIGRTMAXMINUS12: 53,
  SIGRTMAXMINUS11: 54,
  SIGRTMAXMINUS10: 55,
  SIGRTMAXMINUS9: 56,
  SIGRTMAXMINUS8: 57,
  SIGRTMAXMINUS7: 58,
  SIGRTMAXMINUS6: 59,
  SIGRTMAXMINUS5: 60,
  SIGRTMAXMINUS4: 61,
  SIGRTMAXMINUS3: 62,
  SIGRTMAXMINUS2: 63,
  SIGRTMAXMINUS1: 64,
  SIGRTMAX: 65,
} as const;

export const ContainerState = {
  CONTAINER_CREATED: 0,
  CONTAINER_RUNNING: 1,
  CONTAINER_EXITED: 2,
  CONTAINER_UNKNOWN: 3,
} as const;

export const ContainerEventType = {
  CONTAINER_CREATED_EVENT: 0,
  CONTAINER_STARTED_EVENT: 1,
  CONTAINER_STOPPED_EVENT: 2,
  CONTAINER_DELETED_EVENT: 3,
} as const;

export const MetricType = {
  COUNTER: 0,
  GAUGE: 1,
} as const;

export const CgroupDriver = {
  SYSTEMD: 0,
  CGROUPFS: 1,
} as const;

export const versionRequest = new MessageTable({ version: text(1) });

export const versionResponse = new MessageTable({
  version: text(1),
  runtimeName: text(2),
  runtimeVersion: text(3),
  runtimeApiVersion: text(4),
});

export const dnsConfig = new MessageTable({
  servers: repeated(text(1)),
  searches: repeated(text(2)),
  options: repeated(text(3)),
});

export const portMapping = new MessageTable({
  protocol: enumeration(1),
  containerPort: int32(2),
  hostPort: int32(3),
  hostIp: text(4),
});

export const idMapping = new MessageTable({ hostId: uint32(1), containerId: uint32(2), length: uint32(3) });

export const imageSpec = new MessageTable({
  image: text(1),
  annotations: textMap(2),
  userSpecifiedImage: text(18),
  runtimeHandler: text(19),
  imageRef: text(20),
});

export const mount = new MessageTable({
  containerPath: text(1),
  hostPath: text(2),
  readonly: bool(3),
  selinuxRelabel: bool(4),
  propagation: enumeration(5),
  uidMappings: repeated(nested(6, idMapping)),
  gidMappings: repeated(nested(7, idMapping)),
  recursiveReadOnly: bool(8),
  image: nested(9, imageSpec),
  imageSubPath: text(10),
});

export const userNamespace = new MessageTable({
  mode: enumeration(1),
  uids: repeated(nested(2, idMapping)),
  gids: repeated(nested(3, idMapping)),
});

export const namespaceOption = new MessageTable({
  network: enumeration(1),
  pid: enumeration(2),
  ipc: enumeration(3),
  targetId: text(4),
  usernsOptions: nested(5, userNamespace),
});

export const int64Value = new MessageTable({ value: int64(1) });

export const seLinuxOption = new MessageTable({ user: text(1), role: text(2), type: text(3), level: text(4) });

export const securityProfile = new MessageTable({ profileType: enumeration(1), localhostRef: text(2) });

export const linuxSandboxSecurityContext = new MessageTable({
  namespaceOptions: nested(1, namespaceOption),
  selinuxOptions: nested(2, seLinuxOption),
  runAsUser: nested(3, int64Value),
  runAsGroup: nested(8, int64Value),
  readonlyRootfs: bool(4),
  supplementalGroups: repeated(int64(5)),
  supplementalGroupsPolicy: enumeration(11),
  privileged: bool(6),
  seccomp: nested(9, securityProfile),
  apparmor: nested(10, securityProfile),
  seccompProfilePath: text(7),
});

export const hugepageLimit = new MessageTable({ pageSize: text(1), limit: int64(2) });

export const linuxContainerResources = new MessageTable({
  cpuPeriod: int64(1),
  cpuQuota: int64(2),
  cpuShares: int64(3),
  memoryLimitInBytes: int64(4),
  oomScoreAdj: int64(5),
  cpusetCpus: text(6),
  cpusetMems: text(7),
  hugepageLimits: repeated(nested(8, hugepageLimit)),
  unified: textMap(9),
  memorySwapLimitInBytes: int64(10),
});

export const linuxPodSandboxConfig = new MessageTable({
  cgroupParent: text(1),
  securityContext: nested(2, linuxSandboxSecurityContext),
  sysctls: textMap(3),
  overhead: nested(4, linuxContainerResources),
  resources: nested(5, linuxContainerResources),
});

export const podSandboxMetadata = new MessageTable({
  name: text(1),
  uid: text(2),
  namespace: text(3),
  attempt: uint32(4),
});

export const windowsNamespaceOption = new MessageTable({ network: enumeration(1) });

export const windowsSandboxSecurityContext = new MessageTable({
  runAsUsername: text(1),
  credentialSpec: text(2),
  hostProcess: bool(3),
  namespaceOptions: nested(4, windowsNamespaceOption),
});

export const windowsPodSandboxConfig = new MessageTable({ securityContext: nested(1, windowsSandboxSecurityContext) });

export const podSandboxConfig = new MessageTable({
  metadata: nested(1, podSandboxMetadata),
  hostname: text(2),
  logDirectory: text(3),
  dnsConfig: nested(4, dnsConfig),
  portMappings: repeated(nested(5, portMapping)),
  labels: textMap(6),
  annotations: textMap(7),
  linux: nested(8, linuxPodSandboxConfig),
  windows: nested(9, windowsPodSandboxConfig),
});

export const runPodSandboxRequest = new MessageTable({ config: nested(1, podSandboxConfig), runtimeHandler: text(2) });

export const runPodSandboxResponse = new MessageTable({ podSandboxId: text(1) });

export const stopPodSandboxRequest = new MessageTable({ podSandboxId: text(1) });

export const stopPodSandboxResponse = new MessageTable({});

export const removePodSandboxRequest = new MessageTable({ podSandboxId: text(1) });

export const removePodSandboxResponse = new MessageTable({});

export const podSandboxStatusRequest = new MessageTable({ podSandboxId: text(1), verbose: bool(2) });

export const podIP = new MessageTable({ ip: text(1) });

export const podSandboxNetworkStatus = new MessageTable({ ip: text(1), additionalIps: repeated(nested(2, podIP)) });

export const namespace = new MessageTable({ options: nested(2, namespaceOption) });

export const linuxPodSandboxStatus = new MessageTable({ namespaces: nested(1, namespace) });

export const podSandboxStatus = new MessageTable({
  id: text(1),
  metadata: nested(2, podSandboxMetadata),
  state: enumeration(3),
  createdAt: int64(4),
  network: nested(5, podSandboxNetworkStatus),
  linux: nested(6, linuxPodSandboxStatus),
  labels: textMap(7),
  annotations: textMap(8),
  runtimeHandler: text(9),
});

export const containerMetadata = new MessageTable({ name: text(1), attempt: uint32(2) });

export const windowsCpuGroupAffinity = new MessageTable({ cpuMask: int64(1), cpuGroup: uint32(2) });

export const windowsContainerResources = new MessageTable({
  cpuShares: int64(1),
  cpuCount: int64(2),
  cpuMaximum: int64(3),
  memoryLimitInBytes: int64(4),
  rootfsSizeInBytes: int64(5),
  affinityCpus: repeated(nested(6, windowsCpuGroupAffinity)),
});

export const containerResources = new MessageTable({
  linux: nested(1, linuxContainerResources),
  windows: nested(2, windowsContainerResources),
});

export const linuxContainerUser = new MessageTable({
  uid: int64(1),
  gid: int64(2),
  supplementalGroups: repeated(int64(3)),
});

export const containerUser = new MessageTable({ linux: nested(1, linuxContainerUser) });

export const containerStatus = new MessageTable({
  id: text(1),
  metadata: nested(2, containerMetadata),
  state: enumeration(3),
  createdAt: int64(4),
  startedAt: int64(5),
  finishedAt: int64(6),
  exitCode: int32(7),
  image: nested(8, imageSpec),
  imageRef: text(9),
  reason: text(10),
  message: text(11),
  labels: textMap(12),
  annotations: textMap(13),
  mounts: repeated(nested(14, mount)),
  logPath: text(15),
  resources: nested(16, containerResources),
  imageId: text(17),
  user: nested(18, containerUser),
  stopSignal: enumeration(19),
});

export const podSandboxStatusResponse = new MessageTable({
  status: nested(1, podSandboxStatus),
  info: textMap(2),
  containersStatuses: repeated(nested(3, containerStatus)),
  timestamp: int64(4),
});

export const podSandboxStateValue = new MessageTable({ state: enumeration(1) });

export const podSandboxFilter = new MessageTable({
  id: text(1),
  state: nested(2, podSandboxStateValue),
  labelSelector: textMap(3),
});

export const listPodSandboxRequest = new MessageTable({ filter: nested(1, podSandboxFilter) });

export const podSandbox = new MessageTable({
  id: text(1),
  metadata: nested(2, podSandboxMetadata),
  state: enumeration(3),
  createdAt: int64(4),
  labels: textMap(5),
  annotations: textMap(6),
  runtimeHandler: text(7),
});

export const listPodSandboxResponse = new MessageTable({ items: repeated(nested(1, podSandbox)) });

export const streamPodSandboxesRequest = new MessageTable({ filter: nested(1, podSandboxFilter) });

export const streamPodSandboxesResponse = new MessageTable({ podSandboxes: repeated(nested(1, podSandbox)) });

export const podSandboxStatsRequest = new MessageTable({ podSandboxId: text(1) });

export const podSandboxAttributes = new MessageTable({
  id: text(1),
  metadata: nested(2, podSandboxMetadata),
  labels: textMap(3),
  annotations: textMap(4),
});

export const uInt64Value = new MessageTable({ value: int64(1) });

export const psiData = new MessageTable({ total: int64(1), avg10: double(2), avg60: double(3), avg300: double(4) });

export const psiStats = new MessageTable({ full: nested(1, psiData), some: nested(2, psiData) });

export const cpuUsage = new MessageTable({
  timestamp: int64(1),
  usageCoreNanoSeconds: nested(2, uInt64Value),
  usageNanoCores: nested(3, uInt64Value),
  psi: nested(4, psiStats),
});

export const memoryUsage = new MessageTable({
  timestamp: int64(1),
  workingSetBytes: nested(2, uInt64Value),
  availableBytes: nested(3, uInt64Value),
  usageBytes: nested(4, uInt64Value),
  rssBytes: nested(5, uInt64Value),
  pageFaults: nested(6, uInt64Value),
  majorPageFaults: nested(7, uInt64Value),
  psi: nested(8, psiStats),
});

export const networkInterfaceUsage = new MessageTable({
  name: text(1),
  rxBytes: nested(2, uInt64Value),
  rxErrors: nested(3, uInt64Value),
  txBytes: nested(4, uInt64Value),
  txErrors: nested(5, uInt64Value),
});

export const networkUsage = new MessageTable({
  timestamp: int64(1),
  defaultInterface: nested(2, networkInterfaceUsage),
  interfaces: repeated(nested(3, networkInterfaceUsage)),
});

export const processUsage = new MessageTable({ timestamp: int64(1), processCount: nested(2, uInt64Value) });

export const containerAttributes = new MessageTable({
  id: text(1),
  metadata: nested(2, containerMetadata),
  labels: textMap(3),
  annotations: textMap(4),
});

export const filesystemIdentifier = new MessageTable({ mountpoint: text(1) });

export const filesystemUsage = new MessageTable({
  timestamp: int64(1),
  fsId: nested(2, filesystemIdentifier),
  usedBytes: nested(3, uInt64Value),
  inodesUsed: nested(4, uInt64Value),
});

export const swapUsage = new MessageTable({
  timestamp: int64(1),
  swapAvailableBytes: nested(2, uInt64Value),
  swapUsageBytes: nested(3, uInt64Value),
});

export const ioUsage = new MessageTable({ timestamp: int64(1), psi: nested(2, psiStats) });

export const containerStats = new MessageTable({
  attributes: nested(1, containerAttributes),
  cpu: nested(2, cpuUsage),
  memory: nested(3, memoryUsage),
  writableLayer: nested(4, filesystemUsage),
  swap: nested(5, swapUsage),
  io: nested(6, ioUsage),
});

export const linuxPodSandboxStats = new MessageTable({
  cpu: nested(1, cpuUsage),
  memory: nested(2, memoryUsage),
  network: nested(3, networkUsage),
  process: nested(4, processUsage),
  containers: repeated(nested(5, containerStats)),
  io: nested(6, ioUsage),
});

export const windowsCpuUsage = new MessageTable({
  timestamp: int64(1),
  usageCoreNanoSeconds: nested(2, uInt64Value),
  usageNanoCores: nested(3, uInt64Value),
});

export const windowsMemoryUsage = new MessageTable({
  timestamp: int64(1),
  workingSetBytes: nested(2, uInt64Value),
  availableBytes: nested(3, uInt64Value),
  pageFaults: nested(4, uInt64Value),
  commitMemoryBytes: nested(5, uInt64Value),
});

export const windowsNetworkInterfaceUsage = new MessageTable({
  name: text(1),
  rxBytes: nested(2, uInt64Value),
  rxPacketsDropped: nested(3, uInt64Value),
  txBytes: nested(4, uInt64Value),
  txPacketsDropped: nested(5, uInt64Value),
});

export const windowsNetworkUsage = new MessageTable({
  timestamp: int64(1),
  defaultInterface: nested(2, windowsNetworkInterfaceUsage),
  interfaces: repeated(nested(3, windowsNetworkInterfaceUsage)),
});

export const windowsProcessUsage = new MessageTable({ timestamp: int64(1), processCount: nested(2, uInt64Value) });

export const windowsFilesystemUsage = new MessageTable({
  timestamp: int64(1),
  fsId: nested(2, filesystemIdentifier),
  usedBytes: nested(3, uInt64Value),
});

export const windowsContainerStats = new MessageTable({
  attributes: nested(1, containerAttributes),
  cpu: nested(2, windowsCpuUsage),
  memory: nested(3, windowsMemoryUsage),
  writableLayer: nested(4, windowsFilesystemUsage),
});

export const windowsPodSandboxStats = new MessageTable({
  cpu: nested(1, windowsCpuUsage),
  memory: nested(2, windowsMemoryUsage),
  network: nested(3, windowsNetworkUsage),
  process: nested(4, windowsProcessUsage),
  containers: repeated(nested(5, windowsContainerStats)),
});

export const podSandboxStats = new MessageTable({
  attributes: nested(1, podSandboxAttributes),
  linux: nested(2, linuxPodSandboxStats),
  windows: nested(3, windowsPodSandboxStats),
});

export const podSandboxStatsResponse = new MessageTable({ stats: nested(1, podSandboxStats) });

export const podSandboxStatsFilter = new MessageTable({ id: text(1), labelSelector: textMap(2) });

export const listPodSandboxStatsRequest = new MessageTable({ filter: nested(1, podSandboxStatsFilter) });

export const listPodSandboxStatsResponse = new MessageTable({ stats: repeated(nested(1, podSandboxStats)) });

export const streamPodSandboxStatsRequest = new MessageTable({ filter: nested(1, podSandboxStatsFilter) });

export const streamPodSandboxStatsResponse = new MessageTable({
  podSandboxStats: repeated(nested(1, podSandboxStats)),
});

export const keyValue = new MessageTable({ key: text(1), value: bytes(2) });

export const capability = new MessageTable({
  addCapabilities: repeated(text(1)),
  dropCapabilities: repeated(text(2)),
  addAmbientCapabilities: repeated(text(3)),
});

export const linuxContainerSecurityContext = new MessageTable({
  capabilities: nested(1, capability),
  privileged: bool(2),
  namespaceOptions: nested(3, namespaceOption),
  selinuxOptions: nested(4, seLinuxOption),
  runAsUser: nested(5, int64Value),
  runAsGroup: nested(12, int64Value),
  runAsUsername: text(6),
  readonlyRootfs: bool(7),
  supplementalGroups: repeated(int64(8)),
  supplementalGroupsPolicy: enumeration(17),
  noNewPrivs: bool(11),
  maskedPaths: repeated(text(13)),
  readonlyPaths: repeated(text(14)),
  seccomp: nested(15, securityProfile),
  apparmor: nested(16, securityProfile),
  apparmorProfile: text(9),
  seccompProfilePath: text(10),
});

export const linuxContainerConfig = new MessageTable({
  resources: nested(1, linuxContainerResources),
  securityContext: nested(2, linuxContainerSecurityContext),
});

export const windowsContainerSecurityContext = new MessageTable({
  runAsUsername: text(1),
  credentialSpec: text(2),
  hostProcess: bool(3),
});

export const windowsContainerConfig = new MessageTable({
  resources: nested(1, windowsContainerResources),
  securityContext: nested(2, windowsContainerSecurityContext),
});

export const device = new MessageTable({ containerPath: text(1), hostPath: text(2), permissions: text(3) });

export const cdiDevice = new MessageTable({ name: text(1) });

export const containerConfig = new MessageTable({
  metadata: nested(1, containerMetadata),
  image: nested(2, imageSpec),
  command: repeated(text(3)),
  args: repeated(text(4)),
  workingDir: text(5),
  envs: repeated(nested(6, keyValue)),
  mounts: repeated(nested(7, mount)),
  devices: repeated(nested(8, device)),
  labels: textMap(9),
  annotations: textMap(10),
  logPath: text(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: nested(15, linuxContainerConfig),
  windows: nested(16, windowsContainerConfig),
  cdiDevices: repeated(nested(17, cdiDevice)),
  stopSignal: enumeration(18),
});

export const createContainerRequest = new MessageTable({
  podSandboxId: text(1),
  config: nested(2, containerConfig),
  sandboxConfig: nested(3, podSandboxConfig),
});

export const createContainerResponse = new MessageTable({ containerId: text(1) });

export const startContainerRequest = new MessageTable({ containerId: text(1) });

export const startContainerResponse = new MessageTable({});

export const stopContainerRequest = new MessageTable({ containerId: text(1), timeout: int64(2) });

export const stopContainerResponse = new MessageTable({});

export const removeContainerRequest = new MessageTable({ containerId: text(1) });

export const removeContainerResponse = new MessageTable({});

export const containerStateValue = new MessageTable({ state: enumeration(1) });

export const containerFilter = new MessageTable({
  id: text(1),
  state: nested(2, containerStateValue),
  podSandboxId: text(3),
  labelSelector: textMap(4),
});

export const listContainersRequest = new MessageTable({ filter: nested(1, containerFilter) });

export const container = new MessageTable({
  id: text(1),
  podSandboxId: text(2),
  metadata: nested(3, containerMetadata),
  image: nested(4, imageSpec),
  imageRef: text(5),
  state: enumeration(6),
  createdAt: int64(7),
  labels: textMap(8),
  annotations: textMap(9),
  imageId: text(10),
});

export const listContainersResponse = new MessageTable({ containers: repeated(nested(1, container)) });

export const streamContainersRequest = new MessageTable({ filter: nested(1, containerFilter) });

export const streamContainersResponse = new MessageTable({ containers: repeated(nested(1, container)) });

export const containerStatusRequest = new MessageTable({ containerId: text(1), verbose: bool(2) });

export const containerStatusResponse = new MessageTable({ status: nested(1, containerStatus), info: textMap(2) });

export const updateContainerResourcesRequest = new MessageTable({
  containerId: text(1),
  linux: nested(2, linuxContainerResources),
  windows: nested(3, windowsContainerResources),
  annotations: textMap(4),
});

export const updateContainerResourcesResponse = new MessageTable({});

export const execSyncRequest = new MessageTable({ containerId: text(1), cmd: repeated(text(2)), timeout: int64(3) });

export const execSyncResponse = new MessageTable({ stdout: bytes(1), stderr: bytes(2), exitCode: int32(3) });

export const execRequest = new MessageTable({
  containerId: text(1),
  cmd: repeated(text(2)),
  tty: bool(3),
  stdin: bool(4),
  stdout: bool(5),
  stderr: bool(6),
});

export const execResponse = new MessageTable({ url: text(1) });

export const attachRequest = new MessageTable({
  containerId: text(1),
  stdin: bool(2),
  tty: bool(3),
  stdout: bool(4),
  stderr: bool(5),
});

export const attachResponse = new MessageTable({ url: text(1) });

export const portForwardRequest = new MessageTable({ podSandboxId: text(1), port: repeated(int32(2)) });

export const portForwardResponse = new MessageTable({ url: text(1) });

export const imageFilter = new MessageTable({ image: nested(1, imageSpec) });

export const listImagesRequest = new MessageTable({ filter: nested(1, imageFilter) });

export const image = new MessageTable({
  id: text(1),
  repoTags: repeated(text(2)),
  repoDigests: repeated(text(3)),
  size: int64(4),
  uid: nested(5, int64Value),
  username: text(6),
  spec: nested(7, imageSpec),
  pinned: bool(8),
});

export const listImagesResponse = new MessageTable({ images: repeated(nested(1, image)) });

export const streamImagesRequest = new MessageTable({ filter: nested(1, imageFilter) });

export const streamImagesResponse = new MessageTable({ images: repeated(nested(1, image)) });

export const imageStatusRequest = new MessageTable({ image: nested(1, imageSpec), verbose: bool(2) });

export const imageStatusResponse = new MessageTable({ image: nested(1, image), info: textMap(2) });

export const authConfig = new MessageTable({
  username: text(1),
  password: text(2),
  auth: text(3),
  serverAddress: text(4),
  identityToken: text(5),
  registryToken: text(6),
});

export const pullImageRequest = new MessageTable({
  image: nested(1, imageSpec),
  auth: nested(2, authConfig),
  sandboxConfig: nested(3, podSandboxConfig),
});

export const pullImageResponse = new MessageTable({ imageRef: text(1) });

export const removeImageRequest = new MessageTable({ image: nested(1, imageSpec) });

export const removeImageResponse = new MessageTable({});

export const networkConfig = new MessageTable({ podCidr: text(1) });

export const runtimeConfig = new MessageTable({ networkConfig: nested(1, networkConfig) });

export const updateRuntimeConfigRequest = new MessageTable({ runtimeConfig: nested(1, runtimeConfig) });

export const updateRuntimeConfigResponse = new MessageTable({});

export const runtimeCondition = new MessageTable({ type: text(1), status: bool(2), reason: text(3), message: text(4) });

export const runtimeStatus = new MessageTable({ conditions: repeated(nested(1, runtimeCondition)) });

export const statusRequest = new MessageTable({ verbose: bool(1) });

export const runtimeHandlerFeatures = new MessageTable({ recursiveReadOnlyMounts: bool(1), userNamespaces: bool(2) });

export const runtimeHandler = new MessageTable({ name: text(1), features: nested(2, runtimeHandlerFeatures) });

export const runtimeFeatures = new MessageTable({
  supplementalGroupsPolicy: bool(1),
  userNamespacesHostNetwork: bool(2),
});

export const statusResponse = new MessageTable({
  status: nested(1, runtimeStatus),
  info: textMap(2),
  runtimeHandlers: repeated(nested(3, runtimeHandler)),
  features: nested(4, runtimeFeatures),
});

export const imageFsInfoRequest = new MessageTable({});

export const imageFsInfoResponse = new MessageTable({
  imageFilesystems: repeated(nested(1, filesystemUsage)),
  containerFilesystems: repeated(nested(2, filesystemUsage)),
});

export const containerStatsRequest = new MessageTable({ containerId: text(1) });

export const containerStatsResponse = new MessageTable({ stats: nested(1, containerStats) });

export const containerStatsFilter = new MessageTable({ id: text(1), podSandboxId: text(2), labelSelector: textMap(3) });

export const listContainerStatsRequest = new MessageTable({ filter: nested(1, containerStatsFilter) });

export const listContainerStatsResponse = new MessageTable({ stats: repeated(nested(1, containerStats)) });

export const streamContainerStatsRequest = new MessageTable({ filter: nested(1, containerStatsFilter) });

export const streamContainerStatsResponse = new MessageTable({ containerStats: repeated(nested(1, containerStats)) });

export const reopenContainerLogRequest = new MessageTable({ containerId: text(1) });

export const reopenContainerLogResponse = new MessageTable({});

export const checkpointContainerRequest = new MessageTable({
  containerId: text(1),
  location: text(2),
  timeout: int64(3),
});

export const checkpointContainerResponse = new MessageTable({});

export const getEventsRequest = new MessageTable({});

export const containerEventResponse = new MessageTable({
  containerId: text(1),
  containerEventType: enumeration(2),
  createdAt: int64(3),
  podSandboxStatus: nested(4, podSandboxStatus),
  containersStatuses: repeated(nested(5, containerStatus)),
});

export const listMetricDescriptorsRequest = new MessageTable({});

export const metricDescriptor = new MessageTable({ name: text(1), help: text(2), labelKeys: repeated(text(3)) });

export const listMetricDescriptorsResponse = new MessageTable({ descriptors: repeated(nested(1, metricDescriptor)) });

export const listPodSandboxMetricsRequest = new MessageTable({});

export const metric = new MessageTable({
  name: text(1),
  timestamp: int64(2),
  metricType: enumeration(3),
  labelValues: repeated(text(4)),
  value: nested(5, uInt64Value),
});

export const containerMetrics = new MessageTable({ containerId: text(1), metrics: repeated(nested(2, metric)) });

export const podSandboxMetrics = new MessageTable({
  podSandboxId: text(1),
  metrics: repeated(nested(2, metric)),
  containerMetrics: repeated(nested(3, containerMetrics)),
});

export const listPodSandboxMetricsResponse = new MessageTable({ podMetrics: repeated(nested(1, podSandboxMetrics)) });

export const streamPodSandboxMetricsRequest = new MessageTable({});

export const streamPodSandboxMetricsResponse = new MessageTable({
  podSandboxMetrics: repeated(nested(1, podSandboxMetrics)),
});

export const runtimeConfigRequest = new MessageTable({});

export const linuxRuntimeConfiguration = new MessageTable({ cgroupDriver: enumeration(1) });

export const runtimeConfigResponse = new MessageTable({ linux: nested(1, linuxRuntimeConfiguration) });

export const updatePodSandboxResourcesRequest = new MessageTable({
  podSandboxId: text(1),
  overhead: nested(2, linuxContainerResources),
  resources: nested(3, linuxContainerResources),
});

export const updatePodSandboxResourcesResponse = new MessageTable({});

export const RuntimeService = {
  version: method('/runtime.v1.RuntimeService/Version', versionRequest, versionResponse),
  runPodSandbox: method('/runtime.v1.RuntimeService/RunPodSandbox', runPodSandboxRequest, runPodSandboxResponse),
  stopPodSandbox: method('/runtime.v1.RuntimeService/StopPodSandbox', stopPodSandboxRequest, stopPodSandboxResponse),
  removePodSandbox: method(
    '/runtime.v1.RuntimeService/RemovePodSandbox',
    removePodSandboxRequest,
    removePodSandboxResponse,
  ),
  podSandboxStatus: method(
    '/runtime.v1.RuntimeService/PodSandboxStatus',
    podSandboxStatusRequest,
    podSandboxStatusResponse,
  ),
  listPodSandbox: method('/runtime.v1.RuntimeService/ListPodSandbox', listPodSandboxRequest, listPodSandboxResponse),
  streamPodSandboxes: method(
    '/runtime.v1.RuntimeService/StreamPodSandboxes',
    streamPodSandboxesRequest,
    streamPodSandboxesResponse,
  ),
  createContainer: method(
    '/runtime.v1.RuntimeService/CreateContainer',
    createContainerRequest,
    createContainerResponse,
  ),
  startContainer: method('/runtime.v1.RuntimeService/StartContainer', startContainerRequest, startContainerResponse),
  stopContainer: method('/runtime.v1.RuntimeService/StopContainer', stopContainerRequest, stopContainerResponse),
  removeContainer: method(
    '/runtime.v1.RuntimeService/RemoveContainer',
    removeContainerRequest,
    removeContainerResponse,
  ),
  listContainers: method('/runtime.v1.RuntimeService/ListContainers', listContainersRequest, listContainersResponse),
  streamContainers: method(
    '/runtime.v1.RuntimeService/StreamContainers',
    streamContainersRequest,
    streamContainersResponse,
  ),
  containerStatus: method(
    '/runtime.v1.RuntimeService/ContainerStatus',
    containerStatusRequest,
    containerStatusResponse,
  ),
  updateContainerResources: method(
    '/runtime.v1.RuntimeService/UpdateContainerResources',
    updateContainerResourcesRequest,
    updateContainerResourcesResponse,
  ),
  reopenContainerLog: method(
    '/runtime.v1.RuntimeService/ReopenContainerLog',
    reopenContainerLogRequest,
    reopenContainerLogResponse,
  ),
  execSync: method('/runtime.v1.RuntimeService/ExecSync', execSyncRequest, execSyncResponse),
  exec: method('/runtime.v1.RuntimeService/Exec', execRequest, execResponse),
  attach: method('/runtime.v1.RuntimeService/Attach', attachRequest, attachResponse),
  portForward: method('/runtime.v1.RuntimeService/PortForward', portForwardRequest, portForwardResponse),
  containerStats: method('/runtime.v1.RuntimeService/ContainerStats', containerStatsRequest, containerStatsResponse),
  listContainerStats: method(
    '/runtime.v1.RuntimeService/ListContainerStats',
    listContainerStatsRequest,
    listContainerStatsResponse,
  ),
  streamContainerStats: method(
    '/runtime.v1.RuntimeService/StreamContainerStats',
    streamContainerStatsRequest,
    streamContainerStatsResponse,
  ),
  podSandboxStats: method(
    '/runtime.v1.RuntimeService/PodSandboxStats',
    podSandboxStatsRequest,
    podSandboxStatsResponse,
  ),
  listPodSandboxStats: method(
    '/runtime.v1.RuntimeService/ListPodSandboxStats',
    listPodSandboxStatsRequest,
    listPodSandboxStatsResponse,
  ),
  streamPodSandboxStats: method(
    '/runtime.v1.RuntimeService/StreamPodSandboxStats',
    streamPodSandboxStatsRequest,
    streamPodSandboxStatsResponse,
  ),
  updateRuntimeConfig: method(
    '/runtime.v1.RuntimeService/UpdateRuntimeConfig',
    updateRuntimeConfigRequest,
    updateRuntimeConfigResponse,
  ),
  status: method('/runtime.v1.RuntimeService/Status', statusRequest, statusResponse),
  checkpointContainer: method(
    '/runtime.v1.RuntimeService/CheckpointContainer',
    checkpointContainerRequest,
    checkpointContainerResponse,
  ),
  getContainerEvents: method('/runtime.v1.RuntimeService/GetContainerEvents', getEventsRequest, containerEventResponse),
  listMetricDescriptors: method(
    '/runtime.v1.RuntimeService/ListMetricDescriptors',
    listMetricDescriptorsRequest,
    listMetricDescriptorsResponse,
  ),
  listPodSandboxMetrics: method(
    '/runtime.v1.RuntimeService/ListPodSandboxMetrics',
    listPodSandboxMetricsRequest,
    listPodSandboxMetricsResponse,
  ),
  streamPodSandboxMetrics: method(
    '/runtime.v1.RuntimeService/StreamPodSandboxMetrics',
    streamPodSandboxMetricsRequest,
    streamPodSandboxMetricsResponse,
  ),
  runtimeConfig: method('/runtime.v1.RuntimeService/RuntimeConfig', runtimeConfigRequest, runtimeConfigResponse),
  updatePodSandboxResources: method(
    '/runtime.v1.RuntimeService/UpdatePodSandboxResources',
    updatePodSandboxResourcesRequest,
    updatePodSandboxResourcesResponse,
  ),
};

export const ImageService = {
  listImages: method('/runtime.v1.ImageService/ListImages', listImagesRequest, listImagesResponse),
  streamImages: method('/runtime.v1.ImageService/StreamImages', streamImagesRequest, streamImagesResponse),
  imageStatus: method('/runtime.v1.ImageService/ImageStatus', imageStatusRequest, imageStatusResponse),
  pullImage: method('/runtime.v1.ImageService/PullImage', pullImageRequest, pullImageResponse),
  removeImage: method('/runtime.v1.ImageService/RemoveImage', removeImageRequest, removeImageResponse),
  imageFsInfo: method('/runtime.v1.ImageService/ImageFsInfo', imageFsInfoRequest, imageFsInfoResponse),
};
