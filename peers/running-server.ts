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
}

/** What servers take as an administrator's bearer token. */
export const ADMIN_TOKEN = 'peer-admin-token';
export const TOKEN_FILE = `${ADMIN_TOKEN},peer-admin,1,"system:masters"\n`;
