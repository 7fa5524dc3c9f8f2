import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import { aborted, type Clock, type Logger, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { GrpcError, GrpcServer, type Method, removeStaleSocket, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import type {
  ContainerClaim,
  Family,
  GivenDevice,
  GivenResources,
  NodeDevices,
  NodeResources,
} from '../backend/index.ts';
import { MetricTable } from '../metric-table.ts';
import * as alpha from './protocol/pod-resources-v1alpha1.ts';
import * as protocol from './protocol/pod-resources-v1.ts';
import { RequestRate } from '../request-rate.ts';

/** What the socket tells about a node. */
export interface PodResourcesSource {
  pod(key: string): Observed<Pod> | undefined;
  pods(): readonly Observed<Pod>[];
  readonly resources: NodeResources;
  readonly devices: Pick<NodeDevices, 'given' | 'claimed' | 'givable'>;
}

/** How often the socket was asked, and how often that failed, by what was asked. */
export const POD_RESOURCES_ROWS = {
  kubelet_pod_resources_endpoint_errors_get: { type: 'counter', help: 'Calls of Get that failed.' },
  kubelet_pod_resources_endpoint_errors_get_allocatable: {
    type: 'counter',
    help: 'Calls of GetAllocatableResources that failed.',
  },
  kubelet_pod_resources_endpoint_errors_list: { type: 'counter', help: 'Calls of List that failed.' },
  kubelet_pod_resources_endpoint_requests_get: { type: 'counter', help: 'Calls of Get.' },
  kubelet_pod_resources_endpoint_requests_get_allocatable: {
    type: 'counter',
    help: 'Calls of GetAllocatableResources.',
  },
  kubelet_pod_resources_endpoint_requests_list: { type: 'counter', help: 'Calls of List.' },
  kubelet_pod_resources_endpoint_requests_total: { type: 'counter', help: 'Calls of the socket of pod resources.' },
} as const;

type CountedCall = 'get' | 'get_allocatable' | 'list';
type ApiVersion = 'v1' | 'v1alpha1';

export interface PodResourcesSocketParts {
  /** The agent's folder; the socket is `pod-resources/kubelet.sock` in it. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The limits of a kubelet, for all clients together. */
const RATE = { perSecond: 100, burst: 10 };
const FOLDER_MODE = 0o750;

/** Tells monitors of the machine which processors, memory and devices each container has for itself, as a kubelet's pod resources API v1 does. */
export class PodResourcesSocket implements Runnable {
  readonly #parts: PodResourcesSocketParts;
  readonly #rate: RequestRate;
  readonly #metrics = new MetricTable(POD_RESOURCES_ROWS);
  #source: PodResourcesSource | undefined;

  constructor(parts: PodResourcesSocketParts) {
    this.#parts = parts;
    this.#rate = new RequestRate(parts.clock, RATE);
  }

  /** Answers about this node from now on. */
  serve(source: PodResourcesSource): void {
    this.#source = source;
  }

  families(): readonly Family[] {
    return this.#metrics.families();
  }

  /** A node whose socket cannot be opened still runs its pods. */
  async run(signal: AbortSignal): Promise<void> {
    const { root, log } = this.#parts;
    const folder = join(root, 'pod-resources');
    const path = join(folder, 'kubelet.sock');
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      await removeStaleSocket(path);
      await using _server = await this.#listen(path);
      await aborted(signal);
    } catch (error) {
      log.error('resources of pods cannot be served', { error, path });
    }
  }

  #listen(path: string): Promise<GrpcServer> {
    const { clock, log } = this.#parts;
    const { list, get, getAllocatableResources } = protocol.PodResourcesLister;
    const methods = [
      this.#method(list, 'list', (source) => ({
        podResources: source
          .pods()
          .filter(isActive)
          .map((pod) => podMessage(pod, source)),
      })),
      this.#method(get, 'get', (source, { podName = '', podNamespace = '' }) => {
        const found = source.pod(`${podNamespace}/${podName}`);
        if (found === undefined)
          throw new GrpcError('UNKNOWN', `pod ${podName} in namespace ${podNamespace} not found`);
        return { podResources: podMessage(found, source) };
      }),
      this.#alphaList(),
      this.#method(getAllocatableResources, 'get_allocatable', ({ resources, devices }) =>
        givenMessage(resources.givable(), devices.givable()),
      ),
    ];
    return GrpcServer.listen({ address: `unix:${path}`, methods, clock, log });
  }

  /** The first version of the list, which monitors of the machine may still use: devices only, of all pods that the node knows. */
  #alphaList(): ReturnType<typeof unaryMethod> {
    return unaryMethod(alpha.PodResourcesLister.list, async () => {
      const source = this.#admit('v1alpha1');
      return {
        podResources: source.pods().map(({ metadata, spec }) => ({
          name: metadata.name,
          namespace: metadata.namespace ?? '',
          containers: (spec?.containers ?? []).map(({ name }) => ({
            name,
            devices: source.devices
              .given(metadata.uid, name)
              .map(({ resource, id }) => ({ resourceName: resource, deviceIds: [id] })),
          })),
        })),
      };
    });
  }

  /** Counts a call. Throws when there are too many, and before the node runs. */
  #admit(server_api_version: ApiVersion): PodResourcesSource {
    if (!this.#rate.allows()) throw new GrpcError('RESOURCE_EXHAUSTED', 'rejected by rate limit');
    this.#metrics.add('kubelet_pod_resources_endpoint_requests_total', { server_api_version });
    if (this.#source === undefined) throw new GrpcError('UNAVAILABLE', 'the node is not running yet');
    return this.#source;
  }

  #method<Request, Response>(
    method: Method<Request, Response>,
    name: CountedCall,
    answer: (source: PodResourcesSource, request: Request) => Response,
  ): ReturnType<typeof unaryMethod> {
    const version = { server_api_version: 'v1' };
    return unaryMethod(method, async (request) => {
      const source = this.#admit('v1');
      this.#metrics.add(`kubelet_pod_resources_endpoint_requests_${name}`, version);
      try {
        return answer(source, request);
      } catch (error) {
        this.#metrics.add(`kubelet_pod_resources_endpoint_errors_${name}`, version);
        throw error;
      }
    });
  }
}

