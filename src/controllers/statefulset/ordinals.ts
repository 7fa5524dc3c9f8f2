import type { StatefulSetView } from './set-view.ts';

const POD_NAME = /^(?<parent>.*)-(?<ordinal>\d+)$/;
const MAX_ORDINAL = 2 ** 31 - 1;
const MAX_MISSING = 500;

/** The set and ordinal that a pod's name contains. */
export interface PodPlace {
  readonly parent: string;
  /** -1 for a number that is too large. */
  readonly ordinal: number;
}

/** Parses a pod's name; undefined if no pod of a set could have it. Example: `web-3` is pod 3 of `web`. */
export function placeOf(podName: string): PodPlace | undefined {
  const { parent, ordinal } = POD_NAME.exec(podName)?.groups ?? {};
  if (parent === undefined || ordinal === undefined) return undefined;
  const number = Number(ordinal);
  return { parent, ordinal: number > MAX_ORDINAL ? -1 : number };
}

export function podName({ name }: Pick<StatefulSetView, 'name'>, ordinal: number): string {
  return `${name}-${ordinal}`;
}

/** Whether the ordinal is within the set's range. */
export function isWanted({ start, replicas }: Pick<StatefulSetView, 'start' | 'replicas'>, ordinal: number): boolean {
  return ordinal >= start && ordinal < start + replicas;
}

/**
 * The ordinals to process: all existing ones, and the first missing ones. A set may ask for a billion pods, which
 * cannot be created in one run.
 */
export function ordinalsInSight(
  set: Pick<StatefulSetView, 'start' | 'replicas'>,
  present: { has(ordinal: number): boolean; keys(): Iterable<number> },
): readonly number[] {
  const { start, replicas } = set;
  const ordinals: number[] = [];
  let missing = 0;
  let next = start;
  for (; next < start + replicas && missing < MAX_MISSING; next++) {
    ordinals.push(next);
    if (!present.has(next)) missing += 1;
  }
  const later = [...present.keys()].filter((ordinal) => ordinal >= next && isWanted(set, ordinal));
  return [...ordinals, ...later.toSorted((left, right) => left - right)];
}
