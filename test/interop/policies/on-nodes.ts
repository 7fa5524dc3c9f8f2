// `npm run interop:policies:nodes [-- --suite upstream|cyclonus|both --focus REGEX --tags TAG,… --node keelson|kubelet --mode up --nodes 2]`:
// Kubernetes' own end-to-end tests of NetworkPolicies, and Cyclonus' default set, on real nodes with our enforcer.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers } from '../../../peers/index.ts';
import {
  clusterFlags,
  isInNamespaces,
  readCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { runCyclonus } from './cyclonus-suite.ts';
import { runUpstreamSuite } from './upstream-suite.ts';

const { values } = parseArgs({
  options: {
    ...clusterFlags,
    suite: { type: 'string', default: 'both' },
    focus: { type: 'string', default: '' },
    tags: { type: 'string', default: '' },
    output: { type: 'string', default: join('.keelson', 'policies') },
  },
});
const LIMIT_MS = 5 * 3_600_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = readCluster({ ...values, ...(values.mode === 'up' ? {} : { policy: 'keelson' }) });
  const peers = findPeers(['e2e.test', 'cyclonus']);
  const noNode = isInNamespaces() ? undefined : whyNoRealNode(parts.agent, parts.network);
  const reason = peers.paths === undefined ? peers.reason : noNode;
  if (peers.paths === undefined || reason !== undefined) {
    console.log(`the tests of policies are left out: ${reason}`);
    return 0;
  }
  const output = resolve(values.output);
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: join(output, 'logs') });
  if (code !== undefined) return code;
  await using cluster = await startRealCluster({ ...parts, print: console.error });
  let failures = 0;
  if (values.suite !== 'cyclonus') {
    const outcomes = await runUpstreamSuite({
      program: peers.paths['e2e.test'],
      kubeconfig: cluster.server.kubeconfig,
      output: join(output, 'upstream'),
      focus: values.focus,
    });
    const failed = outcomes.filter(({ state }) => state === 'fail');
    failures += failed.length;
    for (const { name, message = '' } of failed) console.log(`FAIL ${name}: ${message.slice(0, 500)}`);
    console.log(`upstream: ${outcomes.length - failed.length} of ${outcomes.length} tests pass`);
    if (outcomes.length === 0) failures += 1;
  }
  if (values.suite !== 'upstream') {
    const { tests, failed } = await runCyclonus({
      program: peers.paths.cyclonus,
      cluster,
      output: join(output, 'cyclonus'),
      tags: values.tags,
    });
    failures += failed.length + (tests === 0 ? 1 : 0);
    for (const name of failed) console.log(`FAIL ${name}`);
    console.log(`cyclonus: ${tests - failed.length} of ${tests} tests pass`);
  }
  return failures === 0 ? 0 : 1;
}
