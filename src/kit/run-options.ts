import type { Duration, LogLevel } from '../base/index.ts';
import type { ConnectOptions } from '../client/index.ts';
import type { InstallOptions } from './resource/install-options.ts';

export interface RunOptions extends Pick<ConnectOptions, 'kubeconfig' | 'context'> {
  /** How long work in progress may take to finish at the end; default 30s. */
  readonly stopGrace?: Duration;
  /** The minimum level that is logged; default 'info'. */
  readonly logLevel?: LogLevel;
  readonly logFormat?: 'text' | 'json';
  /** Installs the app's `resources` before it starts; default false. */
  readonly install?: boolean | InstallOptions;
}
