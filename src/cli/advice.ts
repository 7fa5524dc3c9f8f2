import { defaultDataFolder } from './commands/log-flags.ts';
import { portOwner } from './running/port-owner.ts';
import { RunningClusters } from './running/running-clusters.ts';

/** What the people at the terminal can do about an error. */
export interface Advice {
  /** A clearer message than the error's own. */
  readonly message?: string;
  readonly hint: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Advice about errors that have their cause outside of the program: ports, locks, folders. */
export async function adviceOn(error: unknown, environment: Environment): Promise<Advice | undefined> {
  const chain = chainOf(error);
  const taken = chain.find((each) => codeOf(each) === 'EADDRINUSE');
  if (taken !== undefined) return portAdvice(taken as PortError, environment);
  if (chain.some((each) => (each as { readonly reason?: unknown }).reason === 'Locked'))
    return { hint: 'stop that process first, or use another folder: --data-dir DIR' };
  const refused = chain.find((each) => ['EROFS', 'EACCES', 'EPERM'].includes(codeOf(each) ?? ''));
  return refused === undefined ? undefined : folderAdvice(chain, refused);
}

interface PortError {
  readonly address?: string;
  readonly port?: number;
}

async function portAdvice({ address = '', port = 0 }: PortError, environment: Environment): Promise<Advice> {
  const clusters = await new RunningClusters(defaultDataFolder(environment)).list();
  const cluster = clusters.find(({ access }) => new URL(access.server).port === String(port));
  const owner = cluster === undefined ? await portOwner(port) : `${cluster.pid} (${cluster.command})`;
  const by = owner === undefined ? 'another process' : `process ${owner}`;
  return {
    message: `Cannot listen at ${address === '' ? '' : `${address}:`}${port}: ${by} has that port`,
    hint: '--port N takes another port, --port 0 any that is free',
  };
}

function folderAdvice(chain: readonly Error[], refused: Error): Advice | undefined {
  const { path } = refused as NodeJS.ErrnoException;
  if (path === undefined) return undefined;
  const why = codeOf(refused) === 'EROFS' ? 'is on a read-only file system' : 'may not be written by this user';
  const isKubeconfig = chain.some(({ message }) => message.includes('kubeconfig'));
  return {
    message: `Cannot write "${path}": it ${why}`,
    hint: isKubeconfig
      ? '--kubeconfig-out FILE writes the kubeconfig elsewhere'
      : '--data-dir DIR keeps the data elsewhere, --in-memory keeps none',
  };
}

function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
