import type { OsbFailure } from './osb.ts';

/** What a failed update or deletion left behind. */
export interface BrokerErrorOptions extends ErrorOptions {
  /** One word in camel case for programs: `QuotaExceeded`. */
  readonly error?: string;
  /** After a failed update or deletion: whether the instance can still be used; default true. */
  readonly isUsable?: boolean;
  /** After a failed update: whether it is worth trying again; default true. */
  readonly isRepeatable?: boolean;
}

/**
 * A request is refused, or has failed; the message is shown to the user of the platform. With a status of 4xx nothing has changed; with
 * 5xx something may have, and the platform cleans up.
 */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly status: number;
  readonly error: string | undefined;
  readonly isUsable: boolean | undefined;
  readonly isRepeatable: boolean | undefined;

  constructor(status: number, message: string, options: BrokerErrorOptions = {}) {
    super(message, options);
    this.status = status;
    this.error = options.error;
    this.isUsable = options.isUsable;
    this.isRepeatable = options.isRepeatable;
  }
}

/** The failures that have an error code of the specification. */
export const refusals = {
  asyncRequired: () =>
    new BrokerError(422, 'This plan works asynchronously, and the request does not say accepts_incomplete=true', {
      error: 'AsyncRequired',
    }),
  concurrency: (what: string) =>
    new BrokerError(422, `Another operation for ${what} is in progress`, { error: 'ConcurrencyError' }),
  requiresApp: () => new BrokerError(422, 'This service is bound to applications only', { error: 'RequiresApp' }),
  maintenance: (current: string | undefined) =>
    new BrokerError(
      422,
      `The maintenance information of the plan has changed${current === undefined ? '' : `: its version is ${current}`}`,
      { error: 'MaintenanceInfoConflict' },
    ),
} as const;

/** The body of a failure. What became of the instance is said only of updates and deletions. */
export function failureBody(error: BrokerError, verb: 'update' | 'deprovision' | 'other'): OsbFailure {
  const { error: code, message, isUsable, isRepeatable } = error;
  return {
    ...(code === undefined ? {} : { error: code }),
    ...(message === '' ? {} : { description: message }),
    ...(verb === 'other' || isUsable === undefined ? {} : { instance_usable: isUsable }),
    ...(verb !== 'update' || isRepeatable === undefined ? {} : { update_repeatable: isRepeatable }),
  };
}
