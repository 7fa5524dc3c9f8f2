// Lets a real kube-scheduler ask extenders which pods are to go, and records what it makes of their answers.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then: node scripts/run.mjs test/vectors/extenders/record-preemption.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, findPeers, startKube, whyNoKube } from '../../../peers/index.ts';
import { connect, mergePatch } from '../../../src/client/index.ts';
import { NODES } from './cases.ts';
import { ExtenderServer } from './extender-server.ts';
import { preemptionCases } from './preemption-cases.ts';
import { PreemptionRun, type RecordedPreemption } from './preemption-run.ts';

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
await using extenders = await ExtenderServer.start(preemptionCases);
await using kube = await startKube({
  apiserverFlags: ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'],
});
await using client = await connect({ kubeconfig: kube.kubeconfig });
for (const name of NODES) {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '1000' };
  await client.core.v1.nodes.create({ metadata: { name } });
  await client.core.v1.nodes.status.patch(name, mergePatch({ status: { allocatable, capacity: allocatable } }));
}
const config = join(kube.folder, 'scheduler.json');
writeFileSync(config, JSON.stringify(extenders.configuration({ clientConnection: { kubeconfig: kube.kubeconfig } })));
const path = findPeers(['kube-scheduler']).paths?.['kube-scheduler'] ?? '';
const flags = ['--config', config, '--secure-port=0'];
await using _scheduler = new Daemon(path, flags, { logPath: join(kube.folder, 'scheduler.log') });
const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20));
const run = new PreemptionRun({ client, extenders, pause });
await run.prepare();
const recorded: RecordedPreemption[] = [];
for (const index of preemptionCases.keys()) {
  recorded.push(await run.try(index));
  console.log(JSON.stringify(recorded.at(-1)));
}
writeFileSync(join(import.meta.dirname, 'preemption.json'), `${JSON.stringify(recorded, null, 2)}\n`);
