import type { Status } from '../../api/types/meta/v1.d.ts';
import { StatusError, type StatusDetails } from '../../api/index.ts';

/** A webhook could not be asked, or its answer not be used: what happens next is up to the failure policy. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
  /** What metrics tell. */
  readonly code: number;

  constructor(webhook: string, why: { readonly message: string; readonly code: number }, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why.message}`, { cause });
    this.code = why.code;
  }
}

/** A webhook said no; in its words, with its code if that is one of a failure. */
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
