import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigText } from '../../../cluster/index.ts';
import { insidesOf } from '../../cluster-insides.ts';
import type { TestCluster } from '../../test-cluster.ts';

/** Whom the program acts as. */
export interface ProgramIdentity {
  readonly user: string;
  readonly groups: readonly string[];
}

const ADMINISTRATOR: ProgramIdentity = { user: 'explored-operator', groups: ['system:masters'] };

/** The user of a program: an administrator, or the service account that is written `NAMESPACE/NAME`. */
export function identityOf(serviceAccount: string | undefined): ProgramIdentity {
  if (serviceAccount === undefined) return ADMINISTRATOR;
  const [namespace = '', name = '', ...more] = serviceAccount.split('/');
  if (namespace === '' || name === '' || more.length > 0)
    throw new Error(`Cannot explore as service account "${serviceAccount}": it is written NAMESPACE/NAME`);
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}

/** A kubeconfig of a program. Disposing removes it. */
export interface ProgramKubeconfig extends AsyncDisposable {
  readonly path: string;
}

/** Opens a port of the cluster, and writes a kubeconfig with a certificate for the program's user. */
export async function openFor({ user, groups }: ProgramIdentity, cluster: TestCluster): Promise<ProgramKubeconfig> {
  await cluster.kubeconfig(); // opens the port
  const { plane } = insidesOf(cluster);
  const client = plane.issue({ subject: { commonName: user, organizations: groups }, usage: 'client' });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-explore-'));
  const path = join(folder, 'kubeconfig');
  await writeFile(path, kubeconfigText({ ...plane.access, client }), { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
