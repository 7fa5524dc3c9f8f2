// Records what a real kube-apiserver says when conversion webhooks fail, and what it makes of good answers.
//   npm run vectors:conversion [-- SCENARIO…]
// With names only those are recorded again.
import { fileURLToPath } from 'node:url';
import { startKube } from '../../../peers/index.ts';
import { KubeClient, type Reply } from '../apply/kube-client.ts';
import { readVectors, writeVectors } from '../apply/vector.ts';
import { definitionOf } from './definition.ts';
import { HookServers } from './hook-server.ts';
import { cleaned } from './outcome.ts';
import { type RecordedScenario, type Scenario, stored } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const file = new URL('recorded.jsonl.gz', import.meta.url);
const names = process.argv.slice(2);
await using kube = await startKube({ apiserverFlags: ['--enable-aggregator-routing=true', '--watch-cache=false'] });
await using hooks = await HookServers.start(scenarios);
const client = new KubeClient(kube.kubeconfig);
for (const [name, spec] of [
  ['hook', { ports: [{ port: 8443 }] }],
  ['external', { type: 'ExternalName', externalName: 'localhost' }],
] as const) {
  const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
  const made = await client.send('POST', '/api/v1/namespaces/default/services', { body });
  if (made.code !== 201) throw new Error(JSON.stringify(made.body));
}
const known = names.length === 0 ? [] : readVectors<RecordedScenario>(file);
const recorded: RecordedScenario[] = [];
for (const [index, scenario] of scenarios.entries()) {
  const kept = names.includes(scenario.name) ? undefined : known.find(({ name }) => name === scenario.name);
  recorded.push(kept ?? (await record(scenario, `g${index}.example.com`)));
}
client.close();
writeVectors(fileURLToPath(file), recorded);
console.log(`${recorded.length} scenarios`);

async function record(scenario: Scenario, group: string): Promise<RecordedScenario> {
  const definition = definitionOf(group, hooks.conversionOf(scenario));
  await expectCode(
    client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition }),
    201,
  );
  const path = (version: string): string => `/apis/${group}/${version}/namespaces/default/crontabs`;
  const object = { ...stored, apiVersion: `${group}/v1` };
  for (let attempt = 0; ; attempt++) {
    const made = await client.send('POST', path('v1'), { body: object });
    if (made.code === 201) break;
    if (attempt > 200) throw new Error(`Cannot create in ${group}: ${JSON.stringify(made.body)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const outcome = ({ code, body }: Reply) => cleaned({ code, body }, { scenario, hooks, group });
  const get = outcome(await client.send('GET', `${path('v2')}/one`));
  const isSlow = scenario.name === 'hang';
  const create = isSlow
    ? get
    : outcome(
        await client.send('POST', path('v2'), {
          body: { ...object, apiVersion: `${group}/v2`, metadata: { ...object.metadata, name: 'two' } },
        }),
      );
  await client.send('DELETE', `${path('v1')}/two`);
  const list = isSlow ? get : outcome(await client.send('GET', path('v2')));
  await client.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata?.name}`);
  return { name: scenario.name, get, create, list };
}

async function expectCode(reply: Promise<Reply>, code: number): Promise<void> {
  const { code: got, body } = await reply;
  if (got !== code) throw new Error(`Expected ${code}, got ${got}: ${JSON.stringify(body)}`);
}
