/** What a handler may ask about the request it answers. */
export interface WebhookContext {
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
}

/** Answers one review: gets the JSON that was posted, and returns what is sent back as JSON. */
export type WebhookHandler = (review: unknown, context: WebhookContext) => unknown;

/** A request that no answer can be made for; its message is sent back with its status. */
export class WebhookRequestError extends Error {
  override readonly name = 'WebhookRequestError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
