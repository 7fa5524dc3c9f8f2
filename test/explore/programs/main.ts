// Explores operators in other languages, each with one planted mistake and without it: `npm run explore:programs [-- NAME…]`.
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { explore, type FaultGroup } from 'keelson/testing';
import { parseArgs } from 'node:util';
import { exploredClients, type InteropClient } from '../../interop/clients.ts';
import { life } from './life.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    verbose: { type: 'boolean', default: false },
    twins: { type: 'boolean', default: false },
    faults: { type: 'string', default: '' },
    parallel: { type: 'string', default: '2' },
    budget: { type: 'string', default: '600' },
  },
});
const cacheFolder = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const cache = process.env['KEELSON_INTEROP'] ?? join(cacheFolder, 'keelson', 'interop');
const sources = join(import.meta.dirname, '..', '..', 'interop', 'programs');

/** A program whose commands differ in `--planted`. */
const programs: readonly InteropClient[] = [
  {
    subject: 'fetch',
    whyNot: () => undefined,
    prepare: async () => ({
      command: ['node', join(import.meta.dirname, 'fetch', 'operator.mjs')],
      cwd: import.meta.dirname,
    }),
  },
  ...exploredClients({ sources, cache }),
];

await mkdir(cache, { recursive: true });
let isWrong = false;
for (const program of programs) {
  if (positionals.length > 0 && !positionals.includes(program.subject)) continue;
  const missing = program.whyNot();
  if (missing !== undefined) {
    console.log(`${program.subject}: skipped, ${missing}`);
    continue;
  }
  const { command, cwd } = await program.prepare();
  const budget = Number(values.budget) * 1000;
  for (const isPlanted of values.twins ? [false] : [true, false]) {
    const scenario = {
      ...life,
      name: `${program.subject}${isPlanted ? ' (planted)' : ' (correct)'}`,
      run: isPlanted ? [...command, '--planted'] : command,
      workingFolder: cwd,
      parallel: Number(values.parallel),
    };
    const report = await explore(scenario, {
      budget,
      ...(isPlanted ? { maxFindings: 1 } : {}),
      ...(values.faults === '' ? {} : { faults: values.faults.split(',') as FaultGroup[] }),
      onProgress: ({ done, total, findings }) =>
        void process.stderr.write(`\r${scenario.name}: ${done} of ${total} plans, ${findings} found `),
    });
    process.stderr.write('\n');
    console.log(values.verbose || report.findings.length > 0 ? report.text : report.text.split('\n', 4).join('\n'));
    if (isPlanted === (report.findings.length === 0)) isWrong = true;
  }
}
console.log(isWrong ? 'a planted mistake was not found, or a correct operator was accused' : 'as expected');
process.exitCode = isWrong ? 1 : 0;
