import type { Duration, LogLevel } from '../base/index.ts';
import type { ConnectOptions } from '../client/index.ts';
import type { InstallOptions } from './resource/install-options.ts';

export interface RunOptions extends Pick<ConnectOptions, 'kubeconfig' | 'context'> {
  /** What is under way at the end may take this long to finish; default 30s. */
  readonly stopGrace?: Duration;
  /** Less than this is not logged; default 'info'. */
  readonly logLevel?: LogLevel;
  readonly logFormat?: 'text' | 'json';
  /** Makes the cluster serve the app's `resources` first; default false. */
  readonly install?: boolean | InstallOptions;
}
