// What has to be done so that the resources in force become those that are allocated. The functions here are pure.
import type { Observed, Pod } from '../../client/index.ts';
import type { ActuatedResources } from '../life/resize-state.ts';
import type { ContainerSpec } from '../life/pod-view.ts';
import { amountOf, differsIn, effectiveNeeds, RESIZABLE, type ResourceNeeds } from './allocation.ts';

type Resizable = (typeof RESIZABLE)[number];

/** A running container, as far as resizing is concerned. */
export interface RunningContainer {
  readonly id: string;
  readonly name: string;
}

/** One resource of a running container that has to change. */
export interface ContainerResize {
  readonly id: string;
  readonly container: ContainerSpec;
  /** In force now, with the limits of the pod where the container has none. */
  readonly current: ResourceNeeds;
  readonly desired: ResourceNeeds;
}

export interface ResizePlan {
  /** Names of containers whose resize policy makes them start again. */
  readonly restarts: readonly string[];
  /** By resource, in the order in which they are changed: what shrinks comes first. */
  readonly updates: Readonly<Record<Resizable, readonly ContainerResize[]>>;
  /** Whether the resources of the pod as a whole have changed. */
  readonly isPodChanged: boolean;
}

/** Undefined when everything that is allocated is in force. Containers that do not run get their resources when they start. */
export function planResize(
  pod: Observed<Pod>,
  actuated: ActuatedResources | undefined,
  running: readonly RunningContainer[],
): ResizePlan | undefined {
  if (actuated === undefined) return undefined;
  const podNeeds = pod.spec?.resources;
  const isPodChanged = RESIZABLE.some((resource) => differsIn(resource, podNeeds, actuated.pod));
  const restarts: string[] = [];
  const updates: Record<Resizable, ContainerResize[]> = { cpu: [], memory: [] };
  for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
    const id = running.find(({ name }) => name === container.name)?.id;
    const before = actuated.containers.get(container.name);
    if (id === undefined || before === undefined) continue;
    const desired = effectiveNeeds(container.resources, podNeeds);
    const current = effectiveNeeds(before, actuated.pod);
    const changed = RESIZABLE.filter((resource) => differsIn(resource, desired, current));
    if (changed.some((resource) => needsRestart(container, resource))) restarts.push(container.name);
    else for (const resource of changed) insert(updates[resource], { id, container, current, desired }, resource);
  }
  const isNothing = restarts.length + updates.cpu.length + updates.memory.length === 0 && !isPodChanged;
  return isNothing ? undefined : { restarts, updates, isPodChanged };
}

function needsRestart({ resizePolicy = [] }: ContainerSpec, resource: Resizable): boolean {
  return resizePolicy.find(({ resourceName }) => resourceName === resource)?.restartPolicy === 'RestartContainer';
}

/** Decreases go before increases, so that the sum does not exceed the pod's limit in between. */
function insert(list: ContainerResize[], resize: ContainerResize, resource: Resizable): void {
  const { current, desired } = resize;
  const differs = (name: 'limits' | 'requests'): number =>
    amountOf(desired[name], resource) - amountOf(current[name], resource);
  const change = differs('limits') === 0 ? differs('requests') : differs('limits');
  if (change < 0) list.unshift(resize);
  else list.push(resize);
}
