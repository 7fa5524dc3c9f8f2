import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import { aborted, type Clock, type Logger, type Runnable } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { GrpcError, GrpcServer, type Method, removeStaleSocket, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import type { GivenDevice, GivenResources, NodeDevices, NodeResources } from '../backend/index.ts';
import * as protocol from './protocol/pod-resources-v1.ts';
import { RequestRate } from './request-rate.ts';

/** What the socket tells about a node. */
export interface PodResourcesSource {
  pod(key: string): Observed<Pod> | undefined;
  pods(): readonly Observed<Pod>[];
  readonly resources: NodeResources;
  readonly devices: Pick<NodeDevices, 'given' | 'givable'>;
}

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
  #source: PodResourcesSource | undefined;

  constructor(parts: PodResourcesSocketParts) {
    this.#parts = parts;
    this.#rate = new RequestRate(parts.clock, RATE);
  }

  /** Answers about this node from now on. */
  serve(source: PodResourcesSource): void {
    this.#source = source;
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
      this.#method(list, (source) => ({
        podResources: source
          .pods()
          .filter(isActive)
          .map((pod) => podMessage(pod, source)),
      })),
      this.#method(get, (source, { podName = '', podNamespace = '' }) => {
        const found = source.pod(`${podNamespace}/${podName}`);
        if (found === undefined)
          throw new GrpcError('UNKNOWN', `pod ${podName} in namespace ${podNamespace} not found`);
        return { podResources: podMessage(found, source) };
      }),
      this.#method(getAllocatableResources, ({ resources, devices }) =>
        givenMessage(resources.givable(), devices.givable()),
      ),
    ];
    return GrpcServer.listen({ address: `unix:${path}`, methods, clock, log });
  }

  #method<Request, Response>(
    method: Method<Request, Response>,
    answer: (source: PodResourcesSource, request: Request) => Response,
  ): ReturnType<typeof unaryMethod> {
    return unaryMethod(method, async (request) => {
      if (!this.#rate.allows()) throw new GrpcError('RESOURCE_EXHAUSTED', 'rejected by rate limit');
      if (this.#source === undefined) throw new GrpcError('UNAVAILABLE', 'the node is not running yet');
      return answer(this.#source, request);
    });
  }
}

/** Pods that have ended hold nothing, unless they are still being stopped. */
function isActive({ metadata, status }: Observed<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined || !isTerminalPhase(status?.phase);
}

function podMessage(
  { metadata, spec }: Observed<Pod>,
  { resources, devices }: PodResourcesSource,
): MessageOf<typeof protocol.podResources> {
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    containers: containers.map(({ name }) => ({
      name,
      ...givenMessage(resources.given(metadata.uid, name), devices.given(metadata.uid, name)),
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
