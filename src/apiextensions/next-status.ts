import { acceptNames } from './accept-names.ts';
import { apiApprovalState, caBundleProblem, nonStructuralState } from '../crd/index.ts';
import {
  type Condition,
  conditionOf,
  type Definition,
  isConditionTrue,
  isSaid,
  withCondition,
  withoutCondition,
} from './conditions.ts';

/** The inputs of a step in the life of a definition. */
export interface StatusContext {
  /** All definitions of its group. */
  readonly group: readonly Definition[];
  readonly now: number;
  /** Whether its schemas may have changed since its status was last written. */
  readonly isSpecNew: boolean;
}

type Step = (definition: Definition, context: StatusContext) => Definition | undefined;

/** In order; each is a separate write, as by upstream's controllers, and watchers see them one by one. */
const STEPS: readonly Step[] = [
  (definition, { group, now }) => acceptNames(definition, group, now),
  establish,
  tellNonStructural,
  tellApproval,
];

/** The definition after the next step towards being served; undefined when there is none left. */
export function nextStatus(definition: Definition, context: StatusContext): Definition | undefined {
  for (const step of STEPS) {
    const next = step(definition, context);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** A client that sees a definition established can use its kind, which is served since its names were accepted, and find it by discovery. */
function establish(definition: Definition, { now }: StatusContext): Definition | undefined {
  if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established')) return undefined;
  const { caBundle } = definition.spec.conversion?.webhook?.clientConfig ?? {};
  const isTrusted = caBundle === undefined || caBundleProblem(caBundle) === undefined;
  const wanted = isTrusted ? ESTABLISHED : UNTRUSTED;
  return isSaid(definition, wanted) ? undefined : withCondition(definition, wanted, now);
}

const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

const UNTRUSTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

function tellNonStructural(definition: Definition, { now, isSpecNew }: StatusContext): Definition | undefined {
  if (!isSpecNew) return undefined;
  const type = 'NonStructuralSchema';
  const state = nonStructuralState(definition);
  if (state === undefined) return conditionOf(definition, type) && withoutCondition(definition, type);
  return isSaid(definition, { type, ...state }) ? undefined : withCondition(definition, { type, ...state }, now);
}

function tellApproval(definition: Definition, { now }: StatusContext): Definition | undefined {
  const state = apiApprovalState(definition);
  if (state === undefined) return undefined;
  const wanted = { type: 'KubernetesAPIApprovalPolicyConformant', ...state };
  return isSaid(definition, wanted) ? undefined : withCondition(definition, wanted, now);
}
