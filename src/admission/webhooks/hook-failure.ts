import type { Status } from '../../api/types/meta/v1.d.ts';
import { StatusError, type StatusDetails } from '../../api/index.ts';

/** A webhook call failed, or its answer is unusable: the failure policy decides what happens next. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
  /** The code for metrics. */
  readonly code: number;

  constructor(webhook: string, why: { readonly message: string; readonly code: number }, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why.message}`, { cause });
    this.code = why.code;
  }
}

/** A webhook denied the request; with its message, and its code if that is an error code. */
export class HookDenial extends StatusError {}

export function denialOf(webhook: string, result: Status = {}): HookDenial {
  const { code = 0, reason = '', message = '', details } = result;
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = message === '' ? reason : message;
  return new HookDenial({
    code: code < 400 ? 400 : code,
    message: why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details: details as StatusDetails }),
  });
}
