import { LineLogger, RealClock } from '../../base/index.ts';
import { isStoreError, lockFolder } from '../../store/index.ts';
import type { Command } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { IdleCollector } from '../idle-collector.ts';
import { YoungSpaceLimit } from '../young-space.ts';
import { runSharedServer } from '../shared/shared-server.ts';
import { durationFlag } from '../../cluster/programs/index.ts';

const definitions: FlagDefinitions = {
  dir: { type: 'string', value: 'DIR', default: '.', help: 'Folder of its socket' },
  idle: { type: 'string', value: 'DURATION', default: '30s', help: 'How long it stays when nothing runs' },
};

/**
 * `keelson shared-server`: the process that runs the clusters of `keelson test-env` and the API servers of envtest,
 * which start it.
 */
export const sharedServerCommand: Command = {
  usage: `Usage: keelson shared-server [FLAGS]\n\n${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const folder = flags.text('dir') ?? '.';
    const clock = new RealClock();
    try {
      await using _lock = await lockFolder(folder);
      using _collector = new IdleCollector(clock);
      using _young = new YoungSpaceLimit();
      await runSharedServer(folder, {
        idleMs: durationFlag(flags, 'idle'),
        clock,
        log: new LineLogger({ write: (line) => context.printError(line.trimEnd()), level: 'error', clock }),
        signal: context.signal,
      });
    } catch (error) {
      if (!isStoreError(error, 'Locked')) throw error; // another server is running, or is about to end
    }
  },
};
