// `npm run conformance:storage`: Kubernetes' end-to-end tests of storage drivers on a real node, on our control plane or the real one.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findPeers, whyNoKube } from '../../../peers/index.ts';
import { connect } from '../../../src/client/index.ts';
import { installGroupSnapshotKinds, installSnapshotKinds } from '../../../src/controllers/volume-sidecars/index.ts';
import type { Outcome } from '../../conformance/outcomes.ts';
import { runSuite } from '../../conformance/suite.ts';
import { findAbilities } from '../../conformance/server-abilities.ts';
import { driverImages, findStorageProgram, storageProgramsFolder } from '../../real-node/images/storage-programs.ts';
import {
  isInNamespaces,
  type RealCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { Opened } from '../../real-node/opened.ts';
import { startKeelsonControllers, startSidecars, startSnapshotController, whyNoSidecars } from '../controllers.ts';
import { DriverProcess, findHostPath, hostPathDriver } from '../driver-process.ts';
import { readOptions, suiteParts, type SuiteOptions, USAGE } from './options.ts';
import { ATTRIBUTES_CLASS, findSpecs, selectSpecs, writeDriverFile } from './specs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const DRIVER = 'hostpath.csi.k8s.io';
/** The parameter of the driver's volumes that can be changed. */
const MUTABLE = 'e2e-speed';
/** What a real node may take to start and to end, on top of the tests. */
const NODE_MINUTES = 20;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: SuiteOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const programs = findPeers(['e2e.test', 'ginkgo', 'kubectl']);
  const reason = programs.paths === undefined ? programs.reason : whyNot(options);
  if (programs.paths === undefined || reason !== undefined) {
    console.log(`the storage suite is skipped: ${reason}`);
    return 0;
  }
  const { part, cluster: parts, controllers } = options;
  const name = [part, parts.controlPlane, parts.agent, ...(part === 'external' ? [controllers] : [])].join('-');
  const output = resolve(options.output ?? join(root, '.keelson', 'storage', name));
  if (!isInNamespaces() && options.bundle === undefined) build();
  const code = await runInNamespaces({
    limitMs: (options.timeoutMinutes + NODE_MINUTES) * 60_000,
    print: console.log,
    logs: `${output}-logs`,
  });
  if (code !== undefined) return code;
  const bundle = options.bundle ?? join(root, 'dist', 'keelson.js');
  await using cluster = await startRealCluster({ ...parts, bundle, print: console.log });
  const folder = join(cluster.node.folder, 'storage');
  const hostPath = findHostPath();
  await mkdir(folder, { recursive: true });
  const isCurrent = part === 'external' && 'path' in hostPath && hostPath.isCurrent;
  const flags =
    part === 'external' ? [`--storage.testdriver=${await writeDriverFile(folder, { name: DRIVER, isCurrent })}`] : [];
  const all = await findSpecs(programs.paths['e2e.test'], { flags, folder });
  const { names, leftOut } = selectSpecs(all, {
    ...options,
    pattern: suiteParts[part].pattern,
    hasGroups: isCurrent && controllers === 'keelson',
  });
  console.log(`${names.length} tests of part ${part}, on ${parts.controlPlane} with ${parts.agent}`);
  for (const [why, count] of leftOut) console.log(`  left out: ${count} ${why}`);
  await using _running = await prepare(cluster, { ...options, folder, bundle });
  const { 'e2e.test': suite, ginkgo, kubectl } = programs.paths;
  const outcomes = await runSuite(
    names.map((test) => ({ class: 'F', tags: [], source: '', name: test })),
    {
      programs: { ginkgo, suite, kubectl },
      kubeconfig: cluster.server.kubeconfig,
      abilities: await findAbilities(cluster.server.kubeconfig),
      output,
      processes: options.processes,
      timeoutMinutes: options.timeoutMinutes,
      limitSeconds: options.limitSeconds,
      flags,
      print: console.log,
    },
  );
  return report(outcomes, output);
}

