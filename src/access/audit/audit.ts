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
  /** What is longer than so many bytes is left out of events. */
  readonly maxObjectBytes: number;
}

/**
 * Makes events of requests, as a policy says, and hands them to a sink.
 *
 * A request is told of when it has been received, when a long one begins to be answered, and when it is answered: of a short one
 * before its answer goes out, so that whoever gets the answer finds the event. What the sink has to be waited for, the request waits for.
 */
export class Audit implements Auditing {
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** Who could not show who they are is told of once. */
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
    if (!(await this.#tell(audited, 'RequestReceived'))) {
      this.#parts.metrics.rejected();
      return notStored(call);
    }
    call.record.audit = audited;
    return isLongRunning(call.info) ? this.#long(call, audited, next) : this.#short(call, audited, next);
  };

  async #short(call: Call, audited: AuditedRequest, next: Next) {
    const answer = await this.#answer(call, audited, next);
    const told = this.#tell(audited, 'ResponseComplete');
    if (told instanceof Promise) await told;
    return answer;
  }

  async #long(call: Call, audited: AuditedRequest, next: Next) {
    const answer = await this.#answer(call, audited, next);
    const told = this.#tell(audited, 'ResponseStarted');
    if (told instanceof Promise) await told;
    call.record.onFinish(() => void this.#tell(audited, 'ResponseComplete'));
    return answer;
  }

  /** What is further in turns its failures into answers; if it throws all the same, that is our fault. */
  async #answer(call: Call, audited: AuditedRequest, next: Next) {
    try {
      const answer = await next(call);
      audited.endedWith(answer.code);
      return answer;
    } catch (error) {
      const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`;
      audited.status = { status: 'Failure', message, reason: 'InternalError', code: 500 };
      await this.#tell(audited, 'Panic');
      throw error;
    }
  }

  async #authenticationFailed(call: Call, error: StatusError): Promise<void> {
    if (call.record.audit !== undefined) return;
    const audited = this.#begin(call, { name: '', groups: [] });
    if (audited === undefined) return;
    audited.answered(error.status, () => undefined);
    await this.#tell(audited, 'ResponseStarted');
  }

  #begin(call: Call, user = call.principal.user): AuditedRequest | undefined {
    const { rules, metrics, uids, maxObjectBytes } = this.#parts;
    const verdict = rules.verdictOn({ user, info: call.info });
    metrics.judged(verdict.level);
    if (!isTold(verdict)) return undefined;
    if (call.principal.user !== user) call.principal.user = user;
    return new AuditedRequest(call, { auditId: call.record.auditId || uids.next(), verdict, maxObjectBytes });
  }

  #tell(audited: AuditedRequest, stage: AuditStage): boolean | Promise<boolean> {
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

function isTold(verdict: AuditVerdict): verdict is AuditVerdict & { level: AuditDetail } {
  return verdict.level !== 'None';
}

/** What upstream answers when an event must be kept and cannot be: plain text, in which nothing may be taken for HTML. */
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
