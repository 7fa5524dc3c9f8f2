import {
  asJson,
  checkFormat,
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  parseGroupVersion,
  parseJsonPath,
  pathSegmentNameProblems,
  qualifiedNameProblems,
  required,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  AuditAnnotation,
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../api/types/admissionregistration/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkConditions as checkStatusConditions } from '../condition-rules.ts';
import { checkConditions } from './condition-rules.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { checkRule } from './webhook-rules.ts';
import { firstIndexes } from '../first-indexes.ts';
import { PolicyExpressions } from './expression-rules.ts';

type Policy = Whole<ValidatingAdmissionPolicy> | Whole<MutatingAdmissionPolicy>;

export function checkValidatingPolicy(policy: Whole<ValidatingAdmissionPolicy>): FieldError[] {
  const { validations = [], auditAnnotations = [], variables = [], paramKind } = policy.spec;
  const expressions = new PolicyExpressions({ hasParams: paramKind !== undefined, hasVariables: variables.length > 0 });
  const errors = checkPolicy(policy, expressions);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', detail), required('spec.auditAnnotations', detail)];
  }
  return [
    ...errors,
    ...validations.flatMap((item, index) => checkValidation(item, `spec.validations[${index}]`, expressions)),
    ...checkAuditAnnotations(auditAnnotations, policy.metadata.name ?? '', expressions),
  ];
}

/** What type checking has found, and conditions. */
export function checkPolicyStatus({ status }: Whole<ValidatingAdmissionPolicy>): FieldError[] {
  const warnings = status.typeChecking?.expressionWarnings ?? [];
  return [
    ...warnings.flatMap(({ fieldRef = '', warning = '' }, index) => {
      const at = `status.typeChecking.expressionWarnings[${index}]`;
      return [
        ...(warning === '' ? [required(`${at}.warning`)] : []),
        ...checkFieldRef(fieldRef.trim(), `${at}.fieldRef`),
      ];
    }),
    ...checkStatusConditions(status.conditions ?? [], 'status.conditions'),
  ];
}

function checkFieldRef(fieldRef: string, field: string): FieldError[] {
  if (fieldRef === '') return [required(field)];
  try {
    parseJsonPath(`{${fieldRef}}`);
    return [];
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return [invalidValue(field, fieldRef, `invalid JSONPath: ${error.message}`)];
  }
}

const MUTATED = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

export function checkMutatingPolicy(policy: Whole<MutatingAdmissionPolicy>): FieldError[] {
  const { mutations = [], reinvocationPolicy = '', paramKind } = policy.spec;
  const expressions = new PolicyExpressions({ hasParams: paramKind !== undefined, hasVariables: true });
  return [
    ...checkPolicy(policy, expressions),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, index) => checkMutation(mutation, `spec.mutations[${index}]`, expressions)),
    ...(reinvocationPolicy === '' ? [required('spec.reinvocationPolicy')] : []),
  ];
}

/** Deletes cannot be mutated. */
export function checkMutated(match: MatchResources | undefined, field: string): FieldError[] {
  const operations = (match?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return operations
    .filter((operation) => !MUTATED.includes(operation))
    .map((operation) => notSupported(`${field}.resourceRules.operations`, asJson(operation), MUTATED));
}

function checkPolicy({ spec }: Policy, expressions: PolicyExpressions): FieldError[] {
  const { paramKind, matchConstraints, matchConditions = [], variables = [] } = spec;
  const errors = paramKind === undefined ? [] : checkParamKind(paramKind, 'spec.paramKind');
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...checkMatch(matchConstraints, 'spec.matchConstraints'));
    if ((matchConstraints.resourceRules ?? []).length === 0) {
      errors.push(required('spec.matchConstraints.resourceRules'));
    }
  }
  if ('mutations' in spec) errors.push(...checkMutated(matchConstraints, 'spec.matchConstraints'));
  errors.push(...checkConditions(matchConditions, 'spec.matchConditions', expressions));
  for (const [index, { name, expression }] of variables.entries()) {
    const field = `spec.variables[${index}]`;
    if ((name ?? '').trim() === '') errors.push(required(`${field}.name`, 'name is not specified'));
    else errors.push(...checkFormat('celidentifier', name).map((why) => invalidValue(`${field}.name`, name, why)));
    if ((expression ?? '').trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
    else errors.push(...expressions.variable(name, expression, `${field}.expression`));
  }
  return errors;
}

