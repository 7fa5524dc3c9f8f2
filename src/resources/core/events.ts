import type { Event } from '../../api/types/core/v1.d.ts';
import { coreEventColumns, eventColumns } from '../columns/event-columns.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type KindRules, type Whole } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { checkCoreEvent, checkNewEvent, checkNewEventUpdate } from './event-rules.ts';
import { eventConversion } from './event-conversion.ts';

/** What happened to an object. One store under two names: core events, and events.k8s.io with better ones. */
export function events({ eventTtlSeconds }: KindEnvironment): Kind[] {
  const both: Omit<KindRules<Event>, 'group' | 'plural'> = {
    folder: 'events',
    createOnUpdate: true,
    defaultPropagation: 'unsupported',
    checkName: pathSegmentName,
    ttlSeconds: () => eventTtlSeconds,
  };
  return [
    defineKind<Event>({
      ...both,
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
      judges: IMMUTABLE,
      validate: checkNewEvent,
      validateUpdate: checkNewEventUpdate,
      selectable: asCore({ ...about('regarding'), reportingController: reporter }),
    }),
  ];
}

/** Immutable in the words of the core kind. */
const IMMUTABLE = [
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

/** Selectors see objects in the served version. */
function asCore(getters: Readonly<Record<string, Getter>>): Record<string, Getter> {
  return Object.fromEntries(
    Object.entries(getters).map(([name, get]): [string, Getter] => [
      name,
      (event) => get(eventConversion.toStored(event as never) as never),
    ]),
  );
}
