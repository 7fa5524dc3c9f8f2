// Records what a real kube-apiserver makes of admission webhooks that answer well, badly or not at all.
//   node scripts/run.mjs test/vectors/admission/record.ts
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { writeVectors } from '../apply/vector.ts';
import { HookServers } from '../conversion/hook-server.ts';
import {
  type AdmissionScenario,
  collectionOf,
  configurationOf,
  hookScenarios,
  outcomeOf,
  pathOf,
  type RecordedAdmission,
  stepsOf,
} from './scenario.ts';
import { scenarios } from './scenarios.ts';

await using kube = await startKube({
  apiserverFlags: ['--enable-aggregator-routing=true', '--disable-admission-plugins=ServiceAccount'],
});
await using hooks = await HookServers.start(hookScenarios(scenarios));
const client = new KubeClient(kube.kubeconfig);
await client.send('POST', '/api/v1/namespaces/default/services', {
  body: { metadata: { name: 'hook' }, spec: { ports: [{ port: 8443 }] } },
});
for (const scenario of scenarios) {
  const { code, body } = await client.send('POST', collectionOf(scenario), { body: configurationOf(scenario, hooks) });
  if (code !== 201) throw new Error(`Cannot configure "${scenario.name}": ${JSON.stringify(body)}`);
}
await new Promise((resolve) => setTimeout(resolve, 3000)); // until the server has received all of them
const recorded: RecordedAdmission[] = [];
for (const scenario of scenarios) recorded.push(await record(scenario));
client.close();
writeVectors(join(import.meta.dirname, 'recorded.jsonl.gz'), recorded);
console.log(`${recorded.length} scenarios`);

async function record(scenario: AdmissionScenario): Promise<RecordedAdmission> {
  let last: Parameters<typeof outcomeOf>[0] = { code: 0, body: undefined, warnings: [] };
  for (const step of stepsOf(scenario)) {
    const { body, type } = step;
    const reply = await client.send(step.method, pathOf(step), { body, ...(type === undefined ? {} : { type }) });
    last = { code: reply.code, body: reply.body, warnings: reply.warnings };
  }
  return outcomeOf(last, scenario, hooks);
}
