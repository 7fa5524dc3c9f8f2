import { type ApiObject, qualifiedNameProblems, type Status } from '../../api/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { RequestTrace } from '../trace/request-trace.ts';

/** What is recorded about one request: for its audit event, its trace, its metrics and the headers of its answer. */
export interface RequestRecord {
  /** When the request arrived, in the clock's milliseconds. */
  readonly receivedAt: number;
  /** The client's ID for this request in audit logs, or a generated one. Returned in the `Audit-Id` header. */
  readonly auditId: string;
  /** Where the request's steps are recorded; undefined when it is not traced. */
  trace: RequestTrace | undefined;
  /** Set by the audit stage; undefined for a request that the audit policy leaves out. */
  audit: RequestAudit | undefined;
  /** Texts for `Warning` headers, in order and without repeats. */
  readonly warnings: Warnings;
  /** For the audit event of the request. */
  readonly annotations: AuditAnnotations;
  /** Calls the listener once, when the answer has been sent or was cut off; at once if that is past. */
  onFinish(listener: (sent: SentAnswer) => void): void;
  /** `onFinish` as a promise. */
  readonly finished: Promise<SentAnswer>;
  /** Calls the listener once, when the server's work is over: the answer was sent, was cut off, or waits for its client to read. */
  onServed(listener: () => void): void;
  /** Says that the server's work is over before the answer ends, as when a watch has delivered its initial events. */
  served(): void;
}

/** How one answer ended. */
export interface SentAnswer {
  /** 0 when the client left before there was an answer. */
  readonly code: number;
  /** Bytes of the body that were handed over for sending, after compression; 0 for a client in the same process. */
  readonly bytes: number;
  /** 'cut' when the client left before the end, was too slow, or the server gave up. */
  readonly outcome: 'complete' | 'cut';
}

/** How much of a request its audit event includes, least first. */
export type AuditDetail = 'Metadata' | 'Request' | 'RequestResponse';

/** JSON of an answer, in pieces that are encoded when they are taken; undefined for an answer without a JSON form. */
export type AnswerText = (options: { readonly omitManagedFields: boolean }) => Iterable<Uint8Array> | undefined;

/** Collects bodies for the audit event of one request. */
export interface RequestAudit {
  /** The client sent this object, given as it was decoded; `text` encodes it as JSON. */
  sent(object: Partial<ApiObject>, text: (object: Partial<ApiObject>) => string): void;
  /** The client sent this patch. */
  sentPatch(body: Uint8Array): void;
  /** The client is answered this; the last call counts. */
  answered(status: Status | undefined, text: AnswerText): void;
}

const NO_WARNINGS: readonly string[] = [];

/** Collects warnings, each text once; the writer of the answer decides how many fit. */
export class Warnings {
  #texts: Set<string> | undefined;

  add(text: string): void {
    (this.#texts ??= new Set()).add(text);
  }

  get texts(): readonly string[] {
    return this.#texts === undefined ? NO_WARNINGS : [...this.#texts];
  }
}

/** Annotations that plugins add to a request's audit event, each key once. */
export class AuditAnnotations {
  readonly #values = new Map<string, string>();
  /** Keys that only events with request bodies include. */
  readonly #detailed = new Set<string>();

  /** Keys are like labels', with a prefix: `podsecurity.admission.k8s.io/audit`. Events with less detail leave it out. */
  add(key: string, value: string, detail: AuditDetail = 'Metadata'): void {
    const [problem] = key.includes('/') ? qualifiedNameProblems(key) : ['it has no prefix'];
    if (problem !== undefined) throw new Error(`Cannot add audit annotation "${key}": ${problem}`);
    if (this.#values.has(key)) return;
    this.#values.set(key, value);
    if (detail !== 'Metadata') this.#detailed.add(key);
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** The annotations that an event of this detail includes, sorted by key. */
  for(detail: AuditDetail): Readonly<Record<string, string>> {
    const included = [...this.#values].filter(([key]) => detail !== 'Metadata' || !this.#detailed.has(key));
    return Object.fromEntries(included.sort(([left], [right]) => compareUtf8(left, right)));
  }
}
