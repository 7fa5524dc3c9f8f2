import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { messageOf } from '../base/index.ts';
import { RuntimeError } from '../node/index.ts';
import { canMountAt, enterNamespace, type PathMount } from './mount-namespace.ts';

/** A command as it is started, for a container or within one. */
export interface Launch {
  readonly command: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly PathMount[];
  /** An empty folder; see `NamespaceEntry`. */
  readonly root: string;
  readonly hostname: string;
}

export interface LauncherOptions {
  /** Whether processes have volumes at their mount paths. */
  readonly canMount: boolean;
  /** Whether `setpriv` is there, by which Linux ends a process when this one is killed. */
  readonly hasSetpriv: boolean;
}

/** Starts processes, each as the leader of a group of its own. */
export class Launcher {
  readonly #options: LauncherOptions;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /** Rejects with a RuntimeError when the command cannot be started. */
  async spawn(launch: Launch, stdio: StdioOptions): Promise<ChildProcess> {
    const { workingDirectory: cwd, environment } = launch;
    // a path may lead into a volume, which only the process has there
    if (!this.#options.canMount || launch.command[0]?.includes('/') !== true) await checkProgram(launch);
    await checkFolder(launch);
    try {
      const [file = '', ...args] = await this.#commandLine(launch);
      const child = spawn(file, args, { cwd, env: environment, stdio, detached: true });
      await new Promise((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      child.on('error', () => undefined); // a signal to a process that has ended
      return child;
    } catch (cause) {
      throw new RuntimeError('Failed', `Cannot start "${launch.command[0] ?? ''}": ${messageOf(cause)}`, { cause });
    }
  }

  async #commandLine(launch: Launch): Promise<readonly string[]> {
    const { command, mounts } = launch;
    if (this.#options.canMount) return enterNamespace({ ...launch, mounts: mounts.filter(canMountAt) });
    return this.#options.hasSetpriv ? ['setpriv', '--pdeathsig', 'KILL', '--', ...command] : command;
  }
}

async function checkFolder({ workingDirectory }: Launch): Promise<void> {
  const isFolder = await stat(workingDirectory).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new RuntimeError('Failed', `Cannot start in "${workingDirectory}": there is no such folder`);
}

/** Throws in the words of container runtimes when there is no such program. */
async function checkProgram({ command, workingDirectory, environment }: Launch): Promise<void> {
  const [name = ''] = command;
  if ((await findProgram(name, { path: environment['PATH'] ?? '', folder: workingDirectory })) !== undefined) return;
  const where = name.includes('/') ? 'no such file, or not executable' : 'executable file not found in $PATH';
  throw new RuntimeError('NotFound', `exec: ${JSON.stringify(name)}: ${where}`);
}

/** The path of a program; undefined when there is none that this user may run. */
export async function findProgram(
  name: string,
  { path, folder }: { readonly path: string; readonly folder: string },
): Promise<string | undefined> {
  const candidates = name.includes('/')
    ? [resolve(folder, name)]
    : path.split(delimiter).map((each) => join(each, name));
  for (const candidate of name === '' ? [] : candidates) {
    const isProgram = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return candidate;
  }
  return undefined;
}
