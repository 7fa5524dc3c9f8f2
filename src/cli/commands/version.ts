import { keelsonVersion, KUBERNETES_VERSION } from '../../base/index.ts';
import type { Command } from '../command.ts';

/** `keelson version` */
export const versionCommand: Command = {
  usage: 'Usage: keelson version',
  async run(_args, context) {
    context.print(`keelson ${keelsonVersion()}\nkubernetes ${KUBERNETES_VERSION}\nnode ${process.version}`);
  },
};
