/** What came of one step of a program. */
export type StepOutcome =
  | { readonly step: string; readonly passed: true }
  | { readonly step: string; readonly passed: false; readonly message: string };

/** What one program found on one server. */
export interface ClientReport {
  /** Of the client library or the programs that were tried. */
  readonly version: string;
  readonly outcomes: readonly StepOutcome[];
}

const MAX_MESSAGE = 1000;

/** Reads the report that a program prints as its last line; an Error says why there is none. */
export function parseReport(output: string): ClientReport {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error(`The last line is no report: "${line.slice(0, MAX_MESSAGE)}"`, { cause });
  }
  const { version, outcomes } = (value ?? {}) as Record<string, unknown>;
  if (typeof version !== 'string' || !Array.isArray(outcomes) || outcomes.length === 0)
    throw new Error(`The report has no version or no outcomes: "${line.slice(0, MAX_MESSAGE)}"`);
  return { version, outcomes: outcomes.map(parseOutcome) };
}

function parseOutcome(value: unknown): StepOutcome {
  const { step, passed, message } = (value ?? {}) as Record<string, unknown>;
  if (typeof step !== 'string' || typeof passed !== 'boolean')
    throw new Error(`An outcome has a step and passed or not, got ${JSON.stringify(value)}`);
  if (passed) return { step, passed };
  return {
    step,
    passed,
    message: (typeof message === 'string' ? message : 'it does not say why').slice(0, MAX_MESSAGE),
  };
}

/** Runs steps one after another; a failed one does not keep later ones from running. */
export async function runSteps(
  steps: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>,
  limitMs: number,
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  for (const [step, run] of Object.entries(steps)) {
    try {
      await run(AbortSignal.timeout(limitMs));
      outcomes.push({ step, passed: true });
    } catch (error) {
      outcomes.push({ step, passed: false, message: String(error).slice(0, MAX_MESSAGE) });
    }
  }
  return outcomes;
}
