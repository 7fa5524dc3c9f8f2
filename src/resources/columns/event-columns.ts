import type { ApiObject } from '../../api/index.ts';
import type { Event } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { eventConversion } from '../core/event-conversion.ts';
import { ageSince } from './age.ts';
import { column, nameColumn, wide } from './column.ts';

/** Of a core Event; `events.k8s.io` shows the same. */
export const coreEventColumns: readonly Column[] = [
  column<Event>('Last Seen', 'Time since it last happened', lastSeen),
  column<Event>('Type', 'Whether it is normal or a warning', ({ type }) => type ?? ''),
  column<Event>('Reason', 'What happened, in one word', ({ reason }) => reason ?? ''),
  column<Event>('Object', 'Kind and name of the object it is about', subject),
  wide<Event>('Subobject', 'Part of the object it is about', ({ involvedObject }) => involvedObject.fieldPath ?? ''),
  wide<Event>('Source', 'Who reported it', reporter),
  column<Event>('Message', 'What happened', ({ message }) => (message ?? '').trim()),
  wide<Event>('First Seen', 'Time since it first happened', firstSeen),
  wide<Event>('Count', 'How often it happened', count),
  { ...nameColumn, priority: 1 },
];

export const eventColumns: readonly Column[] = coreEventColumns.map((core) => ({
  ...core,
  value: (object: ApiObject, context) => core.value(eventConversion.toStored(object), context),
}));

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return ageSince(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series !== undefined) return ageSince(event.series.lastObservedTime, now);
  const last: string | null | undefined = event.lastTimestamp;
  return last === undefined || last === null ? firstSeen(event, now) : ageSince(last, now);
}

/** An event that happened once may not count at all. */
function count({ series, count: counted = 0 }: Event): number {
  if (series !== undefined) return series.count ?? 0;
  return counted === 0 ? 1 : counted;
}

function subject({ involvedObject: { kind = '', name = '' } }: Event): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function reporter({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || '';
  const instance = source?.host || reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}
