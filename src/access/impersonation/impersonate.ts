import { StatusError } from '../../api/index.ts';
import type { Call, Encode, Stage } from '../../apiserver/index.ts';
import { ImpersonationCheck, type ImpersonationParts } from './impersonation-check.ts';
import { isImpersonating, takeWantedUser } from './impersonation-headers.ts';
import { type ImpersonationRequest, impersonationModes, type ModeAnswer } from './impersonation-modes.ts';

/** The mode that worked last is remembered for at most this many requestors. */
const MAX_REMEMBERED = 10_000;

/** Lets a request act as another user where its sender may; the headers are removed for the stages after this one. */
export function impersonate(parts: ImpersonationParts, encode: Encode): Stage {
  const { metrics } = parts;
  const lastModes = new LastModes();
  /** Why the request is refused; undefined when it is allowed. */
  const refusalOf = async (call: Call): Promise<StatusError | undefined> => {
    const step = call.record.trace?.begin('impersonation');
    try {
      const wanted = takeWantedUser(call.request);
      if (wanted === undefined) return undefined;
      const { user: requestor } = call.principal;
      const { info } = call;
      const check = new ImpersonationCheck(parts, requestor, call.request.signal);
      const start = metrics.now();
      const answer = await lastModes.judge({ wanted, info, check });
      metrics.attempted('user' in answer ? answer.constraint : undefined, start);
      if (!('user' in answer)) throw answer.refused;
      call.principal.user = answer.user;
      step?.end('allowed', answer.user.name);
      call.principal.impersonation = { requestor, constraint: answer.constraint };
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      step?.end('refused', error.message);
      return error;
    }
  };
  const act: Stage = async (call, next) => {
    const refused = await refusalOf(call);
    if (refused === undefined) return next(call);
    return encode({ type: 'status', status: refused.status, headers: NO_SNIFFING }, call);
  };
  return (call, next) => (isImpersonating(call.request) ? act(call, next) : next(call));
}

/** The message quotes the client's text, which browsers must not interpret as HTML. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** Tries the impersonation modes, beginning with the one that worked last for the requestor. */
class LastModes {
  readonly #last = new Map<string, number>();

  async judge(request: ImpersonationRequest): Promise<NonNullable<ModeAnswer>> {
    const requestor = request.check.user.name;
    const last = this.#last.get(requestor);
    const order = impersonationModes.map((_, index) => index).filter((index) => index !== last);
    let refused: NonNullable<ModeAnswer> | undefined;
    for (const index of last === undefined ? order : [last, ...order]) {
      const answer = await impersonationModes[index]?.(request);
      if (answer !== undefined && 'user' in answer) {
        this.#remember(requestor, index);
        return answer;
      }
      refused ??= answer;
    }
    if (refused === undefined) throw new Error('Cannot impersonate: no mode applies');
    return refused;
  }

  #remember(requestor: string, index: number): void {
    this.#last.delete(requestor);
    this.#last.set(requestor, index);
    if (this.#last.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}
