import type { PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';

/** What a level does with requests for which it has no seats. */
export interface LevelMode {
  readonly type: 'exempt' | 'reject' | 'queue';
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
  /** Max concurrent seats of an exempt level. */
  readonly ceiling: number;
}

/** The mode that the spec asks for; undefined when its parts contradict each other. */
export function modeOf({ metadata, spec }: PriorityLevelConfiguration, ceiling: number): LevelMode | undefined {
  const none = { queues: 1, handSize: 1, queueLengthLimit: ceiling, ceiling };
  const isExempt = spec?.type === 'Exempt';
  if (isExempt !== (metadata?.name === 'exempt') || isExempt !== (spec?.exempt !== undefined)) return undefined;
  if (isExempt) return spec?.limited === undefined ? { ...none, type: 'exempt' } : undefined;
  const response = spec?.limited?.limitResponse;
  if (response?.type === 'Reject') return response.queuing === undefined ? { ...none, type: 'reject' } : undefined;
  if (response?.type !== 'Queue' || response.queuing === undefined) return undefined;
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = response.queuing;
  return handSize < 1 || handSize > queues ? undefined : { type: 'queue', queues, handSize, queueLengthLimit, ceiling };
}
