import { type FieldError, forbiddenField, notSupported } from '../field-error.ts';
import { badRequest, invalid } from '../status.ts';
import {
  type FieldMatcher,
  type LabelMatcher,
  parseFieldSelector,
  parseLabelSelector,
  ValueError,
} from '../values/index.ts';
import { booleanParameter, integerParameter, type Query } from './query.ts';

/** The options of list, watch and deletecollection, checked. */
export interface ListOptions {
  readonly labelSelector: LabelMatcher;
  readonly fieldSelector: FieldMatcher;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Parses and checks list options; `isWatch` decides which rules apply. */
export function listOptions(query: Query, isWatch: boolean): ListOptions {
  const sendInitialEvents = query.has('sendInitialEvents') ? booleanParameter(query, 'sendInitialEvents') : undefined;
  const resourceVersion = query.get('resourceVersion');
  const resourceVersionMatch = query.get('resourceVersionMatch');
  const continueToken = query.get('continue');
  const raw = { resourceVersion, resourceVersionMatch, continueToken, sendInitialEvents };
  const errors = isWatch ? watchErrors(raw) : listErrors(raw);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', resource: 'ListOptions' }, '', errors);
  return {
    labelSelector: selector(query.get('labelSelector'), parseLabelSelector),
    fieldSelector: selector(query.get('fieldSelector'), parseFieldSelector),
    limit: integerParameter(query, 'limit') ?? 0,
    continueToken,
    resourceVersion,
    resourceVersionMatch: resourceVersionMatch as ListOptions['resourceVersionMatch'],
    timeoutSeconds: integerParameter(query, 'timeoutSeconds'),
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks'),
    sendInitialEvents,
  };
}

interface RawOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

function selector<T>(text: string, parse: (text: string) => T | ValueError): T {
  const parsed = parse(text);
  if (parsed instanceof ValueError) throw badRequest(parsed.message, { cause: parsed });
  return parsed;
}

const MATCH = 'resourceVersionMatch';

function listErrors(raw: RawOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = raw.resourceVersionMatch;
  if (match !== '') {
    if (raw.resourceVersion === '') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (raw.continueToken !== '') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && raw.resourceVersion === '0') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (raw.sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(raw: RawOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = raw.resourceVersionMatch;
  if (raw.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (raw.sendInitialEvents === undefined) {
      errors.push(
        forbiddenField(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (raw.continueToken !== '') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return errors;
}
