// Explores the operators among the examples: `npm run explore:examples [-- NAME… --plans N --pairs --part 1/4]`.
import { explore, type ExploreOptions, type ExploreReport } from 'keelson/testing';
import { parseArgs } from 'node:util';
import { catalog } from './catalog-scenario.ts';
import * as scenarios from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plans: { type: 'string', default: '1000' },
    part: { type: 'string', default: '1/1' },
    pairs: { type: 'boolean', default: false },
  },
});
const explorations: Readonly<Record<string, (options: ExploreOptions) => Promise<ExploreReport>>> = {
  ...Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => [
      name,
      (options: ExploreOptions) => explore(scenario, options),
    ]),
  ),
  catalog: (options) => explore(catalog, options),
};
let findings = 0;
for (const [name, exploring] of Object.entries(explorations)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const [part = 1, count = 1] = values.part.split('/').map(Number);
  const options = {
    maxPlans: Number(values.plans),
    maxFaults: values.pairs ? 2 : 1,
    budget: '14m',
    part: { index: part - 1, count },
  } as const;
  const report = await exploring(options);
  const { heapUsed } = process.memoryUsage();
  findings += report.findings.length;
  console.log(`${report.text}\nheap: ${(heapUsed / 2 ** 20).toFixed(0)} MiB\n`);
}
process.exitCode = findings > 0 ? 1 : 0;
