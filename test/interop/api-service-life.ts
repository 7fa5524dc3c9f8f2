import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectText, type Kubectl } from './extension-programs.ts';

const LABEL = 'interop-sample';
const UPDATED = { type: 'StatusUpdated', status: 'True', reason: 'Interop', message: 'Set-by-hand' };

/** What Kubernetes' conformance test of the aggregator does with an APIService whose server runs. */
export function apiServiceSteps(kubectl: Kubectl, name: string, folder: string) {
  const path = `/apis/apiregistration.k8s.io/v1/apiservices`;
  const conditions = (subject: string): Promise<string> =>
    kubectl.run(`get apiservice ${subject} --subresource=status -o jsonpath={.status.conditions[*].type}`);
  return {
    'status of the APIService, read and written': async () => {
      expectText(await conditions(name), 'Available');
      const patch = JSON.stringify({ status: { conditions: [UPDATED] } });
      await kubectl.run(`patch apiservice ${name} --subresource=status --type=strategic -p ${patch}`);
      const types = await conditions(name);
      for (const type of ['Available', 'StatusUpdated']) expectText(types, type);
    },
    'APIService patched, labelled, listed and replaced': async () => {
      await kubectl.run(`patch apiservice ${name} --type=merge -p {"spec":{"versionPriority":400}}`);
      await kubectl.run(`label apiservice ${name} ${LABEL}=yes`);
      const file = join(folder, 'api-service.json');
      await writeFile(file, await kubectl.run(`get apiservice ${name} -o json`));
      const read = JSON.parse(await readFile(file, 'utf8')) as { metadata: { labels: Record<string, string> } };
      read.metadata.labels['replaced'] = 'yes';
      await writeFile(file, JSON.stringify(read));
      await kubectl.run(`replace -f ${file}`);
      const found = await kubectl.run(
        `get apiservices -l ${LABEL}=yes,replaced=yes -o jsonpath={.items[*].spec.versionPriority}`,
      );
      if (found !== '400') throw new Error(`its priority is "${found}"`);
      expectText(await kubectl.run('get flunders'), 'my-first-flunder');
    },
    'APIService deleted as one of a collection': async () => {
      const { stderr: refused } = await kubectl.try(`get --raw ${path}/${name}`);
      if (refused !== '') throw new Error(refused);
      await kubectl.run(`delete --raw ${path}?labelSelector=${LABEL}%3Dyes`);
      expectText((await kubectl.try(`get apiservice ${name}`)).stderr, 'not found');
    },
  };
}
