// The configuration with which the runtime creates a container.
import { withMembers } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerEdits } from '../backend/node-devices.ts';
import { podFolder } from '../backend/volume-plugin.ts';
import { CONTAINER_HASH, containerHash, containerListOf, type ContainerSpec } from '../life/index.ts';
import {
  CONTAINER_KIND,
  CONTAINER_NAME,
  type ContainerConfig,
  type ContainerIdentity,
  type Device,
  type IdMapping,
  type Image,
  type ImageSpec,
  type LinuxContainerResources,
  type Mount,
} from '../runtime/index.ts';
import { ContainerConfigError } from './config-error.ts';
import { environmentOf, type ReferencedData } from './environment.ts';
import { ExpansionBudget, expandVariables } from './expand-variables.ts';
import { HOSTS_PATH, hostsFile, usesManagedHosts } from './hosts-file.ts';
import { linuxResources } from './linux-resources.ts';
import type { ResourceRules } from './resource-rules.ts';
import { podLabels } from './sandbox-config.ts';
import { containerSecurity, verifyNonRoot } from './security-context.ts';
import type { Environment, ServiceVariables } from './service-variables.ts';
import { volumeMounts, type VolumeMountsParts } from './volume-mounts.ts';

/** What containers are configured from besides their pods. */
export interface ConfigSources {
  readonly data: ReferencedData;
  readonly services: ServiceVariables;
}

export interface ContainerConfigParts extends VolumeMountsParts {
  readonly sources: ConfigSources;
  readonly attempt: number;
  readonly image: Image | undefined;
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
  /** The agent's folder on the machine. */
  readonly root: string;
  /** The ids of the pod's user namespace, if it has one. */
  readonly userNamespace: IdMapping | undefined;
  /** The id of the container whose processes an ephemeral container sees; undefined for its own alone. */
  readonly targetId: string | undefined;
  /** Whether containers that name no seccomp profile get the runtime's; default false. */
  readonly seccompDefault?: boolean | undefined;
  /** The edits of the pod's devices; undefined for containers without devices. */
  readonly edits: ContainerEdits | undefined;
  /** Of the node. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly rules?: ResourceRules | undefined;
  /** Adds what the machine has assigned to the container. */
  readonly assigned?: (resources: LinuxContainerResources) => LinuxContainerResources;
  /** Charged for what the configuration becomes; default that of one container alone. */
  readonly budget?: ExpansionBudget;
  /** Reads a file in a folder of the node, of which links do not lead out; undefined when volumes have no files. */
  readFile(folder: string, path: string): Promise<string | undefined>;
}

/**
 * Everything the runtime needs to create a container. Throws a `ContainerConfigError` when an object that the pod refers to is missing,
 * and when the configuration becomes too large.
 */
export async function containerConfig(
  pod: Observed<Pod>,
  container: ContainerSpec,
  parts: ContainerConfigParts,
): Promise<ContainerConfig> {
  const { command = [], args = [], workingDir = '', stdin = false, stdinOnce = false, tty = false } = container;
  const { budget = new ExpansionBudget() } = parts;
  const { byName, list } = await variablesOf(pod, container, { ...parts, budget });
  verifyNonRoot(pod, container, parts.image);
  const expand = (text: string): string => expandVariables(text, (name) => byName.get(name), budget);
  const stopSignal = container.lifecycle?.stopSignal;
  const { edits } = parts;
  const identity = containerIdentity(pod, container, parts.attempt);
  const resources = linuxResources(pod, container, parts);
  const mounts = [
    ...(await volumeMounts(container, parts, { variables: byName, budget })),
    ...agentMounts(pod, container, parts),
  ];
  return {
    command: command.map(expand),
    args: args.map(expand),
    workingDir,
    envs: edits === undefined ? list : [...edits.envs, ...list],
    mounts: edits === undefined ? mounts : [...edits.mounts, ...mounts],
    devices: [...(edits?.devices ?? []), ...volumeDevices(container, parts.volumes)],
    cdiDevices: edits?.cdiDevices ?? [],
    stdin,
    stdinOnce,
    tty,
    ...(stopSignal === undefined ? {} : { stopSignal }),
    linux: {
      resources: parts.assigned?.(resources) ?? resources,
      securityContext: containerSecurity(pod, container, parts),
    },
    ...identity,
    annotations: edits === undefined ? identity.annotations : { ...identity.annotations, ...edits.annotations },
  };
}

