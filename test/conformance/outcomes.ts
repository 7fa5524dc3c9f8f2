/** How one test ended. */
export interface Outcome {
  readonly name: string;
  readonly state: 'pass' | 'fail';
  readonly seconds: number;
  /** Why it failed. */
  readonly message?: string;
  /** File and line of the check that failed, below test/e2e where it is there. */
  readonly location?: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeText?: string;
  readonly LeafNodeType?: string;
  readonly State?: string;
  readonly RunTime?: number;
  readonly Failure?: {
    readonly Message?: string;
    readonly Location?: { readonly FileName?: string; readonly LineNumber?: number };
  };
}

/**
 * The outcome of each wanted test in a JSON report of Ginkgo. One that was skipped or is not in the report at all has failed:
 * what did not run shows nothing.
 */
export function readOutcomes(report: string, wanted: readonly string[]): Outcome[] {
  const suites = JSON.parse(report) as readonly { readonly SpecReports?: readonly SpecReport[] | null }[];
  const specs = new Map<string, SpecReport>();
  for (const spec of suites.flatMap(({ SpecReports }) => SpecReports ?? [])) {
    if (spec.LeafNodeType === 'It') specs.set(nameOf(spec), spec);
  }
  return wanted.map((name) => outcomeOf(name, specs.get(name)));
}

/** Why a whole run failed before its tests, if it did. */
export function readSuiteFailure(report: string): string | undefined {
  const suites = JSON.parse(report) as readonly { readonly SpecReports?: readonly SpecReport[] | null }[];
  const failed = suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .find(({ LeafNodeType, State }) => LeafNodeType !== 'It' && isFailure(State));
  return failed === undefined ? undefined : `${failed.LeafNodeType}: ${failed.Failure?.Message ?? failed.State}`;
}

function isFailure(state: string | undefined): boolean {
  return ['failed', 'panicked', 'timedout', 'interrupted', 'aborted'].includes(state ?? '');
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText ?? ''].join(' ');
}

function outcomeOf(name: string, spec: SpecReport | undefined): Outcome {
  if (spec === undefined) return { name, state: 'fail', seconds: 0, message: 'the suite has no such test' };
  const seconds = (spec.RunTime ?? 0) / 1e9;
  if (spec.State === 'passed') return { name, state: 'pass', seconds };
  const message = spec.Failure?.Message ?? '';
  return {
    name,
    state: 'fail',
    seconds,
    message: isFailure(spec.State) ? message : `${spec.State ?? 'not run'}${message === '' ? '' : `: ${message}`}`,
    location: locationOf(spec),
  };
}

function locationOf({ Failure }: SpecReport): string | undefined {
  const { FileName = '', LineNumber = 0 } = Failure?.Location ?? {};
  return FileName === '' ? undefined : `${FileName.replace(/^.*\/test\/e2e\//, '')}:${LineNumber}`;
}
