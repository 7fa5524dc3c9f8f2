/** An answer with its HTTP status. */
export interface LocalAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Answers a review that was posted to a path. */
export type LocalHandler = (path: string, body: string, signal: AbortSignal) => Promise<LocalAnswer>;

/** API servers of this process, which call webhooks without sockets. */
export interface LocalWebhooks {
  /** Makes the handler reachable under this host name until the result is disposed. */
  serve(handler: LocalHandler): Disposable & { readonly host: string };
}
