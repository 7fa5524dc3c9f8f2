import type { WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';

/** How the definitions of custom kinds are installed. */
export interface InstallOptions {
  /** Where API servers reach the conversion webhook; default the app's own server at `/convert`. */
  readonly conversion?: WebhookClientConfig;
  /** Installs definitions even if they break existing objects. */
  readonly force?: boolean;
}

export interface InstallContext extends InstallOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** Retries of each request while the server is busy or unavailable; default the client's. */
  readonly maxRetries?: number;
}
