// Records what a real kube-apiserver answers when it runs admission plugins that are off by default.
//   node scripts/run.mjs test/vectors/admission-plugins/record.ts
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { writeVectors } from '../apply/vector.ts';
import { groups, type ScenarioGroup, startHooks } from './groups.ts';
import { play, prepare, type RecordedScenario, type ScenarioTarget } from './scenario.ts';

const recorded: RecordedScenario[] = [];
for (const group of groups) recorded.push(...(await record(group)));
writeVectors(join(import.meta.dirname, 'recorded.jsonl.gz'), recorded);
console.log(`${recorded.length} scenarios`);

async function record(group: ScenarioGroup): Promise<readonly RecordedScenario[]> {
  await using hooks = await startHooks();
  const file = join(mkdtempSync(join(tmpdir(), 'keelson-plugins-')), 'admission.json');
  const configurations = Object.entries(group.configurations?.(hooks) ?? {});
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: configurations.map(([name, configuration]) => ({ name, configuration })),
    }),
  );
  await using kube = await startKube({
    apiserverFlags: [
      `--enable-admission-plugins=${group.plugins.join(',')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--admission-control-config-file=${file}`,
    ],
  });
  const client = new KubeClient(kube.kubeconfig);
  const target: ScenarioTarget = {
    hooks,
    send: ({ method, path, body, type, as }) =>
      client.send(method, path, {
        body,
        ...(type === undefined ? {} : { type }),
        headers: as === undefined ? {} : { 'impersonate-user': as },
      }),
  };
  for (const scenario of group.scenarios) await prepare(scenario, target);
  await new Promise((resolve) => setTimeout(resolve, 3000)); // until the server has received all of it
  const done: RecordedScenario[] = [];
  for (const scenario of group.scenarios) done.push(await play(scenario, target));
  client.close();
  return done;
}
