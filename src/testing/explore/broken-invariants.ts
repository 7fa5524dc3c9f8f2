import { messageOf } from '../../base/index.ts';
import type { Problem } from './problem.ts';

/** The author's invariants that do not hold after a step: those for which `holds` returns false, or throws. */
export async function brokenInvariants(
  step: string,
  holds: (invariant: string) => unknown,
  invariants: readonly string[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const invariant of invariants) {
    const reason = await brokenBy(() => holds(invariant));
    if (reason === undefined) continue;
    const message = `after step "${step}", "${invariant}" does not hold${reason === '' ? '' : `: ${reason}`}`;
    problems.push({ oracle: 'invariant', message, subject: invariant });
  }
  return problems;
}

/** Why an invariant does not hold; undefined if it does. */
async function brokenBy(holds: () => unknown): Promise<string | undefined> {
  try {
    return (await holds()) === false ? '' : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
