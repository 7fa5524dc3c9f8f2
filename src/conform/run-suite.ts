import { AbortScope, type Clock, describeError } from '../base/index.ts';
import type { ConformCase, ConformSuite, ConformWorld, RuleLevel } from './suite.ts';

export type CaseOutcome =
  | { readonly type: 'passed' }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'skipped'; readonly message: string };

export interface CaseReport {
  readonly name: string;
  readonly title: string;
  readonly rule: string;
  readonly source: string;
  readonly level: RuleLevel;
  readonly outcome: CaseOutcome;
  readonly durationMs: number;
}

/** What became of a suite. */
export interface SuiteReport {
  readonly kind: string;
  readonly title: string;
  /** What was judged, as it was given. */
  readonly subject: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly cases: readonly CaseReport[];
}

export interface SuiteRunOptions {
  readonly subject: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Longest time of one case. */
  readonly limitMs: number;
  /** Which cases run; default all. */
  readonly isWanted?: (name: string) => boolean;
  /** Hears of each case when it is done. */
  readonly onCase?: (report: CaseReport) => void;
}

/** Runs a suite to its end, whatever cases do. Throws only when the suite cannot be set up, or the signal aborts. */
export async function runSuite<World extends ConformWorld>(
  suite: ConformSuite<World>,
  options: SuiteRunOptions,
): Promise<SuiteReport> {
  const { clock, signal, subject, isWanted = () => true, onCase } = options;
  const start = clock.monotonic();
  const startedAt = new Date(clock.now()).toISOString();
  await using world = await suite.open(signal);
  const cases: CaseReport[] = [];
  for (const each of suite.cases.filter(({ name }) => isWanted(name))) {
    const from = clock.monotonic();
    const outcome = await outcomeOf(each, world, options);
    signal.throwIfAborted();
    const { name, title, rule, source, level } = each;
    const report = { name, title, rule, source, level, outcome, durationMs: clock.monotonic() - from };
    cases.push(report);
    onCase?.(report);
  }
  return { kind: suite.kind, title: suite.title, subject, startedAt, durationMs: clock.monotonic() - start, cases };
}

async function outcomeOf<World extends ConformWorld>(
  each: ConformCase<World>,
  world: World,
  { clock, signal, limitMs }: SuiteRunOptions,
): Promise<CaseOutcome> {
  using scope = new AbortScope(signal);
  using _limit = clock.timer(limitMs, () => scope.abort(new Error(`it took longer than ${limitMs} ms`)));
  let outcome: CaseOutcome = { type: 'passed' };
  try {
    const reason = await each.skip?.(world, scope.signal);
    if (reason === undefined) await each.run(world, scope.signal);
    else outcome = { type: 'skipped', message: reason };
  } catch (error) {
    const cause: unknown = scope.signal.aborted ? scope.signal.reason : error;
    outcome = { type: 'failed', message: describeError(cause) };
  }
  try {
    await world.tidy();
  } catch (error) {
    if (outcome.type === 'passed')
      return { type: 'failed', message: `it cannot be tidied up: ${describeError(error)}` };
  }
  return outcome;
}

/** Whether the rules are kept: those that an extension must keep, and with `isStrict` also those that it should. */
export function isConforming(
  { cases }: SuiteReport,
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): boolean {
  return !cases.some(({ outcome, level }) => outcome.type === 'failed' && (isStrict || level === 'must'));
}
