// Records what a real kube-scheduler does with a victim that is not bound yet.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then:
//   node scripts/run.mjs test/vectors/scheduler/record-preempted-binding.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { connect, mergePatch } from '../../../src/client/index.ts';
import { NODE, preemptBinding, ROOM } from './preempted-binding.ts';

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
await using kube = await startKube({
  parts: ['kube-scheduler'],
  apiserverFlags: ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'],
});
await using client = await connect({ kubeconfig: kube.kubeconfig });
await client.core.v1.nodes.create({ metadata: { name: NODE } });
await client.core.v1.nodes.status.patch(NODE, mergePatch({ status: { allocatable: ROOM, capacity: ROOM } }));
const recorded = await preemptBinding(client, () => new Promise((resolve) => void setTimeout(resolve, 20)));
console.log(JSON.stringify(recorded, null, 2));
writeFileSync(join(import.meta.dirname, 'preempted-binding.json'), `${JSON.stringify(recorded, null, 2)}\n`);
