import type { ApiObject } from '../../api/index.ts';
import type { Event } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { eventConversion } from '../core/event-conversion.ts';
import { ageSince } from './age.ts';
import { column, nameColumn } from './column.ts';

/** Of a core Event; `events.k8s.io` shows the same. */
export const coreEventColumns: readonly Column[] = [
  column<Event>('Last Seen', lastSeen, { description: 'Time since it last happened' }),
  column<Event>('Type', ({ type }) => type ?? '', { description: 'Whether it is normal or a warning' }),
  column<Event>('Reason', ({ reason }) => reason ?? '', { description: 'What happened, in one word' }),
  column<Event>('Object', subject, { description: 'Kind and name of the object it is about' }),
  column<Event>('Subobject', ({ involvedObject }) => involvedObject.fieldPath ?? '', {
    isWide: true,
    description: 'Part of the object it is about',
  }),
  column<Event>('Source', reporter, { isWide: true, description: 'Who reported it' }),
  column<Event>('Message', ({ message }) => (message ?? '').trim(), { description: 'What happened' }),
  column<Event>('First Seen', firstSeen, { isWide: true, description: 'Time since it first happened' }),
  column<Event>('Count', count, { isWide: true, description: 'How often it happened' }),
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
