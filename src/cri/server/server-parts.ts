import type { Clock, Logger } from '../../base/index.ts';
import type { ContainerExits } from './container-exits.ts';
import type { KeptConfigs } from './kept-configs.ts';
import type { LogFiles } from './log-files.ts';
import type { ServedIds } from './served-ids.ts';
import type { ServedRuntime } from './served-runtime.ts';
import type { StreamingServer } from './streaming-server.ts';

/** What the methods of a CRI server share. */
export interface ServerParts extends ServedRuntime {
  readonly clock: Clock;
  readonly log: Logger;
  readonly kept: KeptConfigs;
  readonly ids: ServedIds;
  readonly streaming: StreamingServer;
  /** Undefined for a runtime that writes its log files itself. */
  readonly logFiles: LogFiles | undefined;
  readonly exits: ContainerExits;
}
