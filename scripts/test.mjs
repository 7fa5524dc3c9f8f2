// `npm test`: every check, in order; the slow ones last. Prints `N passed, N failed` at the end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'));
const report = join(scratch, 'vitest.json');

const checks = [
  ['generated tables', process.execPath, ['scripts/run.mjs', 'scripts/generate.ts']],
  ['types', bin('tsc'), ['--noEmit']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ['format', bin('oxfmt'), ['--check']],
  ['import rule', process.execPath, ['scripts/run.mjs', 'scripts/check-imports.ts']],
  ['docs', process.execPath, ['scripts/run.mjs', 'scripts/check-docs.ts']],
  ['bundle', process.execPath, ['scripts/build.mjs']],
  ['tests', bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
];

let passed = 0;
let failed = 0;
for (const [name, command, args] of checks) {
  console.log(`\n=== ${name}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (name !== 'tests') {
    if (status === 0) passed += 1;
    else failed += 1;
    continue;
  }
  const counts = readReport();
  passed += counts.passed;
  failed += counts.failed;
  if (status !== 0 && counts.failed === 0) failed += 1; // a suite that could not even be loaded
}
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function readReport() {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 1 }; // vitest wrote no report: it did not get that far
  }
}
