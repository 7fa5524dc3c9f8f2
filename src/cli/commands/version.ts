import { keelsonVersion, KUBERNETES_VERSION } from '../../cluster/index.ts';
import type { Command } from '../command.ts';

/** `keelson version` */
export const versionCommand: Command = {
  name: 'version',
  summary: 'Print the versions of Keelson and of the Kubernetes API it serves',
  usage: 'Usage: keelson version',
  async run(_args, context) {
    context.print(`keelson ${keelsonVersion()}\nkubernetes ${KUBERNETES_VERSION}\nnode ${process.version}`);
  },
};
