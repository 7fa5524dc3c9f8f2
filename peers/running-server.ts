import type { Daemon } from './daemon.ts';

/** A control plane on loopback ports, real or ours. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** Path of a kubeconfig whose user is in system:masters. */
  readonly kubeconfig: string;
  /** A bearer token of the same rights. */
  readonly token: string;
  /** Holds pki/{ca.crt,admin.crt,admin.key,…}, NAME.log, the data. */
  readonly folder: string;
  readonly daemons: readonly Daemon[];
  /** From the start of the first process until /readyz said yes. */
  readonly startMs: number;
  stop(): Promise<void>;
  /** Kills the server with SIGKILL and starts it again with the same arguments; undefined for servers of several processes. */
  readonly restartKilled?: () => Promise<void>;
}

/** What servers take as an administrator's bearer token. */
export const ADMIN_TOKEN = 'peer-admin-token';

/** Users without rights of their own, for tests of what roles give them: name, and groups. */
const OTHERS: Readonly<Record<string, readonly [name: string, ...groups: string[]]>> = {
  alice: ['alice', 'devs'],
  bob: ['bob'],
  mona: ['mona', 'system:monitoring'],
  node: ['system:node:n1', 'system:nodes'],
  scheduler: ['system:kube-scheduler'],
  account: ['system:serviceaccount:kube-system:robot', 'system:serviceaccounts', 'system:serviceaccounts:kube-system'],
};

/** The bearer token of one of the other users. */
export function tokenOf(user: string): string {
  if (!Object.hasOwn(OTHERS, user)) throw new Error(`Cannot find the token of "${user}": there is no such user`);
  return `peer-${user}-token`;
}

export const TOKEN_FILE = [
  `${ADMIN_TOKEN},peer-admin,1,"system:masters"`,
  ...Object.entries(OTHERS).map(([user, [name, ...groups]]) => `${tokenOf(user)},${name},,"${groups.join(',')}"`),
  '',
].join('\n');
