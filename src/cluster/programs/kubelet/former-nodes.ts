import { type Client, hasReason } from '../../../client/index.ts';

/** The annotation of a node that says which nodes it runs with: see `nodeGroup`. */
const NODE_GROUP = 'keelson.dev/node-group';

/** What runs nodes: the cluster that owns the store, one of several processes on a store, or `keelson node`. */
export type NodeRunner = { readonly type: 'cluster' } | { readonly type: 'process' | 'node'; readonly name: string };

/** The nodes that one runner runs, and has run before, have the same group. */
export function nodeGroup(runner: NodeRunner): string {
  return runner.type === 'cluster' ? runner.type : `${runner.type}/${runner.name}`;
}

export function groupAnnotations(runner: NodeRunner): Record<string, string> {
  return { [NODE_GROUP]: nodeGroup(runner) };
}

/**
 * Deletes the nodes that the runner ran before and does not run now. Their pods are left to the controllers, as those of any node that is
 * gone. A node that cannot be deleted is logged; it becomes NotReady when its lease expires.
 */
export async function removeFormerNodes(client: Client, runner: NodeRunner, names: readonly string[]): Promise<void> {
  const { nodes } = client.core.v1;
  const group = nodeGroup(runner);
  const current = new Set(names);
  const { items } = await nodes.list();
  for (const { metadata } of items) {
    const { name, uid, annotations } = metadata;
    if (annotations?.[NODE_GROUP] !== group || current.has(name)) continue;
    try {
      await nodes.delete(name, { preconditions: { uid } });
      client.log.info('node removed that no longer runs', { node: name });
    } catch (error) {
      if (!hasReason(error, 'NotFound'))
        client.log.warn('node that no longer runs cannot be removed', { node: name, error });
    }
  }
}