/** Pods that have ended hold nothing, unless they are still being stopped. */
function isActive({ metadata, status }: Observed<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined || !isTerminalPhase(status?.phase);
}

function podMessage(
  pod: Observed<Pod>,
  { resources, devices }: PodResourcesSource,
): MessageOf<typeof protocol.podResources> {
  const { metadata, spec } = pod;
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    containers: containers.map((container) => ({
      name: container.name,
      ...givenMessage(resources.given(metadata.uid, container.name), devices.given(metadata.uid, container.name)),
      dynamicResources: devices.claimed(pod, container).map(claimMessage),
    })),
  };
}

/** All devices of the claim, also where the container uses one request of it. */
function claimMessage({
  claimName,
  claimNamespace,
  devices,
}: ContainerClaim): MessageOf<typeof protocol.dynamicResource> {
  return {
    claimName,
    claimNamespace,
    claimResources: devices.map(({ driver, pool, device, shareId, cdiDevices }) => ({
      cdiDevices: cdiDevices.map((name) => ({ name })),
      ...{ driverName: driver, poolName: pool, deviceName: device },
      ...(shareId === undefined ? {} : { shareId }),
    })),
  };
}

/** One entry for each device, as a kubelet writes them. */
function givenMessage(
  { cpus, memory }: GivenResources,
  devices: readonly GivenDevice[],
): MessageOf<typeof protocol.allocatableResourcesResponse> {
  return {
    devices: devices.map(({ resource, id, nodes }) => ({
      resourceName: resource,
      deviceIds: [id],
      ...(nodes.length === 0 ? {} : { topology: { nodes: nodes.map((node) => ({ id: node })) } }),
    })),
    cpuIds: cpus,
    memory: memory.map(({ type, size, nodes }) => ({
      memoryType: type,
      size,
      topology: { nodes: nodes.map((id) => ({ id })) },
    })),
  };
}
