// `npm run interop:broker [-- --only brokers,catalog]`: the suite of `keelson conform broker` on a broker written in Go with brokerapi, held against what is known, and
// on the example of the kit, both as programs; then the example of a service catalog on a real kube-apiserver.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SuiteReport } from '../../../src/conform/index.ts';
import { build, runCommand, whyMissing } from '../toolchain.ts';
import { tryCatalogOnKube, whyNotOnKube } from './catalog-on-kube.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const LIMIT_MS = 10 * 60_000;

/**
 * Rules that brokerapi v13.0.0 itself breaks, whatever broker is written with it: it answers malformed bodies with 422, asks for no
 * organization and space, and has one error for instances and bindings that are not there, which is 410.
 */
const KNOWN: readonly string[] = [
  'provision-without-organization',
  'provision-without-space',
  'provision-malformed',
  'last-operation-unknown',
  'update-malformed',
  'bind-malformed',
  'binding-operation-unknown',
];

let folder = '';
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wants = (part: 'brokers' | 'catalog'): boolean =>
  values.only === undefined || values.only.split(',').includes(part);
const whyNoCatalog = whyNotOnKube();
let failed = 0;
if (wants('catalog') && whyNoCatalog !== undefined)
  console.error(`interop:broker does not run catalog: ${whyNoCatalog}`);
else if (wants('catalog')) failed += await tryCatalogOnKube();
if (wants('brokers')) failed += await judgeBrokers();
process.exitCode = failed === 0 ? 0 : 1;

async function judgeBrokers(): Promise<number> {
  const missing = whyMissing('go', ['version']);
  if (missing !== undefined) throw new Error(`interop:broker needs Go: ${missing}`);
  folder = await mkdtemp(join(tmpdir(), 'keelson-interop-broker-'));
  try {
    const program = join(folder, 'brokerapi');
    await build(['go', 'build', '-o', program, '.'], {
      cwd: join(import.meta.dirname, 'brokerapi'),
      limitMs: LIMIT_MS,
    });
    const kit = [process.execPath, 'scripts/run.mjs', 'examples/service-broker/main.ts'];
    const problems = [
      ...(await judged('brokerapi v13.0.0', [program], { parameters: '{"a":1}', known: KNOWN })),
      ...(await judged('examples/service-broker', kit, { parameters: '{"maxKeys":20}', known: [] })),
    ];
    for (const problem of problems) console.error(problem);
    return problems.length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Judging {
  readonly parameters: string;
  readonly known: readonly string[];
}

/** The differences to what is known. */
async function judged(
  name: string,
  command: readonly string[],
  { parameters, known }: Judging,
): Promise<readonly string[]> {
  const report = join(folder, 'report.json');
  const flags = ['--broker-user', 'platform:secret', '--update-parameters', parameters, '--report-json', report];
  const bindings = name.startsWith('brokerapi')
    ? ['--other-bind-parameters', '{"b":2}']
    : ['--other-bind-parameters', '{"role":"reader"}'];
  await runCommand(
    [process.execPath, 'dist/keelson.js', 'conform', 'broker', ...flags, ...bindings, '--', ...command],
    {
      cwd: root,
      limitMs: LIMIT_MS,
    },
  );
  const { cases } = JSON.parse(await readFile(report, 'utf8')) as SuiteReport;
  const broken = cases.filter(({ outcome }) => outcome.type === 'failed');
  const passed = cases.filter(({ outcome }) => outcome.type === 'passed').length;
  console.log(
    `${name}: ${passed} of ${cases.length} rules kept, ${broken.length} broken, ${known.length} of them known`,
  );
  return [
    ...broken
      .filter((each) => !known.includes(each.name))
      .map(({ name: rule, outcome }) => `${name} breaks ${rule}: ${JSON.stringify(outcome)}`),
    ...known
      .filter((rule) => !broken.some((each) => each.name === rule))
      .map((rule) => `${name} keeps ${rule}, which it was known to break`),
  ];
}
