// Pods as the runtime is told of them.
import type { Observed, Pod } from '../client/index.ts';
import type { ContainerSpec } from './life/index.ts';
import {
  CONTAINER_KIND,
  CONTAINER_NAME,
  type ContainerConfig,
  type ImageSpec,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
  type PodSandboxConfig,
  type PortMapping,
} from './runtime/index.ts';

export function sandboxConfig(pod: Observed<Pod>, attempt: number): PodSandboxConfig {
  const { name, namespace = '', uid, labels = {}, annotations = {} } = pod.metadata;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: pod.spec?.hostnameOverride ?? pod.spec?.hostname ?? name,
    portMappings: (pod.spec?.containers ?? []).flatMap(portMappings),
    labels: { ...labels, ...podLabels(pod) },
    annotations,
    networkMode: pod.spec?.hostNetwork === true ? 'NODE' : 'POD',
  };
}

export function containerConfig(pod: Observed<Pod>, container: ContainerSpec, attempt: number): ContainerConfig {
  const { name, image = '', command = [], args = [], workingDir = '', stdin = false, tty = false } = container;
  return {
    metadata: { name, attempt },
    image: { image, userSpecifiedImage: image },
    command,
    args,
    workingDir,
    labels: { ...podLabels(pod), [CONTAINER_NAME]: name },
    annotations: { [CONTAINER_KIND]: kindOf(pod, container) },
    stdin,
    tty,
  };
}

/** The image to be pulled for a container. */
export function imageSpec(pod: Observed<Pod>, container: ContainerSpec): ImageSpec {
  const { name, image = '' } = container;
  const annotations = { ...pod.metadata.annotations, [CONTAINER_NAME]: name, [CONTAINER_KIND]: kindOf(pod, container) };
  return { image, userSpecifiedImage: image, annotations };
}

function kindOf(pod: Observed<Pod>, { name, restartPolicy }: ContainerSpec): string {
  if (pod.spec?.containers.some((container) => container.name === name) === true) return 'regular';
  if (pod.spec?.initContainers?.some((container) => container.name === name) !== true) return 'ephemeral';
  return restartPolicy === 'Always' ? 'sidecar' : 'init';
}

function podLabels({ metadata }: Observed<Pod>): Record<string, string> {
  return { [POD_NAME]: metadata.name, [POD_NAMESPACE]: metadata.namespace ?? '', [POD_UID]: metadata.uid };
}

function portMappings({ ports = [] }: ContainerSpec): PortMapping[] {
  return ports.map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
    protocol,
    containerPort,
    hostPort,
    hostIp: hostIP,
  }));
}
