import type { Interception } from './explored-process.ts';
import type { PlannedFault } from './plan.ts';

/** What a run does at a moment besides failing or killing. */
export interface RunActs {
  /** Begins the next step; absent at the last one. */
  readonly begin?: () => Promise<void>;
  /** Resolves when the process goes on that stands still. */
  pause(): Promise<void>;
}

/** What a fault does to the request or call that it waits for; undefined if nothing. */
export function interceptionOf(fault: PlannedFault, { begin, pause }: RunActs): Interception | undefined {
  switch (fault.type) {
    case 'crash':
      return { type: 'kill', when: fault.when };
    case 'error':
      return { type: 'fail', error: fault.error, effect: fault.effect };
    case 'early':
      return begin === undefined ? undefined : { type: 'meanwhile', act: begin };
    case 'takeover':
      return { type: 'pause', until: pause() };
    default:
      return undefined;
  }
}
