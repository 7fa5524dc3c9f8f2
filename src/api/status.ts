import { fieldErrorBody } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { cutForMessage, quoteGo } from './values/go-text.ts';
import { formatGroupResource, type GroupResource } from './values/resource-names.ts';

/** `metav1.Status`, the answer to every failed request. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Maximum length of a message; upstream has no limit. */
const MAX_MESSAGE = 512 * 1024;

/** A refusal that reaches the client as a `Status`. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(
    status: {
      readonly code: number;
      readonly reason?: string;
      readonly message: string;
      readonly details?: StatusDetails;
    },
    options?: ErrorOptions,
  ) {
    super(cutForMessage(status.message, MAX_MESSAGE), options);
    const { code, reason, details } = status;
    const { message } = this;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** True for a `StatusError` with this reason, such as `NotFound`. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}

/** `details` for one object; empty members are left out, as upstream does. */
function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    ...(resource.resource === '' ? {} : { kind: resource.resource }),
  };
}

/** The error 404 for an object that does not exist. */
export function notFound(resource: GroupResource, name: string): StatusError {
  const message = `${formatGroupResource(resource)} ${quoteGo(name)} not found`;
  return new StatusError({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

/** The path does not exist. */
export function pageNotFound(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

/** The error 409 for a create with a name that is taken. */
export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${formatGroupResource(resource)} ${quoteGo(name)} already exists`;
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) });
}

/** The error 409 for a write that is based on an old version. */
export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${quoteGo(name)}: ${why}`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

/** The message of a conflict on resourceVersion. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === '' ? formatGroupResource(resource) : `${formatGroupResource(resource)} ${quoteGo(name)}`;
  const message = formatGroupResource(resource) === '' ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return new StatusError({ code: 403, reason: 'Forbidden', message, details: detailsOf(resource, name) });
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message });
}

export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message }, options);
}

/** Maximum total length of the texts about field errors in one answer; upstream has no limit. */
const MAX_TEXT = 256 * 1024;

/**
 * All field errors of one object in one answer. `kind` as `{ group: 'apps', resource: 'Deployment' }`. Errors beyond a
 * quarter of a mebibyte are only counted.
 */
export function invalid(kind: GroupResource, name: string, errors: readonly FieldError[]): StatusError {
  const causes: StatusCause[] = [];
  const texts = new Set<string>();
  let length = 0;
  for (const error of errors) {
    const message = cutForMessage(fieldErrorBody(error), MAX_TEXT);
    length += error.field.length + message.length;
    if (length > MAX_TEXT && causes.length > 0) break;
    causes.push({ reason: error.reason, message, field: error.field });
    texts.add(`${error.field}: ${message}`);
  }
  const more = errors.length - causes.length;
  if (more > 0) texts.add(`and ${more} more`);
  const joined = texts.size === 1 ? [...texts].join('') : `[${[...texts].join(', ')}]`;
  const message = `${formatGroupResource(kind)} ${quoteGo(name)} is invalid${texts.size === 0 ? '' : `: ${joined}`}`;
  return new StatusError({ code: 422, reason: 'Invalid', message, details: { ...detailsOf(kind, name), causes } });
}

export function methodNotSupported(resource: GroupResource, action: string): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind "${formatGroupResource(resource)}"`,
    details: detailsOf(resource, ''),
  });
}

export function gone(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Gone', message });
}

/** The requested version or continue token is too old. */
export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message });
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

export function internalError(error: unknown): StatusError {
  const text = error instanceof Error ? error.message : String(error);
  return new StatusError(
    {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${text}`,
      details: { causes: [{ message: text }] },
    },
    { cause: error },
  );
}

export function serviceUnavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}

/** The path exists, but not for this method. */
export function methodNotAllowed(): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}
