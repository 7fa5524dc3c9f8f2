import type { Event } from '../../../api/types/core/v1.d.ts';
import type { Observed } from '../../../client/index.ts';
import type { Masking } from './masking.ts';

const COMBINED = '(combined from similar events): ';

/** Events as sorted lines, without the counts of warnings, which depend on the number of attempts. */
export function eventLines(events: readonly Observed<Event>[], masking: Masking): readonly string[] {
  const lines = new Map<string, number>();
  for (const { involvedObject, type, reason, message, source, reportingComponent, count } of events) {
    const about = `${involvedObject.kind} ${involvedObject.name}`;
    const isWarning = type === 'Warning';
    const text = (message ?? '').replace(COMBINED, '');
    const times = isWarning ? '' : ` x${count ?? 1}`;
    const from = `${source?.component}/${reportingComponent}`;
    const line = masking.text(`${about}: ${type} ${reason} from ${from}${times}: ${text}`);
    lines.set(line, isWarning ? 1 : (lines.get(line) ?? 0) + 1);
  }
  return [...lines].map(([line, number]) => `${number} of ${line}`).toSorted();
}
