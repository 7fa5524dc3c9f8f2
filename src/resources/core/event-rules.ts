import { dns1123SubdomainProblems, invalidValue, qualifiedNameProblems, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Event } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';

type AnyEvent = Whole<Event>;

const MISMATCH = 'does not match event.namespace';

/** Whether a time was given; an absent one reads as null in JSON. */
function isSet(time: string | null | undefined): boolean {
  return time !== undefined && time !== null && time !== '';
}

/** Events of the core API: what older clients send is let through. */
export function checkCoreEvent(event: AnyEvent): FieldError[] {
  return checkAnyEvent(event, 'reportingComponent');
}

function checkAnyEvent(event: AnyEvent, reporterField: string): FieldError[] {
  const { namespace = '' } = event.metadata;
  return [
    ...(isSet(event.eventTime) ? checkTimed(event, reporterField) : checkPlain(event)),
    ...dns1123SubdomainProblems(namespace).map((problem) => invalidValue('namespace', namespace, problem)),
  ];
}

function checkPlain(event: AnyEvent): FieldError[] {
  const { namespace = '' } = event.metadata;
  const about = event.involvedObject.namespace ?? '';
  const fits = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  return fits ? [] : [invalidValue('involvedObject.namespace', about, MISMATCH)];
}

const MAX_REPORTER = 128;
const MAX_NOTE = 1024;

function checkTimed(event: AnyEvent, reporterField: string): FieldError[] {
  const { namespace = '' } = event.metadata;
  const { reportingComponent: reporter = '', reportingInstance = '', action = '', reason = '', message = '' } = event;
  const errors: FieldError[] = [];
  if ((event.involvedObject.namespace ?? '') === '' && namespace !== 'default' && namespace !== 'kube-system') {
    errors.push(invalidValue('involvedObject.namespace', '', MISMATCH));
  }
  if (reporter === '') errors.push(required(reporterField));
  for (const problem of qualifiedNameProblems(reporter)) errors.push(invalidValue(reporterField, reporter, problem));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === '') errors.push(required(field));
    if (Buffer.byteLength(text) > MAX_REPORTER) {
      errors.push(invalidValue(field, '', `can have at most ${MAX_REPORTER} characters`));
    }
  }
  if (Buffer.byteLength(message) > MAX_NOTE) {
    errors.push(invalidValue('message', '', `can have at most ${MAX_NOTE} characters`));
  }
  return errors;
}

/** Events of events.k8s.io: the new fields are all needed, the old ones are not to be used. */
export function checkNewEvent(event: AnyEvent): FieldError[] {
  const errors = [...checkAnyEvent(event, 'reportingController'), ...checkSeries(event)];
  if (!isSet(event.eventTime)) errors.push(required('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalidValue('type', '', `has invalid value: ${event.type ?? ''}`));
  }
  const unset = 'needs to be unset';
  if (isSet(event.firstTimestamp)) errors.push(invalidValue('firstTimestamp', '', unset));
  if (isSet(event.lastTimestamp)) errors.push(invalidValue('lastTimestamp', '', unset));
  if ((event.count ?? 0) !== 0) errors.push(invalidValue('count', '', unset));
  if ((event.source?.component ?? '') !== '' || (event.source?.host ?? '') !== '') {
    errors.push(invalidValue('source', '', unset));
  }
  return errors;
}

function checkSeries({ series }: AnyEvent): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(isSet(series.lastObservedTime) ? [] : [required('series.lastObservedTime')]),
  ];
}

const FIXED: readonly (readonly [member: keyof Event, field: string])[] = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

/** Only how often it happened may be said later. */
export function checkNewEventUpdate(event: AnyEvent, old: AnyEvent): FieldError[] {
  return [
    ...checkAnyEvent(event, 'reportingController'),
    ...(deepEqual(event.series, old.series) ? [] : checkSeries(event)),
    ...FIXED.flatMap(([member, field]) =>
      deepEqual(event[member], old[member]) ? [] : [invalidValue(field, event[member] ?? null, 'field is immutable')],
    ),
  ];
}
