// `npm run conformance:dra`: Kubernetes' end-to-end tests of dynamic resource allocation on a real node, on our control plane or the real one. Their driver runs inside the
// suite, and reaches the sockets of the node through a pod.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, whyNoKube } from '../../../peers/index.ts';
import type { Outcome } from '../../conformance/outcomes.ts';
import { findAbilities } from '../../conformance/server-abilities.ts';
import { runSuite } from '../../conformance/suite.ts';
import {
  clusterFlags,
  isInNamespaces,
  readCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { findSpecs, selectSpecs } from '../../storage/suite/specs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const NODE_MINUTES = 20;
/** Off by default; a few of the tests make claims of these versions. */
const BETA_APIS = ['--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true'];
const PATTERN = /^\[sig-node\] \[DRA\]|\[Feature:DynamicResourceAllocation\]/;

const { values } = parseArgs({
  options: {
    ...clusterFlags,
    focus: { type: 'string' },
    sample: { type: 'string' },
    procs: { type: 'string', default: '6' },
    timeout: { type: 'string', default: '60' },
    limit: { type: 'string', default: '300' },
    output: { type: 'string' },
    bundle: { type: 'string' },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = readCluster(values);
  const programs = findPeers(['e2e.test', 'ginkgo', 'kubectl']);
  const reason =
    (isInNamespaces() ? undefined : whyNoRealNode(parts.agent, parts.network)) ??
    (parts.controlPlane === 'kube' ? whyNoKube(['kube-controller-manager', 'kube-scheduler']) : undefined);
  if (programs.paths === undefined || reason !== undefined) {
    const missing = programs.paths === undefined ? programs.reason : reason;
    console.log(`the tests of dynamic resource allocation are skipped: ${missing ?? ''}`);
    return 0;
  }
  const output = resolve(values.output ?? join(root, '.keelson', 'dra', `${parts.controlPlane}-${parts.agent}`));
  const timeoutMinutes = Number(values.timeout);
  if (!isInNamespaces() && values.bundle === undefined) build();
  const code = await runInNamespaces({
    limitMs: (timeoutMinutes + NODE_MINUTES) * 60_000,
    print: console.log,
    logs: `${output}-logs`,
  });
  if (code !== undefined) return code;
  const bundle = values.bundle ?? join(root, 'dist', 'keelson.js');
  await using cluster = await startRealCluster({ ...parts, bundle, serverFlags: BETA_APIS, print: console.log });
  const folder = join(cluster.node.folder, 'dra');
  await mkdir(folder, { recursive: true });
  const { 'e2e.test': suite, ginkgo, kubectl } = programs.paths;
  const { names, leftOut } = selectSpecs(await findSpecs(suite, { flags: [], folder }), {
    pattern: PATTERN,
    focus: values.focus === undefined ? undefined : new RegExp(values.focus),
    sample: values.sample === undefined ? undefined : Number(values.sample),
  });
  console.log(`${names.length} tests, on ${parts.controlPlane} with ${parts.agent}, ${parts.nodes} nodes`);
  for (const [why, count] of leftOut) console.log(`  left out: ${count} ${why}`);
  const outcomes = await runSuite(
    names.map((test) => ({ class: 'F', tags: [], source: '', name: test })),
    {
      programs: { ginkgo, suite, kubectl },
      kubeconfig: cluster.server.kubeconfig,
      abilities: await findAbilities(cluster.server.kubeconfig),
      output,
      processes: Number(values.procs),
      timeoutMinutes,
      limitSeconds: Number(values.limit),
      print: console.log,
    },
  );
  return report(outcomes, output);
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--bundles-only'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Cannot build the bundle');
}

async function report(outcomes: readonly Outcome[], output: string): Promise<number> {
  const stateOf = ({ state, message = '' }: Outcome): string =>
    state === 'fail' && message.startsWith('skipped') ? 'skip' : state;
  const lines = outcomes.map((outcome) => `${stateOf(outcome)}\t${outcome.seconds.toFixed(1)}\t${outcome.name}`);
  await writeFile(join(output, 'outcomes.tsv'), `${['state\tseconds\tname', ...lines].join('\n')}\n`);
  for (const outcome of outcomes)
    if (stateOf(outcome) === 'fail')
      console.log(
        `FAIL ${outcome.name} (${outcome.seconds.toFixed(1)} s)\n    ${(outcome.message ?? '').slice(0, 800)}`,
      );
  const count = (state: string): number => outcomes.filter((outcome) => stateOf(outcome) === state).length;
  console.log(`${count('pass')} pass, ${count('fail')} fail, ${count('skip')} skipped by the suite; ${output}`);
  return count('fail') === 0 ? 0 : 1;
}
