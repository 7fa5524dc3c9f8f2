/**
 * Why a body could not be decoded: `syntax` (not JSON, YAML or protobuf at all), `mismatch` (a value of the wrong type),
 * `value` (a text that is no quantity, time, …), `depth` (nested too deeply), `size` (too
 * large with the defaults of its type), `strict` (unknown or duplicate fields).
 */
export type DecodeReason = 'syntax' | 'mismatch' | 'value' | 'depth' | 'size' | 'strict';

/** A body that cannot be decoded. The message is Kubernetes', without the server's prefix. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly reason: DecodeReason;

  constructor(reason: DecodeReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