function whyNot({ part, cluster, controllers }: SuiteOptions): string | undefined {
  const kube = ['kube-controller-manager', 'kube-scheduler'] as const;
  const reason =
    (isInNamespaces() ? undefined : whyNoRealNode(cluster.agent, cluster.network)) ??
    (cluster.controlPlane === 'kube' ? whyNoKube(kube) : undefined);
  if (reason !== undefined) return reason;
  if (part === 'external') {
    const driver = findHostPath();
    if ('reason' in driver) return driver.reason;
    return controllers === 'sidecars' ? whyNoSidecars() : undefined;
  }
  const missing = Object.values(driverImages).filter((name) => findStorageProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  return `the tests deploy ${missing.join(', ')}: put the programs into ${storageProgramsFolder()} and run \`npm run conformance:images\``;
}

interface PrepareOptions extends SuiteOptions {
  readonly folder: string;
  readonly bundle: string;
}

/** What has to run beside the cluster before the tests. */
async function prepare({ server, node }: RealCluster, options: PrepareOptions): Promise<Opened> {
  const { part, controllers, folder, bundle } = options;
  const opened = new Opened();
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'storage-suite' });
  await installSnapshotKinds(client, new AbortController().signal);
  if (part !== 'external') {
    for (const daemon of startSnapshotController({ server, folder })) opened.use(daemon);
    return opened;
  }
  await client.storage.v1.csidrivers.create({
    metadata: { name: DRIVER },
    spec: { volumeLifecycleModes: ['Persistent', 'Ephemeral'], podInfoOnMount: true, fsGroupPolicy: 'File' },
  });
  const place = { root: '/var/lib/kubelet', node: node.name, folder };
  const found = findHostPath();
  if ('reason' in found) throw new Error(found.reason);
  if (found.isCurrent) {
    await installGroupSnapshotKinds(client, new AbortController().signal);
    await client.storage.v1.volumeattributesclasses.create({
      metadata: { name: ATTRIBUTES_CLASS },
      driverName: DRIVER,
      parameters: { [MUTABLE]: 'some' },
    });
  }
  const program = hostPathDriver(found.path, { name: DRIVER, ...(found.isCurrent ? { mutable: MUTABLE } : {}) });
  const driver = opened.use(await DriverProcess.start(program, place));
  const around = { server, socket: driver.socket, folder, bundle, hasGroups: found.isCurrent };
  const daemons = controllers === 'keelson' ? startKeelsonControllers(around) : startSidecars(around);
  for (const daemon of daemons) opened.use(daemon);
  return opened;
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--bundles-only'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Cannot build the bundle');
}

/** Prints the counts and the failures, and leaves a table that can be compared with another run's. */
async function report(outcomes: readonly Outcome[], output: string): Promise<number> {
  const rows = outcomes.map((outcome) => ({ outcome, state: stateOf(outcome) }));
  const lines = rows.map(({ outcome, state }) => `${state}\t${outcome.seconds.toFixed(1)}\t${outcome.name}`);
  await writeFile(join(output, 'outcomes.tsv'), `${['state\tseconds\tname', ...lines].join('\n')}\n`);
  const count = (wanted: string): number => rows.filter(({ state }) => state === wanted).length;
  for (const { outcome, state } of rows) {
    if (state !== 'fail') continue;
    const message = (outcome.message ?? '').slice(0, 1500).replaceAll('\n', '\n    ');
    console.log(
      `FAIL ${outcome.name} (${outcome.seconds.toFixed(1)} s)\n    ${outcome.location ?? ''}\n    ${message}`,
    );
  }
  console.log(`${count('pass')} pass, ${count('fail')} fail, ${count('skip')} skipped by the suite; ${output}`);
  return count('fail') === 0 ? 0 : 1;
}

/** The suite skips tests of what the driver does not offer. */
function stateOf({ state, message = '' }: Outcome): 'pass' | 'fail' | 'skip' {
  return state === 'fail' && message.startsWith('skipped') ? 'skip' : state;
}
