// Explores every planted mistake and its correct twin: `npm run explore:planted [-- NAME… --verbose]`.
import { explore } from 'keelson/testing';
import { parseArgs } from 'node:util';
import { pairs } from './pairs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', default: false }, twins: { type: 'boolean', default: false } },
});
const wanted = pairs.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const missed: string[] = [];
const alarms: string[] = [];
let longestMs = 0;
for (const { name, mistake, scenario, faults } of wanted) {
  const options = { budget: '10m', ...(faults === undefined ? {} : { faults }) } as const;
  const found = values.twins ? undefined : await explore(scenario(true), { ...options, maxFindings: 1 });
  const clean = await explore(scenario(false), options);
  longestMs = Math.max(longestMs, found?.durationMs ?? 0, clean.durationMs);
  if (found?.findings.length === 0) missed.push(name);
  if (clean.findings.length > 0) alarms.push(name);
  const [first] = found?.findings ?? [];
  console.log(`${name}: ${mistake}`);
  if (found !== undefined)
    console.log(
      `  found in ${found.plans} plans, ${found.durationMs.toFixed(0)} ms: ${first === undefined ? 'NOTHING' : `${first.oracle}: ${first.message}; ${first.faults.join('; ') || 'no fault'}`}`,
    );
  console.log(
    `  correct: ${clean.findings.length} findings in ${clean.plans} plans (${clean.skipped} did not fit), ${clean.durationMs.toFixed(0)} ms`,
  );
  if (values.verbose && found !== undefined) console.log(found.text);
  if (clean.findings.length > 0 || values.verbose) console.log(clean.text);
}
const count = wanted.length;
console.log(
  `\n${count - missed.length} of ${count} found, ${alarms.length} false alarms, the longest took ${(longestMs / 1000).toFixed(1)} s`,
);
if (missed.length > 0) console.log(`not found: ${missed.join(', ')}`);
if (alarms.length > 0) console.log(`false alarms: ${alarms.join(', ')}`);
process.exitCode = alarms.length > 0 || missed.length > count / 10 ? 1 : 0;
