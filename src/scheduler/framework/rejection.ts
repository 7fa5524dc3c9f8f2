/**
 * Why a plugin does not let a pod pass. Answers without one mean that it does; faults are thrown.
 *
 * - `Unschedulable`: not now; it might fit if other pods went away.
 * - `UnschedulableAndUnresolvable`: not now, and the absence of other pods would not help.
 * - `Pending`: it waits for something outside of the scheduler that has been asked for; no back-off when that comes.
 */
export interface Rejection {
  readonly code: 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Pending';
  /** The plugin's name. */
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** The extender's name, when it is one that says so. */
  readonly extender?: string;
}

export function unschedulable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { code: 'Unschedulable', plugin, reasons };
}

export function unresolvable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { code: 'UnschedulableAndUnresolvable', plugin, reasons };
}

/** Fails for an answer that is no rejection: plugins written in JavaScript may return anything. */
export function checkRejection(answer: Rejection, plugin: string): Rejection {
  if (Array.isArray(answer?.reasons)) return answer;
  const got = answer instanceof Promise ? 'a promise' : (JSON.stringify(answer) ?? String(answer));
  throw new TypeError(
    `it must return nothing, or a rejection such as unschedulable('${plugin}', 'reason'); got ${got}`,
  );
}
