// Explores the operators among the examples: `npm run explore:examples [-- NAME… --plans N --pairs]`.
import { explore } from 'keelson/testing';
import { parseArgs } from 'node:util';
import * as scenarios from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plans: { type: 'string', default: '1000' }, pairs: { type: 'boolean', default: false } },
});
let findings = 0;
for (const [name, scenario] of Object.entries(scenarios)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const options = { maxPlans: Number(values.plans), maxFaults: values.pairs ? 2 : 1, budget: '14m' } as const;
  const report = await explore(scenario, options);
  const { heapUsed } = process.memoryUsage();
  findings += report.findings.length;
  console.log(`${report.text}\nheap: ${(heapUsed / 2 ** 20).toFixed(0)} MiB\n`);
}
process.exitCode = findings > 0 ? 1 : 0;
