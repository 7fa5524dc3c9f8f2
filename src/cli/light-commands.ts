import type { Command } from './command.ts';
import { devAppCommand } from './commands/dev-app.ts';
import { etcdCommand } from './commands/etcd.ts';
import { kubeApiserverCommand } from './commands/kube-apiserver.ts';
import { testEnvCommand } from './commands/test-env.ts';
import { type ProcessLike, runCommand } from './run-command.ts';

/** Commands that load nothing of the server, so that they start at once. */
export const lightCommands: readonly Command[] = [testEnvCommand, etcdCommand, kubeApiserverCommand, devAppCommand];

/** Runs one of the light commands. */
export function runLightProgram(args: readonly string[], process: ProcessLike): Promise<number> {
  return runCommand(lightCommands, args, process);
}
