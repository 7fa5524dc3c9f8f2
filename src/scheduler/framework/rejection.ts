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