function checkParamKind({ apiVersion = '', kind = '' }: ParamKind, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.apiVersion`;
  const parsed = parseGroupVersion(apiVersion);
  if (apiVersion === '') errors.push(required(at));
  else if (parsed instanceof ValueError) errors.push(invalidValue(at, apiVersion, parsed.message));
  else {
    const group = parsed.group === '' ? [] : dns1123SubdomainProblems(parsed.group);
    if (group.length > 0) errors.push(invalidValue(at, parsed.group, group.join(',')));
    const version = dns1035LabelProblems(parsed.version);
    if (parsed.version === '') errors.push(invalidValue(at, apiVersion, 'version must be specified'));
    else if (version.length > 0) errors.push(invalidValue(at, parsed.version, version.join(',')));
  }
  if (kind === '') return [...errors, required(`${field}.kind`)];
  const problems = dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [...errors, invalidValue(`${field}.kind`, kind, detail)];
}

export function checkMatch(match: MatchResources | undefined, field: string): FieldError[] {
  if (match === undefined) return [];
  const rules = (name: 'resourceRules' | 'excludeResourceRules'): FieldError[] =>
    (match[name] ?? []).flatMap((rule, index) => {
      const at = `${field}.${name}[${index}]`;
      return [...checkResourceNames(rule.resourceNames ?? [], `${at}.resourceNames`), ...checkRule(rule, at)];
    });
  return [
    ...checkLabelSelector(match.namespaceSelector, `${field}.namespaceSelector`),
    ...checkLabelSelector(match.objectSelector, `${field}.objectSelector`),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
}

function checkResourceNames(names: readonly string[], field: string): FieldError[] {
  const first = firstIndexes(names);
  return names.flatMap((name, index) => [
    ...pathSegmentNameProblems(name).map((problem) => invalidValue(`${field}[${index}]`, name, problem)),
    ...(first.get(name) !== index ? [duplicate(`${field}[${index}]`, name)] : []),
  ]);
}

function checkValidation(
  { expression, message = '', messageExpression = '' }: Validation,
  field: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const errors: FieldError[] = [];
  const isBlank = (text: string): boolean => text !== '' && text.trim() === '';
  if ((expression ?? '').trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
  else errors.push(...expressions.check('validation', expression, { field: `${field}.expression` }));
  if (isBlank(messageExpression)) {
    errors.push(invalidValue(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    errors.push(...expressions.check('message', messageExpression, { field: `${field}.messageExpression` }));
  }
  if (isBlank(message)) errors.push(invalidValue(`${field}.message`, message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(`${field}.message`, message, 'must not contain line breaks'));
  }
  return errors;
}

const MAX_ANNOTATIONS = 20;

function checkAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const field = 'spec.auditAnnotations';
  const keys = new Set<string>();
  const detail = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
  return [
    ...(annotations.length > MAX_ANNOTATIONS ? [invalidValue(field, annotations, detail)] : []),
    ...annotations.flatMap(({ key, valueExpression }, index) => {
      const at = `${field}[${index}]`;
      const name = `${policy}/${key}`;
      const errors =
        policy === ''
          ? [invalidValue(`${at}.key`, key, 'requires metadata.name be non-empty')]
          : qualifiedNameProblems(name).map((problem) => invalidValue(`${at}.key`, name, problem));
      if ((valueExpression ?? '').trim() === '') {
        errors.push(required(`${at}.valueExpression`, 'valueExpression is not specified'));
      } else {
        const place = { field: `${at}.valueExpression`, shown: valueExpression };
        errors.push(...expressions.check('annotation', valueExpression.trim(), place));
      }
      if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
      keys.add(key);
      return errors;
    }),
  ];
}

function checkMutation(
  { patchType, jsonPatch, applyConfiguration }: Mutation,
  field: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const expressed = (use: 'jsonPatch' | 'applyConfiguration', text = ''): FieldError[] => {
    const at = `${field}.${use}.expression`;
    return text.trim() === '' ? [required(at)] : expressions.check(use, text.trim(), { field: at });
  };
  const errors: FieldError[] = [];
  const isMissing = (name: string): FieldError =>
    required(`${field}.${name}`, `must be specified when patchType is ${patchType}`);
  const isSurplus = (name: string): FieldError =>
    invalidValue(`${field}.${name}`, `{${name}}`, `must not be specified when patchType is ${patchType}`);
  if (patchType === 'JSONPatch') {
    if (jsonPatch === undefined) errors.push(isMissing('jsonPatch'));
    else errors.push(...expressed('jsonPatch', jsonPatch.expression));
    if (applyConfiguration !== undefined) errors.push(isSurplus('applyConfiguration'));
  } else if (patchType === 'ApplyConfiguration') {
    if (applyConfiguration === undefined) errors.push(isMissing('applyConfiguration'));
    else errors.push(...expressed('applyConfiguration', applyConfiguration.expression));
    if (jsonPatch !== undefined) errors.push(isSurplus('jsonPatch'));
  }
  return errors;
}

/** Which objects are the parameters: one by name, or those of a selector. */
export function checkParamRef(reference: ParamRef | undefined, field: string): FieldError[] {
  if (reference === undefined) return [];
  const { name = '', selector, parameterNotFoundAction } = reference;
  const detail = 'name and selector are mutually exclusive';
  const errors: FieldError[] = [];
  if (name !== '') {
    for (const problem of pathSegmentNameProblems(name)) errors.push(invalidValue(`${field}.name`, name, problem));
    if (selector !== undefined) errors.push(forbiddenField(`${field}.name`, detail));
  }
  errors.push(...checkLabelSelector(selector, `${field}.selector`));
  if (name !== '' && selector !== undefined) errors.push(forbiddenField(`${field}.selector`, detail));
  if (name === '' && selector === undefined) {
    errors.push(required(field, 'one of name or selector must be specified'));
  }
  if ((parameterNotFoundAction ?? '') === '') errors.push(required(`${field}.parameterNotFoundAction`));
  return errors;
}
