import { describeNodeBackend } from './describe-node-backend.ts';
import { MemoryMachine } from './memory-backend.ts';

describeNodeBackend('the backend in memory', () => {
  const machine = new MemoryMachine();
  return {
    open: machine.open,
    exit: async (cluster, pod, code) => {
      for (const { id, labels } of machine.containers.values())
        if (labels['io.kubernetes.pod.name'] === pod) machine.exit(id, code, cluster.clock.now());
      await cluster.settle();
    },
    rest: async () => machine.rest,
    setNetworkReady: (isReady) => (machine.isNetworkReady = isReady),
    setEdits: (edits) => (machine.edits = edits),
  };
});
