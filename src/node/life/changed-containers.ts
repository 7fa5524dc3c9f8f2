import { isSidecar } from '../../api/meaning/index.ts';
import { CONTAINER_HASH, containerHash } from './container-hash.ts';
import { containersOf } from './container-status.ts';
import { newestContainer, type PodView } from './pod-view.ts';
import type { ContainerRestart } from './resize-steps.ts';

/** Running containers whose image in the spec is another one now; nothing else of a container that runs can change. */
export function changedContainers(view: PodView): readonly ContainerRestart[] {
  return (['init', 'regular'] as const).flatMap((kind) =>
    containersOf(view, kind).flatMap((container) => {
      const newest = newestContainer(view, container.name);
      const hash = newest?.annotations[CONTAINER_HASH];
      if (newest?.state !== 'CONTAINER_RUNNING' || hash === undefined || hash === containerHash(container)) return [];
      return kind === 'regular' || isSidecar(container) ? [{ container, kind, newest }] : [];
    }),
  );
}

/** The message of the event when such a container is stopped. */
export function changeMessage({ container, kind }: ContainerRestart): string {
  return kind === 'init'
    ? `Init container ${container.name} definition changed`
    : `Container ${container.name} definition changed, will be restarted`;
}
