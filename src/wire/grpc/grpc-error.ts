import type { Metadata } from './metadata.ts';

/** The status codes of gRPC; the index is the code. */
export const STATUS_NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

export type StatusName = (typeof STATUS_NAMES)[number];

export interface GrpcErrorOptions extends ErrorOptions {
  /** The server has certainly not received the request. */
  readonly isUnsent?: boolean;
  /** The metadata that the server sent with its status. */
  readonly metadata?: Metadata;
}

/** A call that did not end with OK. */
export class GrpcError extends Error {
  override readonly name: string = 'GrpcError';
  readonly code: StatusName;
  /** The server has certainly not received the request, so that even a write may be retried. */
  readonly isUnsent: boolean;
  readonly metadata: Metadata;

  constructor(code: StatusName, message: string, options: GrpcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.isUnsent = options.isUnsent ?? false;
    this.metadata = options.metadata ?? {};
  }
}

export function isGrpcError(error: unknown, ...codes: readonly StatusName[]): error is GrpcError {
  return error instanceof GrpcError && (codes.length === 0 || codes.includes(error.code));
}

/** The text of an error as Go's gRPC words it, which events and statuses show: `rpc error: code = NotFound desc = no such volume`. */
export function goErrorText({ code, message }: Pick<GrpcError, 'code' | 'message'>): string {
  return `rpc error: code = ${goCodeName(code)} desc = ${message}`;
}

/** As Go's gRPC spells the code: `NotFound`. */
export function goCodeName(code: StatusName): string {
  if (code === 'OK') return code;
  if (code === 'CANCELLED') return 'Canceled';
  return code
    .split('_')
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join('');
}
