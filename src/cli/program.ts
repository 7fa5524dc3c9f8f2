import type { Command } from './command.ts';
import { apiserverCommand } from './commands/apiserver.ts';
import { celCommand } from './commands/cel.ts';
import { controllerManagerCommand } from './commands/controller-manager.ts';
import { crdCommand } from './commands/crd.ts';
import { devCommand } from './commands/dev.ts';
import { envtestCommand } from './commands/envtest.ts';
import { manifestsCommand } from './commands/manifests.ts';
import { rbacCommand } from './commands/rbac.ts';
import { nodeCommand } from './commands/node.ts';
import { replayCommand } from './commands/replay.ts';
import { schedulerCommand } from './commands/scheduler.ts';
import { storeCommand } from './commands/store.ts';
import { sharedServerCommand } from './commands/shared-server.ts';
import { traceCommandLine } from './commands/trace.ts';
import { typesCommand } from './commands/types-of-definitions.ts';
import { upCommand } from './commands/up.ts';
import { versionCommand } from './commands/version.ts';
import { whyCommand } from './commands/why.ts';
import { lightCommands } from './light-commands.ts';
import { type ProcessLike, runCommand } from './run-command.ts';

const commands: readonly Command[] = [
  upCommand,
  devCommand,
  apiserverCommand,
  controllerManagerCommand,
  schedulerCommand,
  nodeCommand,
  envtestCommand,
  ...lightCommands,
  sharedServerCommand,
  storeCommand,
  traceCommandLine,
  whyCommand,
  replayCommand,
  celCommand,
  crdCommand,
  rbacCommand,
  manifestsCommand,
  typesCommand,
  versionCommand,
];

/** Runs one command line; answers with the exit code. */
export function runProgram(args: readonly string[], process: ProcessLike): Promise<number> {
  return runCommand(commands, args, process);
}
