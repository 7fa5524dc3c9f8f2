import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Outcome, readOutcomes } from '../../conformance/outcomes.ts';

export interface UpstreamSuiteOptions {
  /** The program `e2e.test`. */
  readonly program: string;
  readonly kubeconfig: string;
  /** For report.json and output.log. */
  readonly output: string;
  /** Only tests whose name matches. */
  readonly focus: string;
}

/** The tests of NetworkPolicies in Kubernetes' own end-to-end suite, but those that need SCTP in the kernel. */
export async function runUpstreamSuite({
  program,
  kubeconfig,
  output,
  focus,
}: UpstreamSuiteOptions): Promise<Outcome[]> {
  await mkdir(output, { recursive: true });
  const report = join(output, 'report.json');
  const child = spawn(
    program,
    [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      '--disable-log-dump=true',
      '--ginkgo.no-color',
      '--ginkgo.v',
      '--ginkgo.timeout=3h',
      `--ginkgo.focus=Netpol.*${focus}`,
      '--ginkgo.skip=SCTP',
      `--ginkgo.json-report=${report}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  await pipeline(child.stdout, createWriteStream(join(output, 'output.log')));
  await ended;
  const text = await readFile(report, 'utf8');
  return readOutcomes(text, ranTests(text));
}

/** The names of the tests that the focus has selected. */
function ranTests(report: string): readonly string[] {
  const [suite] = JSON.parse(report) as readonly {
    readonly SpecReports?: readonly {
      readonly LeafNodeType?: string;
      readonly State?: string;
      readonly ContainerHierarchyTexts?: readonly string[] | null;
      readonly LeafNodeText?: string;
    }[];
  }[];
  return (suite?.SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State !== 'skipped' && State !== 'pending')
    .map(({ ContainerHierarchyTexts, LeafNodeText }) => [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' '));
}
