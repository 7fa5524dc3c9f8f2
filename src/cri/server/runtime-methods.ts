// The calls of the Container Runtime Interface about the runtime itself.
import { isRuntimeNotFound, type PodSandboxStatusResponse } from '../../node/index.ts';
import type { ServedMethod } from '../../wire/grpc/index.ts';
import { CgroupDriver, ContainerEventType, RuntimeService as methods } from '../protocol/runtime-v1.ts';
import { asMap } from '../to-messages.ts';
import type { ServerParts } from './server-parts.ts';
import { served, servedStream } from './served-method.ts';
import { containerStatusMessage, nanoseconds, sandboxStatusMessage } from './write-messages.ts';

/** The version of the interface that clients expect in this answer, whatever the interface's own version is. */
const KUBELET_API_VERSION = '0.1.0';

export function runtimeMethods(parts: ServerParts): readonly ServedMethod[] {
  const { runtime, kept, exits, cgroupDriver = 'cgroupfs', info, podCidrChanged } = parts;
  return [
    served(methods.version, async (_, signal) => {
      const { runtimeName, runtimeVersion, runtimeApiVersion } = await runtime.version({ signal });
      return { version: KUBELET_API_VERSION, runtimeName, runtimeVersion, runtimeApiVersion };
    }),
    served(methods.status, async ({ verbose = false }, signal) => {
      const { conditions, runtimeHandlers, features } = await runtime.status({ signal });
      const { runtimeVersion } = await runtime.version({ signal });
      return {
        status: { conditions },
        runtimeHandlers,
        features,
        ...(verbose ? { info: asMap({ config: JSON.stringify({ runtimeVersion, cgroupDriver, ...info?.() }) }) } : {}),
      };
    }),
    served(methods.runtimeConfig, async () => ({
      linux: { cgroupDriver: cgroupDriver === 'systemd' ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS },
    })),
    served(methods.updateRuntimeConfig, async ({ runtimeConfig }) => {
      const podCidr = runtimeConfig?.networkConfig?.podCidr ?? '';
      if (podCidr !== '') podCidrChanged?.(podCidr);
      return {};
    }),
    servedStream(methods.getContainerEvents, async function* (_, signal) {
      for await (const { containerId, containerEventType, createdAtMs, pod } of runtime.containerEvents(signal)) {
        const found = await sandboxOf(containerId);
        for (const container of found?.containersStatuses ?? []) await exits.completed(container);
        const id = found?.status.id ?? '';
        yield {
          containerId,
          containerEventType: ContainerEventType[containerEventType],
          createdAt: nanoseconds(createdAtMs),
          podSandboxStatus:
            found === undefined ? { metadata: pod } : sandboxStatusMessage(found.status, kept.sandboxes.get(id)),
          containersStatuses: (found?.containersStatuses ?? []).map((each) =>
            containerStatusMessage(each, kept.containers.get(each.id)),
          ),
        };
      }
    }),
  ];

  /** The pod of a container as it is now; undefined when the container is gone. */
  async function sandboxOf(containerId: string): Promise<PodSandboxStatusResponse | undefined> {
    const id = kept.containers.get(containerId)?.podSandboxId;
    if (id === undefined) return undefined;
    try {
      return await runtime.podSandboxStatus(id);
    } catch (error) {
      if (isRuntimeNotFound(error)) return undefined;
      throw error;
    }
  }
}
