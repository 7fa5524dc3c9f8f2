import { booleanParameter, type JsonCopy, Query } from '../../api/index.ts';
import { onAbort, type UidSource } from '../../base/index.ts';
import type { Call, CallWire } from '../request/call.ts';
import type { ClientCertificate, IncomingRequest, RequestHeaders, RequestOrigin } from '../request/incoming-request.ts';
import { ANONYMOUS, type Impersonation, type Principal, type UserInfo } from '../request/principal.ts';
import {
  AuditAnnotations,
  type RequestAudit,
  type RequestRecord,
  type SentAnswer,
  Warnings,
} from '../request/request-record.ts';
import type { RequestTrace } from '../trace/request-trace.ts';
import { type QueryHints, requestInfo, type RequestInfo } from '../request/request-info.ts';

/** The source of a call: a request as its protocol delivers it. */
export interface CallSource extends RequestHeaders, RequestOrigin {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The body's JSON value, when a client in the same process sent no bytes. */
  readonly value?: JsonCopy | undefined;
  /** Reads the body, once. */
  body(limit: number): Promise<Uint8Array>;
  bodyStream(): AsyncIterable<Uint8Array>;
  readonly isUpgrade: boolean;
}

const NO_HINTS: QueryHints = { isWatch: false, nameFromField: '' };

/**
 * A call that computes each property on first use: most requests need few of them. It is its own request, principal and record: one object
 * per request, with three interfaces.
 */
