import type { KubernetesObject } from '../../protocol.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** An answer of the server that is not a success. `code` is 0 when there was no answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];

  constructor(code: number, reason: string, options: { message: string; causes?: readonly StatusCause[] }) {
    super(options.message);
    this.code = code;
    this.reason = reason;
    this.causes = options.causes ?? [];
  }
}

interface StatusLike extends KubernetesObject {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly StatusCause[] };
}

/** Reads the Status in a body; proxies on the way may answer with text instead. */
export function errorFromBody(code: number, body: string): ApiError {
  let status: StatusLike | undefined;
  try {
    status = JSON.parse(body) as StatusLike;
  } catch {
    // not JSON: the text says what is wrong
  }
  if (status?.kind === 'Status' || typeof status?.message === 'string') return errorFromStatus(status, code);
  return new ApiError(code, 'Unknown', { message: body.slice(0, 500) || `The server answered with code ${code}` });
}

export function errorFromStatus(status: KubernetesObject, code = 0): ApiError {
  const { reason, message, details, code: ownCode } = status as StatusLike;
  return new ApiError(ownCode ?? code, reason ?? 'Unknown', {
    message: message ?? `The server answered with code ${code}`,
    causes: details?.causes ?? [],
  });
}

export function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.code === 0;
}

export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.code === 403;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
