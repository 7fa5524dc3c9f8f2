import { encodeJson } from '../../api/index.ts';
import { quoteGo } from '../../api/values/index.ts';
import type { AuditLevel, AuditStage } from './audit-policy.ts';

/** JSON text that is written into an event unchanged. */
export interface RawJson {
  readonly json: string;
}

/** One event of `audit.k8s.io/v1`, with its members in the order in which they are written; times are milliseconds since 1970. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: ResponseStatus;
  readonly requestObject?: RawJson;
  readonly responseObject?: RawJson;
  readonly requestReceivedTimestamp: number;
  readonly stageTimestamp: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface ObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The members of a Status that events contain; members of unbounded size are left out. */
export interface ResponseStatus {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: unknown;
  readonly code: number;
}

/** The JSON of a single event. */
export function eventJson(event: AuditEvent): string {
  return `{"kind":"Event","apiVersion":"audit.k8s.io/v1",${members(event)}}`;
}

/** The JSON of an EventList. */
export function eventListJson(events: readonly AuditEvent[]): string {
  const items = events.map((event) => `{${members(event)}}`);
  return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}`;
}

function members(event: AuditEvent): string {
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations, ...head } = event;
  const { responseStatus, ...rest } = head;
  const status = responseStatus === undefined ? {} : { responseStatus: { metadata: {}, ...responseStatus } };
  const parts = [encodeJson({ ...rest, ...status }).slice(1, -1)];
  if (requestObject !== undefined) parts.push(`"requestObject":${requestObject.json}`);
  if (responseObject !== undefined) parts.push(`"responseObject":${responseObject.json}`);
  parts.push(`"requestReceivedTimestamp":"${microTime(requestReceivedTimestamp)}"`);
  parts.push(`"stageTimestamp":"${microTime(stageTimestamp)}"`);
  if (annotations !== undefined) parts.push(`"annotations":${encodeJson(annotations)}`);
  return parts.join(',');
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The legacy format: one line of text. */
export function eventLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs = [] } = event;
  const quotedList = (items: readonly string[]): string => items.map(quoteGo).join(',');
  const { groups = [] } = user;
  const hasName = (user.username ?? '') !== '';
  const fields: Readonly<Record<string, string>> = {
    id: event.auditID,
    stage: event.stage,
    ip: sourceIPs[0] ?? '<unknown>',
    method: event.verb,
    user: hasName ? (user.username ?? '') : '<none>',
    groups: hasName && groups.length > 0 ? quotedList(groups) : '<none>',
    as: impersonatedUser === undefined ? '<self>' : (impersonatedUser.username ?? ''),
    asgroups: impersonatedUser?.groups === undefined ? '<lookup>' : quotedList(impersonatedUser.groups),
    'user-agent': event.userAgent ?? '',
    namespace: objectRef?.namespace ?? '<none>',
    uri: event.requestURI,
    response: responseStatus === undefined ? '<deferred>' : String(responseStatus.code),
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}=${quoteGo(value)}`);
  return `${nanoTime(event.requestReceivedTimestamp)} AUDIT: ${text.join(' ')}`;
}

/** Without trailing zeros, as Go writes it. */
function nanoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}
