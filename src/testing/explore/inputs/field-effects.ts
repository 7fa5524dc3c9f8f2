import type { Plan } from '../plan.ts';
import type { RunResult } from '../run-result.ts';
import { fieldOf, type InputFault } from './input-fault.ts';
import { type InputOptions, namesField } from './input-options.ts';

interface FieldState {
  /** Plans that set the field and are still to be run. */
  left: number;
  hasEffect: boolean;
  /** A plan whose change led to nothing, the smallest one. */
  idle: Plan | undefined;
}

/** Which fields have an effect: one is ignored if none of its values led to anything, on no object. */
export class FieldEffects {
  readonly #fields = new Map<string, FieldState>();

  /** Plans that will be run. */
  expect(plans: readonly Plan[]): void {
    for (const plan of plans) {
      const fault = inputOf(plan);
      if (fault === undefined) continue;
      const state = this.#fields.get(fieldOf(fault)) ?? { left: 0, hasEffect: false, idle: undefined };
      state.left += 1;
      this.#fields.set(fieldOf(fault), state);
    }
  }

  /** What a plan has shown; of one that the server refused, nothing. */
  note(plan: Plan, result: RunResult | undefined): void {
    const fault = inputOf(plan);
    const state = fault === undefined ? undefined : this.#fields.get(fieldOf(fault));
    if (state === undefined) return;
    state.left -= 1;
    if (result?.isApplicable !== true) return;
    if (result.input?.hasEffect !== false || result.problems.length > 0) state.hasEffect = true;
    else if (changesIn(plan) <= changesIn(state.idle)) state.idle = plan; // later values differ more from what is there or default
  }

  /** The plans of fields that were tried in all planned ways, without any effect. */
  ignored({ withoutEffect = [] }: InputOptions): readonly Plan[] {
    return [...this.#fields].flatMap(([field, { left, hasEffect, idle }]) => {
      const [kind = '', path = ''] = field.split(' ');
      return idle === undefined || left > 0 || hasEffect || namesField(withoutEffect, kind, path) ? [] : [idle];
    });
  }
}

function changesIn(plan: Plan | undefined): number {
  return (plan === undefined ? undefined : inputOf(plan))?.changes.length ?? Infinity;
}

/** The change of users that a plan consists of. */
export function inputOf({ faults }: Plan): InputFault | undefined {
  const [fault] = faults;
  return faults.length === 1 && fault?.type === 'input' ? fault : undefined;
}

/** The plans of one of several parts: those of one field stay together, since only all of them tell whether it is ignored. */
export function partOf(
  plans: readonly Plan[],
  { index, count }: { readonly index: number; readonly count: number },
): readonly Plan[] {
  const fields = new Map<string, number>();
  return plans.filter((plan, at) => {
    const fault = inputOf(plan);
    if (fault === undefined) return at % count === index;
    const field = fieldOf(fault);
    if (!fields.has(field)) fields.set(field, fields.size);
    return (fields.get(field) ?? 0) % count === index;
  });
}
