import type { Plugin } from '../framework/plugin.ts';

/** QueueSort: higher priority first; among equals the pod that has waited longer. */
export function prioritySort(): Plugin {
  return {
    name: 'PrioritySort',
    queueSort(first, second) {
      const difference = first.pod.priority - second.pod.priority;
      return difference > 0 || (difference === 0 && first.timestampMs < second.timestampMs);
    },
  };
}