/** The block devices of volumes. */
function volumeDevices(
  { volumeDevices: wanted = [] }: ContainerSpec,
  volumes: ContainerConfigParts['volumes'],
): readonly Device[] {
  return wanted.flatMap(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume === undefined) return [];
    return [{ containerPath: devicePath, hostPath: volume.path, permissions: volume.isReadOnly ? 'r' : 'mrw' }];
  });
}

/** The part of the configuration that needs nothing but the pod. */
export function containerIdentity(pod: Observed<Pod>, container: ContainerSpec, attempt: number): ContainerIdentity {
  const { name, image = '', terminationMessagePath = '', terminationMessagePolicy = '' } = container;
  return {
    metadata: { name, attempt },
    image: { image, userSpecifiedImage: image },
    labels: withMembers(podLabels(pod), { [CONTAINER_NAME]: name }),
    annotations: {
      [CONTAINER_KIND]: kindOf(pod, container),
      [CONTAINER_HASH]: containerHash(container),
      'io.kubernetes.container.restartCount': String(attempt),
      'io.kubernetes.container.terminationMessagePath': terminationMessagePath,
      'io.kubernetes.container.terminationMessagePolicy': terminationMessagePolicy,
    },
    logPath: `${name}/${attempt}.log`,
  };
}

/** The image to be pulled for a container. */
export function imageSpec(pod: Observed<Pod>, container: ContainerSpec): ImageSpec {
  const { name, image = '' } = container;
  const annotations = { ...pod.metadata.annotations, [CONTAINER_NAME]: name, [CONTAINER_KIND]: kindOf(pod, container) };
  return { image, userSpecifiedImage: image, annotations };
}

type Charged<Parts> = Parts & { readonly budget: ExpansionBudget };

function variablesOf(
  pod: Observed<Pod>,
  container: ContainerSpec,
  { sources, podIps, hostIps, allocatable, budget, volumes, readFile }: Charged<ContainerConfigParts>,
): Promise<Environment> {
  return environmentOf(pod, container, {
    data: sources.data,
    services: sources.services.variables(pod.metadata.namespace ?? '', pod.spec?.enableServiceLinks !== false),
    podIps,
    hostIps,
    allocatable,
    budget,
    readFile: async (volume, path) => {
      const folder = volumes.get(volume)?.path;
      if (folder !== undefined) return readFile(folder, path);
      throw new ContainerConfigError(`cannot find the volume ${JSON.stringify(volume)} referenced by FileKeyRef`);
    },
  });
}

function kindOf(pod: Observed<Pod>, container: ContainerSpec): string {
  const list = containerListOf(pod, container.name);
  if (list === 'containers') return 'regular';
  if (list === 'ephemeralContainers') return 'ephemeral';
  return container.restartPolicy === 'Always' ? 'sidecar' : 'init';
}

/** The file on the machine that becomes the termination message of a container's run. */
export function terminationFile(
  root: string,
  podUid: string,
  run: { readonly name: string; readonly attempt: number },
): string {
  return `${podFolder(root, podUid)}/containers/${run.name}/${run.attempt}`;
}

/** Mounts of the files that the agent provides: `/etc/hosts`, and the file for the termination message. */
function agentMounts(pod: Observed<Pod>, container: ContainerSpec, { root, attempt }: ContainerConfigParts): Mount[] {
  const { name, terminationMessagePath = '' } = container;
  const { uid } = pod.metadata;
  const mount = (containerPath: string, hostPath: string): Mount => ({ ...WRITABLE, containerPath, hostPath });
  return [
    ...(usesManagedHosts(container) ? [mount(HOSTS_PATH, hostsFile(root, uid))] : []),
    ...(terminationMessagePath === ''
      ? []
      : [mount(terminationMessagePath, terminationFile(root, uid, { name, attempt }))]),
  ];
}

/** Relabelled where there is SELinux: these files are the pod's own. */
const WRITABLE = {
  readonly: false,
  recursiveReadOnly: false,
  propagation: 'PROPAGATION_PRIVATE',
  selinuxRelabel: true,
} as const;
