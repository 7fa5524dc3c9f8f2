import { keelsonVersion, KUBERNETES_VERSION } from '../../base/index.ts';
import { type Command, UsageError } from '../command.ts';
import { Flags } from '../flags.ts';

/** `keelson version` */
export const versionCommand: Command = {
  usage: 'Usage: keelson version',
  async run(args, context) {
    const [unexpected] = new Flags(args, {}).positionals;
    if (unexpected !== undefined) throw new UsageError(`unexpected argument "${unexpected}"`);
    const versions = [`keelson ${keelsonVersion()}`, `kubernetes ${KUBERNETES_VERSION}`, `node ${process.version}`];
    context.print(versions.join('\n'));
  },
};
