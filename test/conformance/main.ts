// `npm run conformance`: the end-to-end suite of Kubernetes against `keelson up`, held against what is expected.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { writeFidelityPage } from '../fidelity/fidelity-page.ts';
import { join, resolve } from 'node:path';
import { findPeers, type RunningServer, startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { isInNamespaces, runInNamespaces, startRealCluster, whyNoRealNode } from '../real-node/index.ts';
import { type ConformanceTest, parseClasses, selectTests } from './classes.ts';
import {
  compareToExpectations,
  type Expectations,
  hasSurprises,
  parseExpectations,
  printExpectations,
  type Surprises,
  updateExpectations,
} from './expectations.ts';
import { type ConformanceOptions, readOptions, USAGE } from './options.ts';
import type { Outcome } from './outcomes.ts';
import { conformanceReport } from './report.ts';
import { findAbilities } from './server-abilities.ts';
import { runSuite } from './suite.ts';

const root = resolve(import.meta.dirname, '..', '..');
/** What a real node may take to start and to end, on top of the tests. */
const NODE_MINUTES = 20;
/** Enough for all tests at once: some fill a node, and some need two. */
const NODES = 3;

const expectationsPath = join(import.meta.dirname, 'expectations.tsv');

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: ConformanceOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const tests = parseClasses(await readFile(join(import.meta.dirname, 'classes.tsv'), 'utf8'));
  if (options.report) {
    await write(tests, await readExpectations());
    return 0;
  }
  const programs = findPeers(['e2e.test', 'ginkgo', 'kubectl']);
  const reason = programs.paths === undefined ? programs.reason : whyNoServer(options);
  if (programs.paths === undefined || reason !== undefined) {
    console.log(`conformance is skipped: ${reason}`);
    return 0;
  }
  const selected = selectTests(tests, options);
  if (selected.length === 0) {
    console.error('No test is selected by --class and --focus');
    return 2;
  }
  const output = resolve(options.output ?? join(root, '.keelson', 'conformance', folderOf(options)));
  if (options.node !== 'simulated') {
    if (options.bundle === undefined && !isInNamespaces()) buildBundle();
    const code = await runInNamespaces({
      limitMs: (options.timeoutMinutes + NODE_MINUTES) * 60_000,
      print: console.log,
      logs: `${output}-logs`,
    });
    if (code !== undefined) return code;
  }
  await using server = await startServer(options);
  console.log(`${selected.length} tests, class ${options.classes.join(', ')}, on ${options.server} at ${server.url}`);
  const abilities = await findAbilities(server.kubeconfig);
  console.log(
    `nodes: ${abilities.nodes}; fills namespaces: ${abilities.fillsNamespaces}; removes namespaces: ${abilities.removesNamespaces}`,
  );
  const { 'e2e.test': suite, ginkgo, kubectl } = programs.paths;
  const { processes, timeoutMinutes, limitSeconds } = options;
  const started = performance.now();
  const outcomes = await runSuite(selected, {
    programs: { ginkgo, suite, kubectl },
    kubeconfig: server.kubeconfig,
    abilities,
    output,
    processes,
    timeoutMinutes,
    limitSeconds,
    print: console.log,
  });
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const passed = outcomes.filter(({ state }) => state === 'pass').length;
  console.log(`${passed} of ${outcomes.length} pass; ${minutes} minutes; ${join(output, 'junit.xml')}`);
  return isCompared(options) ? settle(outcomes, tests, options) : listFailures(outcomes);
}

function folderOf({ server, node }: ConformanceOptions): string {
  return node === 'simulated' ? server : `${server}-${node}`;
}

/** What is expected of Keelson was seen with simulated nodes in classes A and B, and with a real node in the others. */
function isCompared({ server, node, classes }: ConformanceOptions): boolean {
  return server === 'keelson' && (node !== 'simulated' || classes.every((letter) => letter === 'A' || letter === 'B'));
}

function whyNoServer({ server, classes, cluster }: ConformanceOptions): string | undefined {
  const noNode = cluster === undefined || isInNamespaces() ? undefined : whyNoRealNode(cluster.agent, cluster.network);
  return noNode ?? (server === 'kube' ? whyNoKube(kubeParts(classes)) : undefined);
}

function kubeParts(classes: ConformanceOptions['classes']): readonly ('kube-controller-manager' | 'kube-scheduler')[] {
  return classes.some((letter) => letter !== 'A') ? ['kube-controller-manager', 'kube-scheduler'] : [];
}

async function startServer(options: ConformanceOptions): Promise<RunningServer> {
  const { server, classes, serverFlags, bundle, cluster: parts } = options;
  if (parts !== undefined) {
    const built = bundle ?? join(root, 'dist', 'keelson.js');
    const cluster = await startRealCluster({ ...parts, bundle: built, serverFlags, print: console.log });
    return { ...cluster.server, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
  }
  if (server === 'kube') return startKube({ parts: kubeParts(classes), apiserverFlags: serverFlags });
  const isAlone = classes.every((letter) => letter === 'A');
  const flags = isAlone ? serverFlags : [`--nodes=${NODES}`, ...serverFlags];
  return startKeelson({ bundle: bundle ?? buildBundle(), flags });
}

function buildBundle(): string {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('Cannot build the bundle');
  return join(root, 'dist', 'keelson.js');
}

/** Failures of what has no expectations, such as the real control plane, are reported and compared with nothing. */
function listFailures(outcomes: readonly Outcome[]): number {
  for (const outcome of outcomes) if (outcome.state === 'fail') console.log(describeOutcome(outcome));
  return outcomes.every(({ state }) => state === 'pass') ? 0 : 1;
}

async function settle(
  outcomes: readonly Outcome[],
  tests: readonly ConformanceTest[],
  { update }: ConformanceOptions,
): Promise<number> {
  const expectations = await readExpectations();
  const surprises = compareToExpectations(outcomes, expectations);
  tellSurprises(surprises);
  if (!update) return hasSurprises(surprises) ? 1 : 0;
  const names = tests.map(({ name }) => name);
  await write(tests, updateExpectations(expectations, outcomes, { names }));
  return 0;
}

async function readExpectations(): Promise<Expectations> {
  return parseExpectations(await readFile(expectationsPath, 'utf8'));
}

async function write(tests: readonly ConformanceTest[], expectations: Expectations): Promise<void> {
  await writeFile(expectationsPath, printExpectations(expectations));
  await writeFile(join(root, 'docs', 'reference', 'conformance.md'), conformanceReport(tests, expectations));
  await writeFidelityPage();
  console.log(
    'expectations.tsv and docs/reference/conformance.md are written; name what is missing where they say "?"',
  );
}

function tellSurprises({ newPasses, newFailures, strangers }: Surprises): void {
  for (const { name } of newPasses) console.log(`passes now: ${name}`);
  for (const outcome of newFailures) console.log(`fails now: ${describeOutcome(outcome)}`);
  for (const outcome of strangers) console.log(`is new: ${describeOutcome(outcome)}`);
}

function describeOutcome({ name, state, seconds, message = '', location }: Outcome): string {
  if (state === 'pass') return `${name} (pass, ${seconds.toFixed(1)} s)`;
  const indented = message.slice(0, 2000).replaceAll('\n', '\n    ');
  return `${name} (fail, ${seconds.toFixed(1)} s)\n    ${location ?? ''}\n    ${indented}`;
}
