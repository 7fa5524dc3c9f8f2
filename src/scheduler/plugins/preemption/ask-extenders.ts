import type { PodInfo } from '../../cache/pod-info.ts';
import type { Extender, PreemptOptions, Victims } from '../../framework/extender.ts';
import type { Candidate } from './choose-candidate.ts';

/** The candidates that all extenders accept; each extender sees what those before it accepted. */
export async function askExtenders(
  extenders: readonly Extender[],
  pod: PodInfo,
  { candidates, ...options }: PreemptOptions & { readonly candidates: readonly Candidate[] },
): Promise<readonly Candidate[]> {
  let left: ReadonlyMap<string, Victims> = new Map(
    candidates.map(({ nodeName, pods, budgetViolations }) => [nodeName, { pods, budgetViolations }]),
  );
  for (const extender of extenders) {
    if (left.size === 0) break;
    try {
      left = checked(extender, (await extender.preempt?.(pod, left, options)) ?? left);
    } catch (error) {
      if (extender.isIgnorable !== true) throw error;
    }
  }
  return Array.from(left, ([nodeName, victims]) => ({ nodeName, ...victims }));
}

/** An extender that names a node must name victims on it. */
function checked(extender: Extender, answer: ReadonlyMap<string, Victims>): ReadonlyMap<string, Victims> {
  const isEmpty = ({ pods }: Victims): boolean => pods.length === 0;
  const empty = [...answer].find(([, victims]) => isEmpty(victims));
  if (empty === undefined) return answer;
  if (extender.isIgnorable !== true) throw new Error(`expected at least one victim pod on node "${empty[0]}"`);
  return new Map([...answer].filter(([, victims]) => !isEmpty(victims)));
}
