import {
  checkObjectMeta,
  dns1123SubdomainProblems,
  internalForm,
  invalidValue,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
import type { Event } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { ageSince } from '../../apiserver/index.ts';
import { column, nameColumn, wide } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { type Conversion, defineKind, type Kind, type KindRules, type Whole } from '../kind.ts';
import { pathSegmentName, subdomainName } from '../name-rules.ts';
import { checkFinalizerNames } from '../object-meta.ts';

/** For core Events; `events.k8s.io` has the same. */
const coreEventColumns: readonly Column<Event>[] = [
  column('Last Seen', 'Time since it last happened', lastSeen),
  column('Type', 'Whether it is normal or a warning', ({ type }) => type ?? ''),
  column('Reason', 'What happened, in one word', ({ reason }) => reason ?? ''),
  column('Object', 'Kind and name of the object it is about', subject),
  wide('Subobject', 'Part of the object it is about', ({ involvedObject }) => involvedObject.fieldPath ?? ''),
  wide('Source', 'Who reported it', reporterText),
  column('Message', 'What happened', ({ message }) => (message ?? '').trim()),
  wide('First Seen', 'Time since it first happened', firstSeen),
  wide('Count', 'How often it happened', count),
  { ...nameColumn, priority: 1 },
];

const eventColumns: readonly Column<Event>[] = coreEventColumns.map((core) => ({
  ...core,
  value(event, context) {
    const stored = eventConversion.toStored(event as unknown as ApiObject);
    return core.value(stored as unknown as Event, context);
  },
}));

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return ageSince(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series !== undefined) return ageSince(event.series.lastObservedTime, now);
  const last: string | null | undefined = event.lastTimestamp;
  return last === undefined || last === null ? firstSeen(event, now) : ageSince(last, now);
}

/** A single event may have no count. */
function count({ series, count: counted = 0 }: Event): number {
  if (series !== undefined) return series.count ?? 0;
  return counted === 0 ? 1 : counted;
}

function subject({ involvedObject: { kind = '', name = '' } }: Event): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function reporterText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || '';
  const instance = source?.host || reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}

/** Events. One storage with two APIs: core, and events.k8s.io with clearer names. */
export function events({ eventTtlSeconds }: KindEnvironment): Kind[] {
  const both: Omit<KindRules<Event>, 'group' | 'plural'> = {
    folder: 'events',
    createOnUpdate: true,
    defaultPropagation: 'unsupported',
    ttlSeconds: () => eventTtlSeconds,
  };
  return [
    defineKind<Event>({
      ...both,
      checkName: pathSegmentName,
      metadataRules: 'general',
      changeSteps: ['object', 'change'],
      group: '',
      plural: 'events',
      columns: coreEventColumns,
      validate: checkCoreEvent,
      selectable: { ...about('involvedObject'), reportingComponent: reporter, source: sourceOf },
    }),
    defineKind<Event>({
      ...both,
      group: 'events.k8s.io',
      plural: 'events',
      columns: eventColumns,
      storedGroup: '',
      conversions: { v1: eventConversion },
      invalidAs: { group: '', resource: 'Event' },
      metadataRules: 'general',
      changeSteps: ['object', 'metadataChange', 'change'],
      ownRulesFor: OWN_RULES,
      validate: checkNewEvent,
      validateUpdate: (event) => checkAnyEvent(event, 'reportingController'),
      validateChange: checkNewEventChange,
      selectable: asCore({ ...about('regarding'), reportingController: reporter }),
    }),
  ];
}

/** The series' count, and the immutable fields. */
const OWN_RULES = [
  'series.count',
  'regarding',
  'note',
  'reason',
  'type',
  'action',
  'related',
  'eventTime',
  'reportingController',
  'reportingInstance',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'deprecatedCount',
];

type Getter = (event: Whole<Event>) => string;

function reporter(event: Whole<Event>): string {
  return event.reportingComponent ?? '';
}

function sourceOf(event: Whole<Event>): string {
  return (event.source?.component ?? '') === '' ? reporter(event) : (event.source?.component ?? '');
}

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

function about(prefix: string): Record<string, Getter> {
  return {
    ...Object.fromEntries(
      REFERENCE.map((name): [string, Getter] => [`${prefix}.${name}`, (event) => event.involvedObject[name] ?? '']),
    ),
    reason: (event) => event.reason ?? '',
    type: (event) => event.type ?? '',
  };
}

/** Selectors use objects in the served version. */
function asCore(getters: Readonly<Record<string, Getter>>): Record<string, Getter> {
  return Object.fromEntries(
    Object.entries(getters).map(([name, get]): [string, Getter] => [
      name,
      (event) => get(eventConversion.toStored(event as never) as never),
    ]),
  );
}

type AnyEvent = Whole<Event>;

const MISMATCH = 'does not match event.namespace';

/** Whether a time is set; an absent one is null in JSON. */
function isSet(time: string | null | undefined): boolean {
  return time !== undefined && time !== null && time !== '';
}

/** Events of the core API: lenient towards older clients. */
function checkCoreEvent(event: AnyEvent): FieldError[] {
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

/** Events of events.k8s.io: the new fields are required, the deprecated ones forbidden. */
function checkNewEvent(event: AnyEvent): FieldError[] {
  const errors = [
    ...checkAnyEvent(event, 'reportingController'),
    ...checkObjectMeta(event.metadata, { namespaced: true, checkName: subdomainName }),
    ...checkFinalizerNames(event.metadata),
    ...checkSeries(event),
  ];
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
  ['reason', 'reason'], // a second time, as upstream
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

const TYPES: Readonly<Record<string, string>> = {
  involvedObject: 'core.v1.ObjectReference',
  related: 'core.v1.ObjectReference',
  source: 'core.v1.EventSource',
};

const TEXTS = new Set(['reason', 'message', 'type', 'action', 'reportingComponent', 'reportingInstance']);

function shownMember(name: string, value: unknown): unknown {
  const type = TYPES[name];
  if (TEXTS.has(name)) return value ?? '';
  if (name === 'count') return value ?? 0;
  if (type === undefined || (value === undefined && name === 'related')) return value ?? null;
  return internalForm(value, type);
}

/** Only the series may change. */
function checkNewEventChange(event: AnyEvent, old: AnyEvent): FieldError[] {
  return [
    ...(deepEqual(event.series, old.series) ? [] : checkSeries(event)),
    ...FIXED.flatMap(([member, field]) =>
      deepEqual(event[member], old[member])
        ? []
        : [invalidValue(field, shownMember(member, event[member]), 'field is immutable')],
    ),
  ];
}

/** The fields that events.k8s.io/v1 names differently from a core Event. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** Converts between events.k8s.io/v1 and the stored core Event, which only differ in names. */
const eventConversion: Conversion = {
  toStored: (event) => renamed(event, new Map(NAMES.map(([core, events]) => [events, core]))),
  fromStored: (event) => renamed(event, new Map(NAMES)),
};

function renamed(event: ApiObject, names: ReadonlyMap<string, string>): ApiObject {
  const entries = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]);
  return Object.fromEntries(entries);
}
