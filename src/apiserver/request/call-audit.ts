import type { ApiObject, Status } from '../../api/index.ts';

/** How much of a request its audit event tells, least first. */
export type AuditDetail = 'Metadata' | 'Request' | 'RequestResponse';

/** JSON of an answer, in pieces that are made when they are taken; undefined when nothing is answered that could be told. */
export type AnswerText = (options: { readonly omitManagedFields: boolean }) => Iterable<Uint8Array> | undefined;

/** Whoever writes down what becomes of one request. */
export interface CallAudit {
  /** The client has sent this object, which is as it was decoded; `text` is its JSON. */
  sent(object: Partial<ApiObject>, text: (object: Partial<ApiObject>) => string): void;
  /** The client has sent this patch. */
  sentPatch(body: Uint8Array): void;
  /** This is what the client is answered; what it is told last counts. */
  answered(status: Status | undefined, text: AnswerText): void;
}
