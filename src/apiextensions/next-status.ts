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

/** What a step in the life of a definition goes by. */
export interface StatusContext {
  /** All definitions of its group. */
  readonly group: readonly Definition[];
  readonly now: number;
  /** Whether its schemas may be others than when its status was last told. */
  readonly isSpecNew: boolean;
}

type Step = (definition: Definition, context: StatusContext) => Definition | undefined;

/** In order; each is a write of its own, as upstream's controllers make them, and watchers see them one by one. */
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

/** Whoever sees a definition established can use its kind: it is served since its names were accepted. */
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
