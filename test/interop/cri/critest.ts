import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

export type SpecState = 'passed' | 'failed' | 'skipped';

export interface Spec {
  readonly name: string;
  readonly state: SpecState;
  readonly message: string;
}

interface ReportedSpec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

const MINUTES = 15;

/** Runs critest on a runtime and reads its report. */
export async function runCritest(program: string, endpoint: string, folder: string): Promise<readonly Spec[]> {
  await mkdir(folder, { recursive: true });
  const report = join(folder, 'critest.json');
  const flags = [`-runtime-endpoint=${endpoint}`, `-image-endpoint=${endpoint}`, `-ginkgo.json-report=${report}`];
  const options = { cwd: folder, timeout: MINUTES * 60_000, maxBuffer: 256 * 1024 * 1024 };
  const { error } = spawnSync(program, [...flags, '-ginkgo.seed=1', `-ginkgo.timeout=${MINUTES}m`], options);
  if (error !== undefined) throw error;
  return specsOf(JSON.parse(await readFile(report, 'utf8')) as readonly { SpecReports: readonly ReportedSpec[] }[]);
}

export function specsOf(report: readonly { readonly SpecReports: readonly ReportedSpec[] }[]): readonly Spec[] {
  return report
    .flatMap(({ SpecReports }) => SpecReports)
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State !== 'pending')
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, Failure }) => ({
      name: [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' '),
      state: State === 'passed' || State === 'skipped' ? State : 'failed',
      message: (Failure?.Message ?? '').slice(0, 400),
    }));
}
