import { isSidecar } from '../../api/meaning/index.ts';
import { containersOf } from './container-status.ts';
import { type ContainerSpec, newestContainer, type PodView } from './pod-view.ts';

/** Init containers run one after the other; a sidecar only has to have started before the next. */
export function initStarts(view: PodView): {
  readonly starts: readonly ContainerSpec[];
  readonly isInitialized: boolean;
} {
  const init = containersOf(view, 'init');
  const hasBegun = containersOf(view, 'regular').some(({ name }) => {
    const state = newestContainer(view, name)?.state;
    return state === 'CONTAINER_CREATED' || state === 'CONTAINER_RUNNING';
  });
  if (hasBegun) {
    const isDown = ({ name }: ContainerSpec): boolean => newestContainer(view, name)?.state !== 'CONTAINER_RUNNING';
    return { starts: init.filter((container) => isSidecar(container) && isDown(container)), isInitialized: true };
  }
  const starts: ContainerSpec[] = [];
  for (const [index, container] of init.entries()) {
    const newest = newestContainer(view, container.name);
    const isRunning = newest?.state === 'CONTAINER_RUNNING';
    const hasSucceeded = !isSidecar(container) && newest?.state === 'CONTAINER_EXITED' && newest.exitCode === 0;
    if (hasSucceeded || (isSidecar(container) && isRunning && (newest.probe?.isStarted ?? true))) continue;
    if (!isRunning) starts.push(container);
    const isPassed = init.slice(index + 1).some(({ name }) => newestContainer(view, name) !== undefined);
    if (!(isSidecar(container) && isPassed)) return { starts, isInitialized: false };
  }
  return { starts, isInitialized: true };
}
