import { mergePatch, Node } from '../../client/index.ts';
import { controller, type Controller } from '../../kit/index.ts';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** How long kubelets may cache ConfigMaps and Secrets, in seconds, by the number of nodes. */
const steps = [
  { fewest: 0, most: 100, seconds: 0 },
  { fewest: 90, most: 500, seconds: 15 },
  { fewest: 450, most: 1000, seconds: 30 },
  { fewest: 900, most: 2000, seconds: 60 },
  { fewest: 1800, most: Infinity, seconds: 300 },
] as const;

/** The step for a number of nodes, given the current step: within an overlap it stays. */
export function ttlStep(nodes: number, current: number): number {
  let step = current;
  while (nodes > (steps[step]?.most ?? Infinity)) step += 1;
  while (nodes < (steps[step]?.fewest ?? 0)) step -= 1;
  return step;
}

/** Annotates nodes with the TTL for kubelets' caches: the more nodes, the longer. */
export function ttlController(): Controller {
  let step = 0;
  return controller(Node, {
    name: 'ttl-controller',
    queueName: 'ttlcontroller',
    async reconcile(node, { objects, key }) {
      const nodes = objects(Node);
      step = ttlStep(nodes.list().length, step);
      const seconds = String(steps[step]?.seconds ?? 0);
      const current = node.metadata.annotations?.[ANNOTATION] ?? '';
      if (/^[+-]?\d+$/.test(current) && Number(current) === Number(seconds)) return;
      await nodes.patch(key, mergePatch({ metadata: { annotations: { [ANNOTATION]: seconds } } }));
    },
  });
}
