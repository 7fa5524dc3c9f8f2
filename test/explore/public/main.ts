// Explores operators of others: `npm run explore:public [-- NAME@VERSION… --faults crash --budget 1800]`. They are built from the Go proxy.
import { cp, mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explore, type FaultGroup } from 'keelson/testing';
import { readScenarioFile } from '../../../src/cli/explore/scenario-file.ts';
import { build, runCommand, whyMissing } from '../../interop/toolchain.ts';
import { publicOperators, type PublicOperator } from './operators.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    verbose: { type: 'boolean', default: false },
    faults: { type: 'string', default: '' },
    parallel: { type: 'string', default: '2' },
    budget: { type: 'string', default: '1800' },
  },
});
const BUILD_LIMIT_MS = 60 * 60_000;
const cacheFolder = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const cache = join(process.env['KEELSON_INTEROP'] ?? join(cacheFolder, 'keelson', 'interop'), 'public');

/** A folder with the operator, its definitions and its scenario. */
async function prepared({ name, module, program, definitions }: PublicOperator, version: string): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const source = join(folder, 'source');
  await mkdir(folder, { recursive: true });
  if (!(await readdir(folder)).includes('manager')) {
    const go = { cwd: folder, limitMs: BUILD_LIMIT_MS, environment: { GOFLAGS: '-mod=mod -buildvcs=false' } };
    const { stdout } = await runCommand(['go', 'mod', 'download', '-json', `${module}@${version}`], go);
    const { Dir: files = '' } = JSON.parse(stdout) as { readonly Dir?: string };
    if (files === '') throw new Error(`Cannot get ${module}@${version} from the Go proxy`);
    await cp(files, source, { recursive: true });
    await build(['chmod', '-R', 'u+w', source], go); // the module cache is read-only
    await build(['go', 'build', '-p', '1', '-o', join(folder, 'manager'), program], { ...go, cwd: source });
    await cp(join(source, definitions), join(folder, 'crd'), { recursive: true });
  }
  await cp(join(import.meta.dirname, name, 'scenario.yaml'), join(folder, 'scenario.yaml'));
  return folder;
}

let isWrong = false;
const missing = whyMissing('go', ['version']);
if (missing !== undefined) console.log(`skipped, ${missing}`);
for (const operator of missing === undefined ? publicOperators : [])
  for (const version of operator.versions) {
    const name = `${operator.name}@${version}`;
    if (positionals.length > 0 && !positionals.includes(name) && !positionals.includes(operator.name)) continue;
    const folder = await prepared(operator, version);
    const scenario = await readScenarioFile(join(folder, 'scenario.yaml'));
    const report = await explore(
      { ...scenario, name, parallel: Number(values.parallel) },
      {
        budget: Number(values.budget) * 1000,
        ...(values.faults === '' ? {} : { faults: values.faults.split(',') as FaultGroup[] }),
        onProgress: ({ done, total, findings }) =>
          void process.stderr.write(`${name}: ${done} of ${total} plans, ${findings} found\n`),
      },
    );
    console.log(values.verbose ? report.text : report.text.split('\n', 4).join('\n'));
    for (const { oracle, message, faults } of report.findings)
      console.log(`  ${oracle}: ${message}\n    ${faults.join('; ') || 'without any fault'}`);
    for (const { issue, message, versions } of operator.mistakes) {
      const isThere = report.findings.some((finding) => message.test(finding.message));
      const isRight = isThere === versions.includes(version);
      console.log(`  ${issue}: ${isThere ? 'found' : 'not found'}, ${isRight ? 'as expected' : 'NOT as expected'}`);
      if (!isRight) isWrong = true;
    }
  }
process.exitCode = isWrong ? 1 : 0;
