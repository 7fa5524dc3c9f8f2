import { StatusError } from '../../api/index.ts';
import {
  type AuditDetail,
  type Auditing,
  type Call,
  type EncodedAnswer,
  isLongRunning,
  type Next,
  type Stage,
} from '../../apiserver/index.ts';
import type { Clock, UidSource } from '../../base/index.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditStage } from './audit-policy.ts';
import type { AuditRules, AuditVerdict } from './audit-rules.ts';
import type { AuditSink } from './audit-sink.ts';
import { AuditedRequest } from './audited-request.ts';

export interface AuditParts {
  readonly rules: AuditRules;
  readonly sink: AuditSink;
  readonly metrics: AuditMetrics;
  readonly clock: Clock;
  readonly uids: UidSource;
  /** Longer objects are left out of events. */
  readonly maxObjectBytes: number;
}

/**
 * Makes events of requests, as a policy says, and writes them to a sink.
 *
 * An event is made when a request has been received, when the answer to a long-running one begins, and when it has been answered. The event
 * of a short request is made before its answer is sent, so that a client that has the answer finds the event. A request waits when the sink
 * returns a promise.
 */
export class Audit implements Auditing {
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** Records one event for a request whose authentication failed. */
  readonly authentication: Stage = async (call, next) => {
    try {
      return await next(call);
    } catch (error) {
      if (error instanceof StatusError && error.code === 401) await this.#authenticationFailed(call, error);
      throw error;
    }
  };

  readonly stage: Stage = async (call, next) => {
    const audited = this.#begin(call);
    if (audited === undefined) return next(call);
    if (!(await this.#record(audited, 'RequestReceived'))) {
      this.#parts.metrics.rejected();
      return notStored(call);
    }
    call.record.audit = audited;
    return isLongRunning(call.info) ? this.#long(call, audited, next) : this.#short(call, audited, next);
  };

  async #short(call: Call, audited: AuditedRequest, next: Next) {
    const answer = await this.#answer(call, audited, next);
    const written = this.#record(audited, 'ResponseComplete');
    if (written instanceof Promise) await written;
    return answer;
  }

  async #long(call: Call, audited: AuditedRequest, next: Next) {
    const answer = await this.#answer(call, audited, next);
    const written = this.#record(audited, 'ResponseStarted');
    if (written instanceof Promise) await written;
    call.record.onFinish(() => void this.#record(audited, 'ResponseComplete'));
    return answer;
  }

  /** The inner stages turn their failures into answers; an exception that arrives here is a bug of the server. */
  async #answer(call: Call, audited: AuditedRequest, next: Next) {
    try {
      const answer = await next(call);
      audited.endedWith(answer.code);
      return answer;
    } catch (error) {
      const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`;
      audited.status = { status: 'Failure', message, reason: 'InternalError', code: 500 };
      await this.#record(audited, 'Panic');
      throw error;
    }
  }

  async #authenticationFailed(call: Call, error: StatusError): Promise<void> {
    if (call.record.audit !== undefined) return;
    const audited = this.#begin(call, { name: '', groups: [] });
    if (audited === undefined) return;
    audited.answered(error.status, () => undefined);
    await this.#record(audited, 'ResponseStarted');
  }

  #begin(call: Call, user = call.principal.user): AuditedRequest | undefined {
    const { rules, metrics, uids, maxObjectBytes } = this.#parts;
    const verdict = rules.verdictOn({ user, info: call.info });
    metrics.judged(verdict.level);
    if (!isAudited(verdict)) return undefined;
    if (call.principal.user !== user) call.principal.user = user;
    return new AuditedRequest(call, { auditId: call.record.auditId || uids.next(), verdict, maxObjectBytes });
  }

  #record(audited: AuditedRequest, stage: AuditStage): boolean | Promise<boolean> {
    const { sink, clock, metrics } = this.#parts;
    const event = audited.event(stage, clock.now());
    if (event === undefined) return true;
    metrics.made();
    const failed = (error: unknown): false => {
      metrics.lost('sink', [event], error instanceof Error ? error.message : String(error));
      return false;
    };
    try {
      const written = sink.write([event]);
      return written instanceof Promise ? written.catch(failed) : written;
    } catch (error) {
      return failed(error);
    }
  }
}

function isAudited(verdict: AuditVerdict): verdict is AuditVerdict & { level: AuditDetail } {
  return verdict.level !== 'None';
}

/** Upstream's answer when an event must be written and cannot be: plain text that browsers must not interpret as HTML. */
function notStored(call: Call): EncodedAnswer {
  const quoted = JSON.stringify(call.request.uri)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  const decoded = {
    type: 'bytes',
    code: 500,
    contentType: 'text/plain; charset=utf-8',
    body: `Internal Server Error: ${quoted}: failed to store audit event\n`,
    headers: { 'x-content-type-options': 'nosniff' },
  } as const;
  const headers = { 'content-type': decoded.contentType, ...decoded.headers };
  return { code: 500, headers, body: Buffer.from(decoded.body), decoded };
}
