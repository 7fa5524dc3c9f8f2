import { asJson, type FieldError, invalidValue, required, sentEmpty } from '../../api/index.ts';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../api/types/core/v1.d.ts';

const SCOPES = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
]);

/** Scopes without names to select from. */
const PLAIN_SCOPES = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
]);

/** Pairs of scopes of which every pod is in exactly one. */
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Resources that count pods; most scopes select pods, so only these are allowed with them. */
const POD_RESOURCES = new Set(['pods', ...['', 'limits.', 'requests.'].flatMap((of) => [`${of}cpu`, `${of}memory`])]);

const UNFIT = 'unsupported scope applied to resource';
const CONFLICT = 'conflicting scopes';

/** `isStandard` is true for the resources that every quota may name; what others count is unknown. */
export function checkScopes(
  { scopes = [], hard = {} }: ResourceQuotaSpec,
  isStandard: (resource: string) => boolean,
): FieldError[] {
  const field = 'spec.scopes';
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES.has(scope) ? [] : [invalidValue(field, scopes, 'unsupported scope')]),
      ...Object.keys(hard)
        .filter((name) => isStandard(name) && !fits(scope, name))
        .map(() => invalidValue(field, scopes, UNFIT)),
    ]),
    ...conflictsIn(scopes).map(() => invalidValue(field, scopes, CONFLICT)),
  ];
}

/** The same for the scope selector. */
export function checkScopeSelector(
  { scopeSelector, scopes, hard = {} }: ResourceQuotaSpec,
  isStandard: (resource: string) => boolean,
): FieldError[] {
  const rules = scopeSelector?.matchExpressions ?? [];
  const field = 'spec.scopeSelector.matchExpressions';
  const written = { MatchExpressions: rules.map(asGoWritesIt) };
  return [
    ...rules.flatMap((rule) => [
      ...(SCOPES.has(rule.scopeName) ? [] : [invalidValue(`${field}.scopeName`, rule.scopeName, 'unsupported scope')]),
      ...Object.keys(hard)
        .filter((name) => isStandard(name) && !fits(rule.scopeName, name))
        .map(() => invalidValue(field, written, UNFIT)),
      ...checkOperator(rule, field),
    ]),
    ...conflictsIn(rules.map(({ scopeName }) => scopeName)).map(() => invalidValue(field, scopes ?? null, CONFLICT)),
  ];
}

function checkOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (PLAIN_SCOPES.has(scopeName) && operator !== 'Exists') {
    const problem =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
      'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';
    errors.push(invalidValue(`${field}.operator`, asJson(operator ?? ''), problem));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return errors;
      return [
        ...errors,
        required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return errors;
      return [
        ...errors,
        invalidValue(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [...errors, invalidValue(`${field}.operator`, asJson(operator ?? ''), 'not a valid selector operator')];
  }
}

function asGoWritesIt(requirement: ScopedResourceSelectorRequirement): object {
  const { scopeName, operator, values } = requirement;
  return { ScopeName: scopeName, Operator: operator, Values: values ?? sentEmpty(requirement, 'values') };
}

function conflictsIn(scopes: readonly string[]): readonly (readonly string[])[] {
  return OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function fits(scope: string, name: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return name === 'pods';
    case 'VolumeAttributesClass':
      return name === 'persistentvolumeclaims' || name === 'requests.storage';
    default:
      return SCOPES.has(scope) ? POD_RESOURCES.has(name) : true;
  }
}
