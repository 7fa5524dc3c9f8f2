import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findPeers, runProgram } from '../../../peers/index.ts';
import type { RealCluster } from '../../real-node/index.ts';
import { readCyclonusReport } from './cyclonus-report.ts';
import type { CyclonusReport } from './cyclonus-report.ts';

export interface CyclonusSuiteOptions {
  /** The program `cyclonus`. */
  readonly program: string;
  readonly cluster: RealCluster;
  /** For junit.xml and output.log. */
  readonly output: string;
  /** Only tests with one of these tags, separated by commas; empty for all of its default set. */
  readonly tags: string;
}

/** The image that Cyclonus wants, by the end of its name; ours is a newer version of the same. */
const WANTED_TAG = 'agnhost:2.43';

/** Cyclonus' default set on a cluster, but what needs SCTP in the kernel. */
export async function runCyclonus(options: CyclonusSuiteOptions): Promise<CyclonusReport> {
  const { program, cluster, output, tags } = options;
  await mkdir(output, { recursive: true });
  for (const { layout } of cluster.nodes) await tagImage(layout);
  const results = join(output, 'junit.xml');
  const child = spawn(
    program,
    [
      'generate',
      '--server-protocol=TCP,UDP',
      '--exclude=sctp,multi-peer,upstream-e2e,example,end-port,namespaces-by-default-label',
      ...(tags === '' ? [] : [`--include=${tags}`]),
      '--ignore-loopback', // a pod reaches itself, which Cyclonus does not expect
      '--job-timeout-seconds=2',
      '--perturbation-wait-seconds=2',
      '--pod-creation-timeout-seconds=300',
      '--retries=2',
      `--junit-results-file=${results}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, KUBECONFIG: cluster.server.kubeconfig } },
  );
  const ended = once(child, 'close');
  const log = createWriteStream(join(output, 'output.log'));
  child.stderr.pipe(log, { end: false });
  await pipeline(child.stdout, log);
  await ended;
  return readCyclonusReport(await readFile(results, 'utf8'));
}

async function tagImage({ runtimeSocket, enter }: RealCluster['node']['layout']): Promise<void> {
  const found = findPeers(['ctr']);
  if (found.paths === undefined) throw new Error(found.reason);
  const ctr = [...enter, found.paths.ctr, '--address', runtimeSocket, '--namespace', 'k8s.io', 'images'];
  const listed = await runProgram([...ctr, 'ls', '--quiet']);
  const image = listed.split('\n').find((name) => /\/agnhost:[^@]*$/.test(name));
  if (image === undefined) throw new Error('The node has no image of agnhost');
  await runProgram([...ctr, 'tag', '--force', image, image.replace(/agnhost:.*$/, WANTED_TAG)]);
}
