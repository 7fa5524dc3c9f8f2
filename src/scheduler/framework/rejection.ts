/**
 * Why a plugin rejects a pod. Returning none means that the pod passes; faults are thrown.
 *
 * - `Unschedulable`: not now; it might fit if other pods were removed.
 * - `UnschedulableAndUnresolvable`: not now, and removing other pods would not help.
 * - `Pending`: it waits for an external component that was asked to act; no back-off when that happens.
 */
export interface Rejection {
  readonly code: 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Pending';
  /** The plugin's name. */
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** The extender's name, if an extender rejected the pod. */
  readonly extender?: string;
}

/** Rejects a node for a pod, as long as other pods remain on it. */
export function unschedulable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { code: 'Unschedulable', plugin, reasons };
}

/** Rejects a node for a pod, also after other pods would have been removed from it. */
export function unresolvable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { code: 'UnschedulableAndUnresolvable', plugin, reasons };
}

/** Throws for an answer that is not a rejection: plugins written in JavaScript may return anything. */
export function checkRejection(answer: Rejection, plugin: string): Rejection {
  if (Array.isArray(answer?.reasons)) return answer;
  const got = answer instanceof Promise ? 'a promise' : (JSON.stringify(answer) ?? String(answer));
  throw new TypeError(
    `it must return nothing, or a rejection such as unschedulable('${plugin}', 'reason'); got ${got}`,
  );
}
