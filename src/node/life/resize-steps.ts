import { containersOf } from './container-status.ts';
import { type ContainerSpec, type ContainerView, newestContainer, type PodView } from './pod-view.ts';

/** A running container that starts again, with what its spec says now. */
export interface ContainerRestart {
  readonly container: ContainerSpec;
  readonly kind: 'init' | 'regular';
  readonly newest: ContainerView;
}

export interface ResizeSteps {
  /** Whether limits have to be changed now. */
  readonly isDue: boolean;
  readonly restarts: readonly ContainerRestart[];
  /** Time of the next try after one has failed. */
  readonly wakeAtMs: number | undefined;
}

export const NO_RESIZE: ResizeSteps = { isDue: false, restarts: [], wakeAtMs: undefined };

/** What a resize asks for at this moment. */
export function resizeSteps(view: PodView): ResizeSteps {
  const { resize, nowMs } = view;
  if (resize === undefined) return NO_RESIZE;
  if (resize.retryAtMs !== undefined && nowMs < resize.retryAtMs) return { ...NO_RESIZE, wakeAtMs: resize.retryAtMs };
  const restarts = (['init', 'regular'] as const).flatMap((kind) =>
    containersOf(view, kind).flatMap((container): ContainerRestart[] => {
      const newest = newestContainer(view, container.name);
      if (!resize.restarts.includes(container.name) || newest?.state !== 'CONTAINER_RUNNING') return [];
      return [{ container, kind, newest }];
    }),
  );
  return { isDue: true, restarts, wakeAtMs: undefined };
}
