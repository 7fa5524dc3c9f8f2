// Lets a real kube-scheduler ask extenders, good and hostile, and records what it makes of them.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then: node scripts/run.mjs test/vectors/extenders/record.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, findPeers, startKube, whyNoKube } from '../../../peers/index.ts';
import { connect, mergePatch, type Pod, type Stored } from '../../../src/client/index.ts';
import { extenderCases, NODES } from './cases.ts';
import { ExtenderServer, podNameOf, podOf, shapeOf, steady } from './extender-server.ts';
import type { RecordedExtender } from './recorded-extenders.ts';

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
await using extenders = await ExtenderServer.start();
const apiserverFlags = ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'];
await using kube = await startKube({ apiserverFlags });
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
const pods = client.core.v1.pods.namespace('default');
const recorded: RecordedExtender[] = [];
for (const [index, { name }] of extenderCases.entries()) {
  await pods.create(podOf(index));
  const { spec, status } = await tried(podNameOf(index));
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const asked = (extenders.asked.get(name) ?? []).map(shapeOf);
  recorded.push({
    name,
    asked: asked.slice(0, 2),
    ...(spec?.nodeName === undefined
      ? { reason: condition?.reason ?? '', message: steady(condition?.message ?? '', extenders.port) }
      : { node: spec.nodeName }),
  });
  console.log(JSON.stringify(recorded.at(-1)));
  await pods.delete(podNameOf(index), { gracePeriodSeconds: 0 });
}
writeFileSync(join(import.meta.dirname, 'extenders.json'), `${JSON.stringify(recorded, null, 2)}\n`);

async function tried(name: string): Promise<Stored<Pod>> {
  for (;;) {
    const pod = await pods.get(name);
    if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return pod;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
}
