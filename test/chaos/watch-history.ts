/** One event of a watch, by what makes it one of a kind. */
export interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
}

/** What one watch saw between two lists: everything after `from`, up to its last event or `upTo`. */
export interface WatchStretch {
  readonly from: number;
  /** The watch is known to have come so far, also if there were no events. */
  upTo: number;
  readonly events: SeenEvent[];
}

/** What is wrong with a stretch, in words; nothing when it has each event of the reference once and in order. */
export function checkStretch(stretch: WatchStretch, reference: readonly SeenEvent[]): string[] {
  const { from, upTo, events } = stretch;
  const end = events.reduce((last, { revision }) => Math.max(last, revision), upTo);
  const expected = reference.filter(({ revision }) => revision > from && revision <= end);
  const problems: string[] = [];
  const counts = new Map<string, number>();
  for (const event of events) counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
  for (const event of expected) if (!counts.has(keyOf(event))) problems.push(`lost: ${keyOf(event)}`);
  const known = new Set(expected.map(keyOf));
  for (const [key, count] of counts) {
    if (count > 1) problems.push(`repeated ${count} times: ${key}`);
    if (!known.has(key)) problems.push(`never happened: ${key}`);
  }
  for (const [index, event] of events.entries())
    if (index > 0 && event.revision <= (events[index - 1]?.revision ?? 0))
      problems.push(`out of order: ${keyOf(event)}`);
  return problems;
}

function keyOf({ type, name, revision }: SeenEvent): string {
  return `${type} ${name} at ${revision}`;
}
