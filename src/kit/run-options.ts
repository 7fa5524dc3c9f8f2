import type { Duration, LogLevel } from '../base/index.ts';
import type { ConnectOptions } from '../client/index.ts';
import type { InstallOptions } from './resource/install-options.ts';

export interface RunOptions extends Pick<ConnectOptions, 'kubeconfig' | 'context'> {
  /** What is under way at the end may take so long to finish; 30 s unless given. */
  readonly stopGrace?: Duration;
  /** Less than this is not logged; 'info' unless given. */
  readonly logLevel?: LogLevel;
  readonly logFormat?: 'text' | 'json';
  /** Makes the cluster serve the app's `resources` first; not unless given. */
  readonly install?: boolean | InstallOptions;
}
