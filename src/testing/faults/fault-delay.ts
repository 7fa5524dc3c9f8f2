import { type Duration, parseDuration } from '../../base/index.ts';

/** How long something takes, such as `5s`, or in milliseconds. */
export type FaultDelay = Duration | number;

export function millisOf(delay: FaultDelay): number {
  return typeof delay === 'number' ? delay : parseDuration(delay);
}
