/** The context of a request to a handler. */
export interface WebhookContext {
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Answers one review: gets the posted JSON, and returns the JSON to send back. */
export interface WebhookHandler {
  (review: unknown, context: WebhookContext): unknown;
  /** Size of the largest review that is read; default 3 MiB. */
  readonly maxBodyBytes?: number;
}

/** A malformed request; answered with this message and status. */
export class WebhookRequestError extends Error {
  override readonly name = 'WebhookRequestError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
