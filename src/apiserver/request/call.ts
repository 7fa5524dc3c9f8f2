import { type JsonCopy, qualifiedNameProblems } from '../../api/index.ts';
import type { RequestTrace } from '../trace/request-trace.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { AuditDetail, CallAudit } from './call-audit.ts';
import type { Query } from './query.ts';
import type { RequestInfo } from './request-info.ts';

/**
 * One request on its way through the stages, whatever brought it: HTTP/1.1, HTTP/2 or a client in the same process.
 * Stages fill in what they find out; the verbs read it.
 */
export interface Call {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly requestUri: string;
  readonly path: string;
  readonly query: Query;
  /** By lower-case name; repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** All values of a header that may be repeated. */
  headers(name: string): readonly string[];
  /** The lower-case names of all headers, each once. */
  headerNames(): readonly string[];
  /** Whether there is a header whose lower-case name passes the test; makes no list of names. */
  hasHeader(test: (name: string) => boolean): boolean;
  /** For stages: the header has these values from here on, or is not there when there are none. */
  replaceHeader(name: string, values: readonly string[]): void;
  /** From now on, headers with such names are not there, unless they have been replaced or will be. */
  hideHeaders(isHidden: (name: string) => boolean): void;
  /** Who the client's certificate says it is; 'invalid' when one was shown that our CA did not issue. */
  readonly certificate: ClientCertificate | 'invalid' | undefined;
  /** The client's certificate when an authority for front proxies vouches for it, whoever else does. */
  readonly proxyCertificate: ClientCertificate | undefined;
  readonly remoteAddress: string;
  /** Aborts when the client goes away, the deadline passes or the server stops. */
  readonly signal: AbortSignal;
  /** What JSON in the body says, where a client in the same process has sent no bytes: whoever works with it takes it over. */
  readonly value?: JsonCopy | undefined;
  /** Reads the whole body; throws a Status of 413 when it is longer than `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  /**
   * The body as it comes, of any length: what is not read yet waits with the client. Once, in place of `body`, and not after
   * the answer has been sent. Throws a Status of 400 when the client breaks off.
   */
  bodyStream(): AsyncIterable<Uint8Array>;
  /** The client asks to go on with another protocol, and may: an answer of type 'upgrade' can be given. */
  readonly isUpgrade: boolean;
  /** What the client calls this request in audit logs, or an ID made for it. Goes back in the `Audit-Id` header. */
  readonly auditId: string;
  /** Set by a client in the same process: answers are handed over as they are, not encoded. */
  takesObjects: boolean;
  /** Set once the body is read: it takes long enough to work on that others need their turns in between. */
  isLarge: boolean;
  /** The connection of a call that came over the network, for those who make it fail on purpose. */
  readonly wire: CallWire | undefined;
  /** Tells, once, when the answer has been sent or was cut off; at once when it has been already. */
  onFinish(listener: (sent: SentAnswer) => void): void;
  /** Tells, once, when the server has done its part: the answer has been sent or was cut off, or waits for its client to read. */
  onServed(listener: () => void): void;
  /** The server has done its part: for verbs that know it before the answer ends, as a watch that has told what is there. */
  served(): void;
  /** Headers that whatever is answered carries; set by stages. */
  commonHeaders: Readonly<Record<string, string>> | undefined;
  /** `onFinish` as a promise. */
  readonly finished: Promise<SentAnswer>;
  /** When the request arrived, in the clock's milliseconds. */
  readonly receivedAt: number;
  readonly info: RequestInfo;
  user: UserInfo;
  /** Who sent the request when `user` is somebody whom they impersonate. */
  impersonation: Impersonation | undefined;
  /** Where steps are noted; undefined for requests that are not traced. */
  trace: RequestTrace | undefined;
  /** Texts for `Warning` headers, in order and without repeats. */
  readonly warnings: Warnings;
  /** For the audit event of the request. */
  readonly annotations: AuditAnnotations;
  /** Set by the stage that audits; undefined for a request that nobody wants to know of. */
  audit: CallAudit | undefined;
}

/** What can be done to the connection of a call. */
export interface CallWire {
  /** Breaks it: the client sees that its answer is not whole, or that none comes. */
  cut(why: string): void;
  /** Has whoever works on the call stop; what is answered is still sent. */
  stopWork(): void;
}

/** Who acts as somebody else, for the audit log. */
export interface Impersonation {
  readonly requestor: UserInfo;
  /** The verb by which it was allowed, such as `impersonate:user-info`; empty for plain `impersonate`. */
  readonly constraint: string;
}

/** What became of one answer. */
export interface SentAnswer {
  /** 0 when the client left before there was an answer. */
  readonly code: number;
  /** Bytes of the body that were handed over for sending, after compression; 0 for a client in the same process. */
  readonly bytes: number;
  /** 'cut' when the client left before the end, was too slow, or the server gave up. */
  readonly outcome: 'complete' | 'cut';
}

export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Of the certificate as it was sent, in lower-case hexadecimal digits. */
  readonly sha256?: string;
  /** When it is valid no more, in milliseconds since 1970. */
  readonly endsMs?: number;
}

const NO_WARNINGS: readonly string[] = [];

/** Collects warnings, each text once; how much of them fits into an answer is decided when it is written. */
export class Warnings {
  #texts: Set<string> | undefined;

  add(text: string): void {
    (this.#texts ??= new Set()).add(text);
  }

  get texts(): readonly string[] {
    return this.#texts === undefined ? NO_WARNINGS : [...this.#texts];
  }
}

/** What plugins have to say about a request in its audit event, each key once. */
export class AuditAnnotations {
  readonly #values = new Map<string, string>();
  /** Keys of what only events tell that tell what was sent, too. */
  readonly #detailed = new Set<string>();

  /** Keys are like labels': `podsecurity.admission.k8s.io/audit`, with a prefix. Events with less detail leave it out. */
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

  /** By name, in its order. */
  for(detail: AuditDetail): Readonly<Record<string, string>> {
    const told = [...this.#values].filter(([key]) => detail !== 'Metadata' || !this.#detailed.has(key));
    return Object.fromEntries(told.sort(([left], [right]) => compareUtf8(left, right)));
  }
}

/** The user who sends a request, as authentication found out. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
