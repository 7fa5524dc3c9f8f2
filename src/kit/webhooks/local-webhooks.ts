/** An answer as it would go over HTTP. */
export interface LocalAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Answers a review that was posted to a path. */
export type LocalHandler = (path: string, body: string, signal: AbortSignal) => Promise<LocalAnswer>;

/** API servers of this process, which reach webhooks without sockets. */
export interface LocalWebhooks {
  /** Lets the handler be called under this host name, until the result is disposed of. */
  serve(handler: LocalHandler): Disposable & { readonly host: string };
}
