import type { Clock } from '../base/index.ts';
import {
  type ContainerEvent,
  type ContainerEventType,
  type ContainerState,
  type ContainerStatus,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
} from '../node/index.ts';

/** As often as the kubelet lists containers. */
const LIST_EVERY_MS = 1000;

const EVENT_OF: Readonly<Record<ContainerState, ContainerEventType | undefined>> = {
  CONTAINER_CREATED: 'CONTAINER_CREATED_EVENT',
  CONTAINER_RUNNING: 'CONTAINER_STARTED_EVENT',
  CONTAINER_EXITED: 'CONTAINER_STOPPED_EVENT',
  CONTAINER_UNKNOWN: 'CONTAINER_STOPPED_EVENT', // the agent looks at the container
};

/** The events of a runtime that sends none, from the differences between its lists of containers. */
export async function* polledEvents(
  list: () => Promise<readonly ContainerStatus[]>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ContainerEvent> {
  let known = byId(await list());
  while (!signal.aborted) {
    await clock.sleep(LIST_EVERY_MS, signal);
    if (signal.aborted) return;
    const now = byId(await list());
    for (const container of now.values()) {
      const type = EVENT_OF[container.state];
      if (type !== undefined && known.get(container.id)?.state !== container.state)
        yield eventOf(container, type, clock);
    }
    for (const container of known.values())
      if (!now.has(container.id)) yield eventOf(container, 'CONTAINER_DELETED_EVENT', clock);
    known = now;
  }
}

function byId(containers: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> {
  return new Map(containers.map((each) => [each.id, each]));
}

/** The pod is the one that the labels of the container name. */
function eventOf({ id, labels }: ContainerStatus, type: ContainerEventType, clock: Clock): ContainerEvent {
  const pod = {
    name: labels[POD_NAME] ?? '',
    namespace: labels[POD_NAMESPACE] ?? '',
    uid: labels[POD_UID] ?? '',
    attempt: 0,
  };
  return { containerId: id, containerEventType: type, createdAtMs: clock.now(), pod };
}
