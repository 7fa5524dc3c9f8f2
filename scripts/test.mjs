// `npm test`: every check and every test. Names skipped tests and prints `N passed, N failed, N skipped` at the end.
// `npm test -- --changed[=REVISION]`: every check, and the tests that reach what differs from the revision (default HEAD).
// `npm test -- --fast`: only the tests of single modules, for another version of Node.js.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedSince, related, trackedTests } from './changed-tests.mjs';
import { CHECKS, GENERATE, runChecks } from './checks.mjs';
import { FAILED, failedTests } from './failed-tests.mjs';
import { skippedTests } from './skipped-tests.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { changed, isFast } = readArguments(process.argv.slice(2));
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'));
const report = join(scratch, 'vitest.json');
const { name: packageName, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tarball = join(scratch, `${packageName}-${version}.tgz`);

const selected = changed === undefined ? 'all' : related(changedSince(changed, root), trackedTests(root));
/** More files than this fail for a reason of their own. */
const MAX_FILES_AGAIN = 5;
/** How lines begin that name what failed first and passed when it ran alone. */
const UNSTABLE = 'UNSTABLE ';
const totals = { passed: 0, failed: 0, skipped: 0 };
const notes = [];
add(await runChecks([GENERATE]));
if (!isFast) {
  const pack = ['package', 'npm', ['pack', '--pack-destination', scratch]];
  add(await runChecks(selected === 'all' ? [...CHECKS, pack] : CHECKS));
}
if (selected.length > 0) runTests();
rmSync(scratch, { recursive: true, force: true });
if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed === 0 ? 0 : 1);

function readArguments(args) {
  const options = { changed: { type: 'string' }, fast: { type: 'boolean', default: false } };
  const given = args.map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg));
  const { values } = parseArgs({ args: given, options });
  return { changed: values.changed, isFast: values.fast };
}

function add({ passed, failed, skipped = 0 }) {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
}

function runTests() {
  console.log(`\n=== tests${selected === 'all' ? '' : ` that reach what differs from ${changed}`}`);
  const args = [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    ...(selected === 'all' ? ['run'] : ['related', '--run', '--passWithNoTests', ...selected]),
    ...(isFast
      ? ['src', '--exclude=**/{faults,long-run,real-cluster}.test.ts', '--exclude=src/{cli,store/etcd}/**']
      : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const env = {
    ...process.env,
    ...(isFast ? {} : { KEELSON_TARBALL: tarball }),
    ...(selected === 'all'
      ? {}
      : { KEELSON_TEST_FIRST: [...new Set(selected.map((path) => dirname(path)))].join(':') }),
  };
  const run = (given) => spawnSync(process.execPath, given, { cwd: root, stdio: 'inherit', env }).status;
  const status = run(args);
  const counts = readReport();
  if (counts.files.length > 0 && counts.files.length <= MAX_FILES_AGAIN) return runAgain(counts, run);
  add(counts);
  notes.push(...counts.notes);
  if (status !== 0 && counts.failed === 0) {
    totals.failed += 1;
    notes.push(`${FAILED}vitest ended with ${status}: an error outside of any test`);
  }
}

/** Runs the files with failures once more, alone: a test that passes then is counted as passed, and named as unstable. */
function runAgain(first, run) {
  console.log(`\n=== once more, alone: ${first.files.join(' ')}`);
  const status = run([
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...first.files,
    '--reporter=default',
    '--reporter=json',
    '--no-file-parallelism',
    `--outputFile.json=${report}`,
  ]);
  const second = readReport();
  const failed = status !== 0 && second.failed === 0 ? 1 : second.failed;
  add({ passed: first.passed + Math.max(0, first.failed - failed), failed, skipped: first.skipped });
  notes.push(...first.notes.filter((note) => !note.startsWith(FAILED)));
  notes.push(
    ...(failed === 0 ? first.notes : second.notes).filter((note) => note.startsWith(FAILED)).map(nameUnstable),
  );
  function nameUnstable(note) {
    return failed === 0 ? note.replace(FAILED, UNSTABLE) : note;
  }
}

function readReport() {
  let read;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, files: [], notes: [`${FAILED}vitest wrote no report`] };
  }
  const { numPassedTests: passed, numFailedTests: failed, numTotalTests: total, testResults } = read;
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed,
    failed: failed + unloaded.length,
    skipped: total - passed - failed,
    files: testResults.filter(({ status }) => status === 'failed').map(({ name }) => name.replace(`${root}/`, '')),
    notes: [...skippedTests(read, root), ...failedTests(read, root)],
  };
}
