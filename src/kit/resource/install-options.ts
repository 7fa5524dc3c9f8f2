import type { WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';

export interface InstallOptions {
  /** Where API servers reach the conversion webhook; default the app's own webhook server at `/convert`. */
  readonly conversion?: WebhookClientConfig;
  /** Installs definitions even where they break objects that are there. */
  readonly force?: boolean;
}

export interface InstallContext extends InstallOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** Of each request while the server is busy or away; default that of the client. */
  readonly maxRetries?: number;
}
