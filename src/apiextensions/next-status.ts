import { acceptNames } from './accept-names.ts';
import { type Definition, isConditionTrue, withCondition } from './conditions.ts';

/** What a step in the life of a definition goes by. */
export interface StatusContext {
  /** All definitions of its group. */
  readonly group: readonly Definition[];
  readonly now: number;
}

type Step = (definition: Definition, context: StatusContext) => Definition | undefined;

/** In order; each is a write of its own, as upstream's controllers make them, and watchers see them one by one. */
const STEPS: readonly Step[] = [(definition, { group, now }) => acceptNames(definition, group, now), establish];

/** The definition after the next step towards being served; undefined when there is none left. */
export function nextStatus(definition: Definition, context: StatusContext): Definition | undefined {
  for (const step of STEPS) {
    const next = step(definition, context);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Whoever sees a definition established can use its kind: it is served since its names were accepted. */
function establish(definition: Definition, { now }: StatusContext): Definition | undefined {
  if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established')) return undefined;
  return withCondition(
    definition,
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    },
    now,
  );
}
