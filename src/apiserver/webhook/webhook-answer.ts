/** A whole answer of a webhook. */
export interface WebhookAnswer {
  readonly code: number;
  /** Empty when absent. */
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly retryAfterSeconds?: number;
}
