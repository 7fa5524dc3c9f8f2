import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CreateContainerRequest,
  ExpansionBudget,
  expandVariables,
  type Machine,
  podFolder,
} from '../node/index.ts';
import { processEnvironment } from './container-environment.ts';
import type { ImageCommand } from './image-commands.ts';
import type { Launch } from './launcher.ts';
import type { ProcessHost } from './process-host.ts';
import type { ProcessPods } from './process-pods.ts';

export interface LaunchContext {
  readonly containerId: string;
  /** The address of this machine at which the pod's processes are reached. */
  readonly podAddress: string;
  readonly host: ProcessHost;
  readonly machine: Machine;
  readonly pods: ProcessPods;
}

/** The command, environment and folders of the process that runs a container; makes the folders. */
export async function prepareLaunch(
  { command, args, env, workingDirectory }: ImageCommand,
  { config, sandboxConfig }: CreateContainerRequest,
  { containerId, podAddress, host, machine, pods }: LaunchContext,
): Promise<Launch> {
  const { name, namespace, uid } = sandboxConfig.metadata;
  const podRoot = podFolder(machine.folders.root, uid);
  const folder = join(podRoot, 'processes', `${config.metadata.name}-${config.metadata.attempt}`);
  const root = join(podRoot, 'root');
  for (const each of [folder, root]) await mkdir(each, { recursive: true, mode: 0o700 });
  for (const { hostPath } of config.mounts)
    if (hostPath.startsWith(podRoot)) await mkdir(hostPath, { recursive: true, mode: 0o700 }).catch(ignoreFile); // a subPath
  const hostname = sandboxConfig.hostname === '' ? name : sandboxConfig.hostname;
  const given = await processEnvironment({
    id: containerId,
    config,
    podSets: pods.variablesOf(uid, config.metadata.name),
    hostname,
    namespace,
    user: host.options.environment,
    apiServer: host.options.apiServer(),
    podAddress,
    folder,
  });
  const budget = new ExpansionBudget();
  const expand = (text: string): string => expandVariables(text, (variable) => given[variable], budget);
  const own = Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, expand(value)]));
  return {
    command: [...command, ...(args?.map(expand) ?? config.args)],
    workingDirectory,
    environment: { ...given, ...own },
    mounts: config.mounts.map(({ hostPath, containerPath }) => ({ source: hostPath, path: containerPath })),
    root,
    hostname,
  };
}

/** A file can be mounted alone: its path exists already. */
function ignoreFile(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
