import type { TopologySpreadConstraint } from '../../../api/types/core/v1.d.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../api/index.ts';
import { qualifiedNameProblems } from '../../../api/values/index.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

type Constraint = Pick<TopologySpreadConstraint, 'maxSkew' | 'topologyKey' | 'whenUnsatisfiable'> &
  Partial<TopologySpreadConstraint>;

/** The arguments of PodTopologySpread, as in PodTopologySpreadArgs. */
export interface SpreadArgs {
  /**
   * Whether pods without constraints get the built-in ones (`System`, the default) or `defaultConstraints` (`List`).
   */
  readonly defaultingType?: 'System' | 'List';
  /** For pods without constraints; the label selectors are derived from the pods' Services and owners. */
  readonly defaultConstraints?: readonly Constraint[];
}

/** The arguments as decoded, before validation. */
type WrittenSpreadArgs = Omit<SpreadArgs, 'defaultingType'> & { readonly defaultingType?: string };

/** Constraints for pods that have none. */
export interface SpreadDefaults {
  readonly constraints: readonly Constraint[];
  /** With the built-in constraints, a node that lacks one topology label still counts for the others. */
  readonly isSystem: boolean;
}

const DEFAULTINGS: readonly string[] = ['System', 'List'];
const ACTIONS: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const SYSTEM_CONSTRAINTS: readonly Constraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** Reads the arguments of PodTopologySpread from a profile. */
export function readSpreadArgs(args: unknown): SpreadDefaults {
  const given = (args ?? {}) as SpreadArgs;
  refuseArguments('PodTopologySpread', spreadArgsErrors(given));
  const isSystem = (given.defaultingType ?? 'System') === 'System';
  return { isSystem, constraints: isSystem ? SYSTEM_CONSTRAINTS : (given.defaultConstraints ?? []) };
}

/** Validates the arguments, in kube-scheduler's words. */
export function spreadArgsErrors(args: WrittenSpreadArgs, path = ''): FieldError[] {
  const { defaultingType = 'System', defaultConstraints = [] } = args;
  const errors: FieldError[] = [];
  const typePath = childPath(path, 'defaultingType');
  if (!DEFAULTINGS.includes(defaultingType)) errors.push(notSupported(typePath, defaultingType, DEFAULTINGS));
  if (defaultingType === 'System' && defaultConstraints.length > 0)
    errors.push(invalidValue(typePath, defaultingType, 'when .defaultConstraints are not empty'));
  for (const [index, constraint] of defaultConstraints.entries()) {
    const itemPath = `${childPath(path, 'defaultConstraints')}[${index}]`;
    errors.push(...constraintErrors(constraint, itemPath));
    const isRepeated = defaultConstraints.findIndex((other) => pairOf(other) === pairOf(constraint)) < index;
    if (isRepeated) errors.push(duplicate(itemPath, pairOf(constraint)));
  }
  return errors;
}

/** The key that must be unique among the constraints. */
function pairOf({ topologyKey = '', whenUnsatisfiable }: Partial<Constraint>): string {
  return `{${topologyKey}, ${whenUnsatisfiable ?? ''}}`;
}

function constraintErrors(constraint: Partial<Constraint>, path: string): FieldError[] {
  const { maxSkew = 0, topologyKey = '', labelSelector } = constraint;
  const action: string = constraint.whenUnsatisfiable ?? '';
  const errors: FieldError[] = [];
  if (!(maxSkew > 0)) errors.push(invalidValue(`${path}.maxSkew`, maxSkew, 'not in valid range (0, inf)'));
  if (topologyKey === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'));
  else
    for (const problem of qualifiedNameProblems(topologyKey))
      errors.push(invalidValue(`${path}.topologyKey`, topologyKey, problem));
  const actionPath = `${path}.whenUnsatisfiable`;
  if (action === '') errors.push(required(actionPath, 'can not be empty'));
  else if (!ACTIONS.includes(action)) errors.push(notSupported(actionPath, action, ACTIONS));
  if (labelSelector !== undefined)
    errors.push(
      forbiddenField(`${path}.labelSelector`, 'constraint must not define a selector, as they deduced for each pod'),
    );
  return errors;
}
