import { formatDuration } from '../../base/index.ts';
import { backOffUntil, crashKey, pullKey } from './back-off.ts';
import {
  type ContainerSpec,
  type ContainerView,
  describePod,
  newestContainer,
  type PodView,
  type StartFailure,
} from './pod-view.ts';

/** Why a container may not be started yet, and until when: it crashed, its image could not be pulled, or starting it failed. */
export function holdBack(
  view: PodView,
  container: ContainerSpec,
): { readonly failure: StartFailure; readonly untilMs: number } | undefined {
  const { nowMs, memory } = view;
  const { name, image = '' } = container;
  const newest = newestContainer(view, name);
  if (newest?.state === 'CONTAINER_EXITED') {
    const crash = backOffUntil(memory.backOffs.get(crashKey(name)), finishedAt(newest), nowMs);
    if (crash !== undefined) {
      const message = `back-off ${formatDuration(crash.delayMs)} restarting failed container=${name} pod=${describePod(view.pod)}`;
      return { failure: { reason: 'CrashLoopBackOff', message }, untilMs: crash.untilMs };
    }
  }
  const pull = memory.backOffs.get(pullKey(image));
  const wait = pull === undefined ? undefined : backOffUntil(pull, pull.updatedAtMs, nowMs);
  if (pull !== undefined && wait !== undefined) {
    const message = `Back-off pulling image ${JSON.stringify(image)}${pull.cause === undefined ? '' : `: ${pull.cause}`}`;
    return { failure: { reason: 'ImagePullBackOff', message }, untilMs: wait.untilMs };
  }
  const failure = memory.failures.get(name);
  if (failure?.retryAtMs === undefined || nowMs >= failure.retryAtMs) return undefined;
  return { failure, untilMs: failure.retryAtMs };
}

export function finishedAt({ finishedAtMs, createdAtMs }: ContainerView): number {
  return finishedAtMs ?? createdAtMs;
}
