import type { WebhookClientConfig } from '../../api/types/apiextensions/v1.d.ts';

export interface InstallOptions {
  /** Where API servers reach the conversion webhook; the app's own webhook server at `/convert` unless given. */
  readonly conversion?: WebhookClientConfig;
  /** Installs definitions even where they break objects that are there. */
  readonly force?: boolean;
}

export interface InstallContext extends InstallOptions {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** Of each request while the server is busy or away; as clients do unless given. */
  readonly maxRetries?: number;
}
