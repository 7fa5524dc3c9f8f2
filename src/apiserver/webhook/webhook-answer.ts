/** A whole answer of a webhook. */
export interface WebhookAnswer {
  readonly code: number;
  /** Empty when the webhook does not say. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly retryAfterSeconds?: number;
}
