import type { PodView } from './pod-view.ts';

/** When time alone may change what probes say of running containers. */
export function probeChanges({ containers }: PodView): readonly (number | undefined)[] {
  return containers.map(({ state, probe }) => (state === 'CONTAINER_RUNNING' ? probe?.changesAtMs : undefined));
}

/** The first of these times; undefined when there is none. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce(
    (first, time) => (first === undefined || (time !== undefined && time < first) ? time : first),
    undefined,
  );
}
