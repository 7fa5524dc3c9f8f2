import { internalError, StatusError } from '../../api/index.ts';
import type { Logger } from '../../base/index.ts';
import { StoreError } from '../../store/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { Encode, Stage } from './stage.ts';

/** Turns errors of the inner stages into Statuses; also logs those that are bugs of the server. */
export function catchFailures(log: Logger, encode: Encode): Stage {
  const answerTo = (error: unknown, call: Call): EncodedAnswer => {
    const failure = statusErrorFor(error);
    if (failure.code >= 500 && !(error instanceof StatusError)) {
      log.error('request failed', { method: call.request.method, path: call.request.path, error });
    }
    return encode({ type: 'status', status: failure.status }, call);
  };
  return (call, next) => {
    try {
      const answer = next(call);
      return answer instanceof Promise ? answer.catch((error: unknown) => answerTo(error, call)) : answer;
    } catch (error) {
      return answerTo(error, call);
    }
  };
}

/** The Status for an error. */
function statusErrorFor(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (!(error instanceof StoreError)) return internalError(error);
  switch (error.reason) {
    case 'TooLarge':
      return new StatusError({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: `Request entity too large: ${error.message}`,
      });
    case 'NoSpace':
      return new StatusError({ code: 507, reason: 'InsufficientStorage', message: error.message }, { cause: error });
    case 'Unavailable':
      return new StatusError(
        { code: 503, reason: 'ServiceUnavailable', message: error.message, details: { retryAfterSeconds: 1 } },
        { cause: error },
      );
    case 'Compacted':
      return new StatusError({ code: 410, reason: 'Expired', message: error.message }, { cause: error });
    case 'FutureRevision':
    case 'SlowWatcher':
    case 'Damaged':
    case 'UnknownFormat':
    case 'Locked':
      return internalError(error);
  }
}
