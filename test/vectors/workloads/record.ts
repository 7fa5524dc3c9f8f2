// Goes through the scenarios of workloads on a real cluster and records what is seen there.
//   node scripts/run.mjs test/vectors/workloads/record.ts --kubeconfig FILE [--out FILE]
// The cluster needs kube-apiserver and kube-controller-manager with the deployment, replicaset and replicationcontroller
// controllers; no scheduler and no nodes, and admission of ServiceAccounts off.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, connect } from '../../../src/client/index.ts';
import { playScenario, workloadScenarios } from '../../../src/controllers/testing/workload-scenarios.ts';
import { type WorldTime, WorkloadWorld } from '../../../src/controllers/testing/workload-world.ts';

const QUIET_MS = 1500;
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    out: { type: 'string', default: 'src/controllers/deployment/testdata/real-cluster.json' },
  },
});

if (values.kubeconfig === undefined) {
  console.error('Cannot record: give the kubeconfig of a running Kubernetes 1.36 with --kubeconfig FILE');
  process.exit(1);
}
await using client = await connect({ kubeconfig: values.kubeconfig });
const recorded: Record<string, readonly object[]> = {};
for (const [index, [name, scenario]] of Object.entries(workloadScenarios).entries()) {
  const namespace = `keelson-workloads-${process.pid}-${index}`;
  await client.core.v1.namespaces.create({ metadata: { name: namespace } });
  const world = new WorkloadWorld(client, namespace, realTime(client, namespace));
  recorded[name] = await playScenario(scenario, world);
  await client.core.v1.namespaces.delete(namespace);
  console.log(`recorded: ${name}`);
}
writeFileSync(values.out, `${JSON.stringify(recorded, null, 1)}\n`);

/** A real cluster is quiet when no object has changed for a while. */
function realTime(cluster: Client, namespace: string): WorldTime {
  const versions = async (): Promise<string> => {
    const lists = await Promise.all([
      cluster.apps.v1.deployments.namespace(namespace).list(),
      cluster.apps.v1.replicasets.namespace(namespace).list(),
      cluster.core.v1.replicationcontrollers.namespace(namespace).list(),
      cluster.core.v1.pods.namespace(namespace).list(),
    ]);
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion)).join();
  };
  return {
    nowMs: () => Date.now(),
    pass: (seconds) => sleep(seconds * 1000),
    quiet: async () => {
      let seen = await versions();
      for (let quietMs = 0; quietMs < QUIET_MS; quietMs += QUIET_MS / 8) {
        await sleep(QUIET_MS / 8);
        const now = await versions();
        if (now !== seen) quietMs = 0;
        seen = now;
      }
    },
  };
}
