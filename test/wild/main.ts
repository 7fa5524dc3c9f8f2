// npm run wild [-- --project REGEX --seed N --verbose]: published definitions on a real kube-apiserver and on ours.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { whyMissing } from '../interop/toolchain.ts';
import { KubeClient } from '../vectors/apply/kube-client.ts';
import { compareDefinitions, compareOpenApiV2, type Servers } from './compare-definitions.ts';
import { type Trial, tryVersion } from './compare-objects.ts';
import { type Difference, differenceText } from '../support/differences.ts';
import { fetchProject } from './fetch-project.ts';
import { type Project, projects } from './projects.ts';
import { type ProjectResult, resultLine, wildDocument } from './report.ts';

const root = resolve(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: {
    project: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    bundle: { type: 'string' },
  },
});
const reason = whyNoKube() ?? whyMissing('go', ['version']);
if (reason === undefined) process.exitCode = await main();
else console.log(`wild is skipped: ${reason}`);

async function main(): Promise<number> {
  const bundle = values.bundle ?? buildBundle();
  await using kube = await startKube();
  await using keelson = await startKeelson({
    bundle,
    flags: ['--controllers=false', '--scheduler=false', '--nodes=0'],
  });
  const servers = { real: new KubeClient(kube.kubeconfig), ours: new KubeClient(keelson.kubeconfig) };
  const results: ProjectResult[] = [];
  for (const project of projects.filter(({ name }) => new RegExp(values.project).test(name))) {
    const result = await tryProject(project, servers);
    if (result === undefined) continue;
    results.push(result);
    console.log(resultLine(result));
  }
  const documents = await compareOpenApiV2(
    results.flatMap(({ definitions }) => definitions),
    servers,
  );
  tell(documents);
  servers.real.close();
  servers.ours.close();
  if (values.project === '')
    writeFileSync(join(root, 'docs', 'reference', 'wild.md'), wildDocument(results, documents));
  const isEqual = ({ differences, trials }: ProjectResult): boolean =>
    differences.length === 0 && trials.every(({ unequal }) => unequal.length === 0);
  return results.every(isEqual) && documents.length === 0 ? 0 : 1;
}

async function tryProject(project: Project, servers: Servers): Promise<ProjectResult | undefined> {
  const missing = project.source.type === 'maven' ? (whyMissing('mvn') ?? whyMissing('java')) : undefined;
  if (missing !== undefined) {
    console.log(`${project.name} is skipped: ${missing}`);
    return undefined;
  }
  const { definitions, manifests } = fetchProject(project);
  const differences = await compareDefinitions(definitions, servers);
  tell(differences);
  const trials: Trial[] = [];
  for (const definition of definitions) {
    for (const version of definition.spec.versions.filter(({ served }) => served)) {
      const trial = await tryVersion(definition, version, { servers, manifests, seed: Number(values.seed) });
      trials.push(trial);
      for (const { title, object, differences: unequal } of trial.unequal) {
        console.log(`  ${title}`);
        tell(unequal);
        if (values.verbose) console.log(`    ${JSON.stringify(object)}`);
      }
    }
  }
  return { project, definitions, differences, trials };
}

function tell(differences: readonly Difference[]): void {
  for (const difference of differences.slice(0, values.verbose ? 100 : 5))
    console.log(`    ${differenceText(difference)}`);
  if (differences.length > 5) console.log(`    ${differences.length} differences`);
}

function buildBundle(): string {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--bundles-only'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Cannot build the bundle');
  return join(root, 'dist', 'keelson.js');
}
