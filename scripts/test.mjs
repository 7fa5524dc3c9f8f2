// `npm test`: every check, in order; the slow ones last. Names skipped tests and prints `N passed, N failed, N skipped` at the end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skippedTests } from './skipped-tests.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'));
const report = join(scratch, 'vitest.json');
const { name: packageName, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const environment = { ...process.env, KEELSON_TARBALL: join(scratch, `${packageName}-${version}.tgz`) };

const checks = [
  ['generated tables', process.execPath, ['scripts/run.mjs', 'scripts/generate.ts']],
  ['types', bin('tsc'), ['--noEmit']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ['format', bin('oxfmt'), ['--check']],
  ['import rule', process.execPath, ['scripts/run.mjs', 'scripts/check-imports.ts']],
  ['docs', process.execPath, ['scripts/run.mjs', 'scripts/check-docs.ts']],
  ['package', 'npm', ['pack', '--pack-destination', scratch]],
  ['tests', bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
];

let passed = 0;
let failed = 0;
let skipped = 0;
const notes = [];
for (const [name, command, args] of checks) {
  console.log(`\n=== ${name}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: environment });
  if (name !== 'tests') {
    if (status === 0) passed += 1;
    else failed += 1;
    continue;
  }
  const counts = readReport();
  passed += counts.passed;
  failed += counts.failed;
  skipped += counts.skipped;
  notes.push(...counts.notes);
  if (status !== 0 && counts.failed === 0) failed += 1; // an error outside of any test
}
rmSync(scratch, { recursive: true, force: true });
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);

function readReport() {
  let read;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, notes: [] }; // vitest wrote no report: it did not get that far
  }
  const { numPassedTests: passed, numFailedTests: failed, numTotalTests: total, testResults } = read;
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed,
    failed: failed + unloaded.length,
    skipped: total - passed - failed,
    notes: skippedTests(read, root),
  };
}
