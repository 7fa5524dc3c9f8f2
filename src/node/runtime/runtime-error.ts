/** As gRPC's codes where there is one of the name; `Failed` for what went wrong in the runtime. */
export type RuntimeErrorReason =
  | 'NotFound'
  | 'Invalid'
  | 'Unavailable'
  | 'DeadlineExceeded'
  | 'Unimplemented'
  | 'Failed';

/** A container runtime refused or failed. The message is what pods and events show. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly reason: RuntimeErrorReason;

  constructor(reason: RuntimeErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function isRuntimeNotFound(error: unknown): boolean {
  return error instanceof RuntimeError && error.reason === 'NotFound';
}