export class LazyCall implements Call, IncomingRequest, Principal, RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly queryText: string;
  readonly receivedAt: number;
  user: UserInfo = ANONYMOUS;
  impersonation: Impersonation | undefined;
  trace: RequestTrace | undefined;
  audit: RequestAudit | undefined;
  takesObjects = false;
  isLarge = false;
  wire: CallWire | undefined;
  commonHeaders: Readonly<Record<string, string>> | undefined;
  readonly #source: CallSource;
  readonly #uids: UidSource | undefined;
  #auditId: string | undefined;
  #sent: SentAnswer | undefined;
  /** The first listener is kept outside the list, because most calls have only one. */
  #onFinish: ((sent: SentAnswer) => void) | undefined;
  #moreOnFinish: ((sent: SentAnswer) => void)[] | undefined;
  #onServed: (() => void) | undefined;
  #isServed = false;
  #followed: AbortSignal | undefined;
  #replaced: Map<string, readonly string[]> | undefined;
  #isHidden: ((name: string) => boolean) | undefined;
  #query: Query | undefined;
  #info: RequestInfo | undefined;
  #warnings: Warnings | undefined;
  #annotations: AuditAnnotations | undefined;
  #body: Promise<Uint8Array> | 'streamed' | undefined;
  #controller: AbortController | undefined;
  #abortedBecause: string | undefined;

  /** Without `uids`, calls whose client sent no audit ID have none. */
  constructor(source: CallSource, receivedAt: number, uids?: UidSource) {
    const { target } = source;
    const mark = target.indexOf('?');
    this.#source = source;
    this.#uids = uids;
    this.method = source.method;
    this.path = decodedPath(mark === -1 ? target : target.slice(0, mark));
    this.queryText = mark === -1 ? '' : target.slice(mark + 1);
    this.receivedAt = receivedAt;
  }

  get request(): IncomingRequest {
    return this;
  }

  get principal(): Principal {
    return this;
  }

  get record(): RequestRecord {
    return this;
  }

  get uri(): string {
    return this.#source.target;
  }

  get query(): Query {
    return (this.#query ??= new Query(this.queryText));
  }

  get info(): RequestInfo {
    return (this.#info ??= requestInfo(this.method, this.path, this.#hints()));
  }

  get warnings(): Warnings {
    return (this.#warnings ??= new Warnings());
  }

  get annotations(): AuditAnnotations {
    return (this.#annotations ??= new AuditAnnotations());
  }

  get certificate(): ClientCertificate | 'invalid' | undefined {
    return this.#source.certificate;
  }

  get proxyCertificate(): ClientCertificate | undefined {
    return this.#source.proxyCertificate;
  }

  get remoteAddress(): string {
    return this.#source.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortedBecause !== undefined) this.#controller.abort(abortError(this.#abortedBecause));
      else if (this.#followed !== undefined) this.#listenTo(this.#followed);
    }
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    const replaced = this.#replaced?.get(name);
    if (replaced === undefined) return this.#isHidden?.(name) === true ? undefined : this.#source.header(name);
    return replaced.length === 0 ? undefined : replaced.join(', ');
  }

  headers(name: string): readonly string[] {
    return this.#replaced?.get(name) ?? (this.#isHidden?.(name) === true ? [] : this.#source.headers(name));
  }

  headerNames(): readonly string[] {
    return this.#source.headerNames().filter((name) => !this.#isGone(name));
  }

  hasHeader(test: (name: string) => boolean): boolean {
    return this.#source.hasHeader((name) => test(name) && !this.#isGone(name));
  }

  #isGone(name: string): boolean {
    const replaced = this.#replaced?.get(name);
    return replaced === undefined ? this.#isHidden?.(name) === true : replaced.length === 0;
  }

  hideHeaders(isHidden: (name: string) => boolean): void {
    this.#isHidden = isHidden;
  }

  replaceHeader(name: string, values: readonly string[]): void {
    (this.#replaced ??= new Map<string, readonly string[]>()).set(name, values);
  }

  get value(): JsonCopy | undefined {
    return this.#source.value;
  }

  body(limit: number): Promise<Uint8Array> {
    if (this.#body === 'streamed') throw new Error('Cannot read the body whole: it is being streamed');
    this.#body ??= this.#source.body(limit);
    return this.#body;
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    if (this.#body !== undefined) throw new Error('Cannot stream the body: it is read already');
    if (this.#sent !== undefined) throw new Error('Cannot stream the body: the request is over');
    this.#body = 'streamed';
    return this.#source.bodyStream();
  }

  get isUpgrade(): boolean {
    return this.#source.isUpgrade;
  }

  get auditId(): string {
    return (this.#auditId ??= this.#source.header('audit-id') || (this.#uids?.next() ?? ''));
  }

  get finished(): Promise<SentAnswer> {
    return new Promise((resolve) => this.onFinish(resolve));
  }

  onFinish(listener: (sent: SentAnswer) => void): void {
    if (this.#sent !== undefined) listener(this.#sent);
    else if (this.#onFinish === undefined) this.#onFinish = listener;
    else (this.#moreOnFinish ??= []).push(listener);
  }

  /** Assumes: one listener. */
  onServed(listener: () => void): void {
    if (this.#isServed) listener();
    else this.#onServed = listener;
  }

  /** Only the first call counts. */
  served(): void {
    if (this.#isServed) return;
    this.#isServed = true;
    this.#onServed?.();
  }

  /** Calls the listeners with the outcome of the answer. Only the first call counts. */
  finish(sent: SentAnswer): void {
    if (this.#sent !== undefined) return;
    this.#sent = sent;
    this.served();
    this.#onFinish?.(sent);
    if (this.#moreOnFinish !== undefined) for (const listener of this.#moreOnFinish) listener(sent);
  }

  /** Aborts with that signal, which is listened to only if this call's own signal is used. */
  follow(signal: AbortSignal): void {
    if (signal.aborted) this.abort(reasonOf(signal));
    else this.#followed = signal;
  }

  /** Aborts `signal`: the answer is no longer wanted. Only the first reason counts. */
  abort(why: string): void {
    if (this.#abortedBecause !== undefined) return;
    this.#abortedBecause = why;
    this.#controller?.abort(abortError(why));
  }

  /** The signal may live as long as its client, so the listener is removed when the call finishes. */
  #listenTo(signal: AbortSignal): void {
    const aborting = onAbort(signal, () => this.abort(reasonOf(signal)));
    this.onFinish(() => aborting[Symbol.dispose]());
    if (signal.aborted) this.abort(reasonOf(signal));
  }

  #hints(): QueryHints {
    if (this.queryText === '') return NO_HINTS;
    const fieldSelector = this.query.get('fieldSelector');
    return {
      isWatch: booleanParameter(this.query, 'watch'),
      nameFromField: nameFromField(fieldSelector),
      fieldSelector,
      labelSelector: this.query.get('labelSelector'),
    };
  }
}

/** Escapes only stand for their characters: an escaped slash separates path segments like any other. */
function decodedPath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not UTF-8: no object has such a name
  }
}

function reasonOf(signal: AbortSignal): string {
  return signal.reason instanceof Error ? signal.reason.message : 'The client went away';
}

function abortError(why: string): DOMException {
  return new DOMException(why, 'AbortError');
}

/** The name in `fieldSelector=metadata.name=…`; empty when the selector has more than that. */
function nameFromField(selector: string): string {
  const match = /^metadata\.name==?([^,=\\!]+)$/.exec(selector);
  return match?.[1] ?? '';
}
