// Carries out tasks with our implementation, in the form in which the Go program answers.
import {
  ANY,
  authenticationEnvironment,
  authorizationEnvironment,
  BOOL,
  claimsValue,
  compileAuthenticationExpression,
  compileAuthorizationCondition,
  compileExpression,
  compileRule,
  Composition,
  type Device,
  DeviceSelectors,
  evaluateConditions,
  type Evaluation,
  type ExpressionProblem,
  isProblem,
  NONE,
  Optional,
  ruleEnvironment,
  type RuleProgram,
  type StructuralSchema,
  structuralShape,
  type UserData,
  userInfoValue,
} from '../../../src/cel/index.ts';
import { describeValue } from './describe.ts';
import type { Task } from './tasks.ts';

/** What came of a task. */
export interface Outcome {
  readonly problem?: string;
  readonly kind?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: string;
  readonly maxCost?: string;
  readonly maxCardinality?: string;
  readonly usesOldSelf?: boolean;
  readonly message?: Outcome;
  readonly answers?: readonly Outcome[];
  readonly remaining?: string;
}

export function carryOut(task: Task): Outcome {
  switch (task.use) {
    case 'claims':
    case 'user':
      return authenticate(task);
    case 'condition':
      return authorize(task);
    case 'device':
      return selectDevice(task);
    case 'rule':
      return rule(task);
    case 'policy':
      return policy(task);
  }
}

function problem({ kind, detail }: ExpressionProblem): Outcome {
  return { problem: detail, kind };
}

function evaluated(result: Evaluation): Outcome {
  const cost = String(result.cost);
  return result.ok ? { value: describeValue(result.value), cost } : { error: result.error, cost };
}

function authenticate({ use, expr = '', wants, data }: Task): Outcome {
  const environment = authenticationEnvironment(use as 'claims' | 'user');
  const result = compileAuthenticationExpression(environment, expr, [wants === 'bool' ? BOOL : ANY]);
  if (!result.ok) return problem(result.problem);
  const value = use === 'claims' ? claimsValue(data as Record<string, unknown>) : userInfoValue(data as UserData);
  return evaluated(result.program.evaluate({ [use]: value }));
}

function authorize({ expr = '', data }: Task): Outcome {
  const result = compileAuthorizationCondition(authorizationEnvironment(), expr);
  if (!result.ok) return problem(result.problem);
  const evaluation = result.program.evaluate({ request: reviewOf(data as Record<string, unknown>) });
  if (evaluation.ok) return { value: describeValue(evaluation.value) };
  return { error: `cel evaluation error: expression '${expr}' resulted in error: ${evaluation.error}` };
}

/** A review's spec with all its fields, as the authorizer makes it. */
function reviewOf(spec: Record<string, unknown>): unknown {
  const empty = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' };
  const resource = spec['resourceAttributes'] as Record<string, unknown> | undefined;
  return {
    user: '',
    groups: [],
    uid: '',
    extra: {},
    ...spec,
    ...(resource === undefined ? {} : { resourceAttributes: { ...empty, ...resource } }),
  };
}

function selectDevice({ expr = '', data, hasListAttributes = false }: Task): Outcome {
  const selectors = new DeviceSelectors({ hasConsumableCapacity: true, hasListAttributes });
  const result = selectors.compile(expr);
  if (!result.ok) return problem(result.problem);
  const maxCost = String(selectors.maxCost(result));
  const match = selectors.matches(result.program, data as Device);
  return match.ok
    ? { value: String(match.matches), cost: String(match.cost), maxCost }
    : { error: match.error, maxCost };
}

function rule(task: Task): Outcome {
  const rules = ruleEnvironment(structuralShape(task.schema as StructuralSchema, { isResource: task.isRoot === true }));
  if (rules === undefined) throw new Error('the schema has no type');
  const compiled = compileRule({ ...task, rule: task.expr ?? '' }, rules);
  if (compiled === undefined) return { problem: 'nothing' };
  if (isProblem(compiled)) return problem(compiled);
  const { self, oldSelf } = task.data as { readonly self: unknown; readonly oldSelf?: unknown };
  const old =
    task.optionalOldSelf === true ? (oldSelf === undefined ? NONE : new Optional(rules.value(oldSelf))) : oldSelf;
  const bindings = { self, oldSelf: old };
  const messageOf = (message: RuleProgram | ExpressionProblem): Outcome =>
    isProblem(message)
      ? problem(message)
      : { ...evaluated(message.program.evaluate(bindings)), maxCost: String(message.maxCost) };
  return {
    ...evaluated(compiled.program.evaluate(bindings)),
    maxCost: String(compiled.maxCost),
    maxCardinality: String(rules.maxCardinality),
    ...(compiled.usesOldSelf ? { usesOldSelf: true } : {}),
    ...(compiled.message === undefined ? {} : { message: messageOf(compiled.message) }),
  };
}

function policy({ variables = [], conditions = [], data, budget = 0, wants }: Task): Outcome {
  const composition = new Composition({ hasParams: true });
  for (const { name, expr } of variables) composition.add(name, expr);
  const compiled = conditions.map((text) => ({
    text,
    result: compileExpression(composition.environment, text, { returnTypes: [wants === 'any' ? ANY : BOOL] }),
  }));
  const nulls = { object: null, oldObject: null, params: null, request: null, namespaceObject: null };
  const bound = composition.bind({ ...nulls, ...(data as Record<string, unknown>) });
  const result = evaluateConditions(compiled, bound, budget);
  if (!result.ok) return problem(result.problem);
  const answers = result.answers.map((answer) =>
    answer.ok ? { value: describeValue(answer.value) } : problem(answer.problem),
  );
  return { answers, remaining: String(result.remainingBudget) };
}
