import { extender, type NodeView, type SchedulerExtender } from 'keelson';

export const GPU = 'acme.dev/gpu';
/** The label with the number of a node's GPUs. */
export const COUNT = 'acme.dev/gpus';
/** The model of a node's GPUs, and the one that a pod wants. */
export const MODEL = 'acme.dev/gpu-model';

/** Places pods that request GPUs on nodes with free ones of the right model, where the fewest stay free. */
export function gpuExtender(): SchedulerExtender {
  return extender('gpu-fit', {
    resources: [GPU],
    weight: 5,
    filter(pod, node) {
      const model = pod.annotations[MODEL];
      if (countOf(node) === 0) return { never: 'node(s) had no GPU' };
      if (model !== undefined && model !== node.labels[MODEL]) return { never: 'node(s) had another model of GPU' };
      return freeOn(node) >= pod.requests(GPU) ? undefined : 'Insufficient GPUs';
    },
    score: (pod, node) => 10 - Math.min(10, freeOn(node) - pod.requests(GPU)),
    // deleting pods helps if they have GPUs, and enough of them
    preempt: (pod, node) =>
      freeOn(node) + node.victims.reduce((sum, victim) => sum + victim.requests(GPU), 0) >= pod.requests(GPU),
  });
}

function countOf({ labels }: NodeView): number {
  return Number(labels[COUNT] ?? 0);
}

function freeOn(node: NodeView): number {
  return countOf(node) - node.pods.reduce((sum, pod) => sum + pod.requests(GPU), 0);
}
