// The checks besides the tests, for `npm run check` and `npm test`: all at once, since each waits for the others' cores only part of the time.
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFailure } from './failed-tests.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const program = (name) => [process.execPath, ['scripts/run.mjs', `scripts/${name}`]];

/** What the others read is written first. */
export const GENERATE = ['generated tables', ...program('generate.ts')];

/** The longest first. */
export const CHECKS = [
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ['types', ...program('check-types.ts')],
  ['docs', ...program('check-docs.ts')],
  ['import rule', ...program('check-imports.ts')],
  ['words', ...program('check-words.ts')],
  ['format', bin('oxfmt'), ['--check']],
];

/** Runs commands at the same time, and prints the output of each when it ends; resolves to how many passed and failed. */
export async function runChecks(checks, environment = process.env) {
  const results = await Promise.all(checks.map((check) => runCheck(check, environment)));
  return { passed: results.filter(Boolean).length, failed: results.filter((isGood) => !isGood).length };
}

async function runCheck([name, command, args], environment) {
  const startMs = Date.now();
  const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (data) => output.push(data));
  child.stderr.on('data', (data) => output.push(data));
  const code = await new Promise((ended) => {
    child.once('close', ended);
    child.once('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      ended(-1);
    });
  });
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1);
  const text = Buffer.concat(output).toString().trimEnd();
  console.log(`\n=== ${name}: ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s${text === '' ? '' : `\n${text}`}`);
  if (code !== 0) console.log(describeFailure(`check: ${name}`, text).join('\n'));
  return code === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const first = await runChecks([GENERATE]);
  const { passed, failed } = await runChecks(CHECKS);
  console.log(`\n${first.passed + passed} passed, ${first.failed + failed} failed`);
  process.exit(first.failed + failed === 0 ? 0 : 1);
}
