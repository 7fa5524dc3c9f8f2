import { formatGroupVersionKind, parseGroupVersion, ValueError } from '../../api/index.ts';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import { type CheckedKinds, type Environment, typeCheckingEnvironment, VariableTypes } from '../../cel/index.ts';
import type { Resource } from '../../apiserver/index.ts';

/** A kind whose objects expressions are about. */
export type TypedKind = Pick<Resource, 'group' | 'version' | 'kind' | 'type'>;

/** The kinds of a cluster, by the names that rules have for them. */
export interface TypedKinds {
  find(group: string, version: string, plural: string): { readonly resource: TypedKind } | undefined;
  resourcesOf(group: string): readonly TypedKind[];
}

/** Max kinds against which a policy is type-checked. */
const MAX_KINDS = 10;

/**
 * Type errors in a policy's expressions, given the types of the objects that its rules name. Rules with wildcards name
 * none.
 */
export function typeWarnings({ spec = {} }: ValidatingAdmissionPolicy, registry: TypedKinds): ExpressionWarning[] {
  const { validations = [], variables = [], paramKind } = spec;
  const params = paramType(paramKind, registry);
  const checked = kindsOf(spec, registry).map((resource) => {
    const kinds = { object: resource.type, hasParams: paramKind !== undefined, ...params };
    return { name: formatGroupVersionKind(resource), environment: withVariables(kinds, variables) };
  });
  const warningFor = (fieldRef: string, text: string): ExpressionWarning[] => {
    const problems = checked.flatMap(({ name, environment }) => {
      const compiled = environment.compile(text);
      return compiled.ok ? [] : [`${name}: ${compiled.issues.toString()}\n`];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }];
  };
  return validations.flatMap(({ expression, messageExpression = '' }, index) => [
    ...warningFor(`spec.validations[${index}].expression`, expression),
    ...(messageExpression === '' ? [] : warningFor(`spec.validations[${index}].messageExpression`, messageExpression)),
  ]);
}

/** The environment after all variables; the type of an invalid variable is unknown. */
function withVariables(
  kinds: Omit<CheckedKinds, 'variables'>,
  variables: readonly { readonly name: string; readonly expression: string }[],
): Environment {
  const types = new VariableTypes();
  const environment = typeCheckingEnvironment({ ...kinds, variables: types });
  for (const { name, expression } of variables) {
    const compiled = environment.compile(expression);
    types.add(name, compiled.ok ? compiled.expression.type : undefined);
  }
  return environment;
}

function paramType(
  paramKind: NonNullable<ValidatingAdmissionPolicy['spec']>['paramKind'],
  registry: TypedKinds,
): Pick<CheckedKinds, 'params'> {
  const version = parseGroupVersion(paramKind?.apiVersion ?? '');
  if (paramKind === undefined || version instanceof ValueError) return {};
  const found = registry
    .resourcesOf(version.group)
    .find((resource) => resource.version === version.version && resource.kind === paramKind.kind);
  return found === undefined ? {} : { params: found.type };
}

/** The resources that the rules of a policy name, by group, version and kind. */
function kindsOf(
  { matchConstraints }: NonNullable<ValidatingAdmissionPolicy['spec']>,
  registry: TypedKinds,
): TypedKind[] {
  const found = new Set<TypedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) continue;
    const named = apiGroups
      .toSorted(compareUtf8)
      .flatMap((group) =>
        apiVersions
          .toSorted(compareUtf8)
          .flatMap((version) =>
            resources.toSorted(compareUtf8).flatMap((plural) => registry.find(group, version, plural)?.resource ?? []),
          ),
      );
    for (const resource of named.slice(0, MAX_KINDS)) found.add(resource);
    if (named.length >= MAX_KINDS) break;
  }
  return [...found].sort((left, right) => compareUtf8(sortKey(left), sortKey(right)));
}

function sortKey({ group, version, kind }: TypedKind): string {
  return [group, version, kind].join('\0');
}
