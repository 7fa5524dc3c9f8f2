import { setTimeout as sleep } from 'node:timers/promises';
import { connect, hasReason } from '../../src/client/index.ts';

/** What a cluster does besides answering requests; the suite's own checks are turned off where it cannot meet them. */
export interface ServerAbilities {
  readonly nodes: number;
  /** New namespaces get a ServiceAccount `default` and a ConfigMap `kube-root-ca.crt`. */
  readonly fillsNamespaces: boolean;
  /** Deleted namespaces go away. */
  readonly removesNamespaces: boolean;
}

const PROBE = 'conformance-probe';
const PATIENCE_MS = 10_000;
const POLL_MS = 100;

/** Tries a namespace out. */
export async function findAbilities(kubeconfig: string): Promise<ServerAbilities> {
  await using client = await connect({ kubeconfig });
  const { namespaces, configmaps, serviceaccounts, nodes } = client.core.v1;
  await namespaces.create({ metadata: { name: PROBE } });
  const fillsNamespaces = await becomesTrue(async () => {
    return (
      (await exists(() => serviceaccounts.namespace(PROBE).get('default'))) &&
      (await exists(() => configmaps.namespace(PROBE).get('kube-root-ca.crt')))
    );
  });
  await namespaces.delete(PROBE);
  const removesNamespaces = await becomesTrue(async () => !(await exists(() => namespaces.get(PROBE))));
  return { nodes: (await nodes.list()).items.length, fillsNamespaces, removesNamespaces };
}

async function exists(get: () => Promise<unknown>): Promise<boolean> {
  try {
    await get();
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

async function becomesTrue(check: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (await check()) return true;
    await sleep(POLL_MS);
  }
  return false;
}
