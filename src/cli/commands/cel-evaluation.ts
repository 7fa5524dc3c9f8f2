import { YamlBody } from '../../api/index.ts';
import {
  admissionEnvironment,
  type Bindings,
  type CheckedExpression,
  type CostRange,
  DYN,
  type Environment,
  type Evaluation,
  limits,
  type Program,
  ProgramError,
  ruleEnvironment,
  structuralShape,
  type SizeEstimator,
} from '../../cel/index.ts';
import { dataAt, findSchema, type Path, schemaAt } from './cel-schema.ts';

/** A file's name and contents. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The data that an expression is evaluated on. */
export interface ExpressionInput {
  readonly input?: NamedText;
  /** The old object. */
  readonly old?: NamedText;
  readonly params?: NamedText;
  readonly schema?: NamedText;
  readonly version?: string;
  readonly path: Path;
}

export interface ExpressionReport {
  readonly expression: CheckedExpression;
  readonly estimate: CostRange;
  readonly evaluation: Evaluation;
  /** Whether the server would reject a CustomResourceDefinition with this rule for its cost. */
  readonly isTooCostly: boolean;
}

interface World {
  readonly environment: Environment;
  readonly bindings: Bindings;
  readonly sizes?: SizeEstimator;
}

/** Compiles and evaluates an expression. Throws when an input cannot be used. */
export function evaluateExpression(text: string, given: ExpressionInput): ExpressionReport {
  const { environment, bindings, sizes } = given.schema === undefined ? untypedWorld(given) : typedWorld(given);
  const compiled = environment.compile(text);
  if (!compiled.ok) throw new Error(`Cannot compile the expression\n${compiled.issues.toString()}`);
  const { expression } = compiled;
  requireBindings(expression, bindings);
  const estimate = expression.estimateCost(sizes);
  const evaluation = makeProgram(expression).evaluate(bindings);
  const isTooCostly = given.schema !== undefined && estimate.max > BigInt(limits.ruleEstimate);
  return { expression, estimate, evaluation, isTooCostly };
}

function makeProgram(expression: CheckedExpression): Program {
  try {
    return expression.program({ costLimit: limits.expressionCost });
  } catch (cause) {
    if (!(cause instanceof ProgramError)) throw cause;
    throw new Error('Cannot make a program of the expression', { cause });
  }
}

/** Without a schema: the data is `self`, as in rules, and `object`, as in policies. */
function untypedWorld({ input, old, params, version, path }: ExpressionInput): World {
  if (version !== undefined) throw new Error('--version chooses a version of --schema, which is not given');
  const self = read(input, path);
  const oldSelf = read(old, path);
  const environment = admissionEnvironment({ hasParams: true }).extend({
    variables: [
      { name: 'self', type: DYN },
      { name: 'oldSelf', type: DYN },
    ],
  });
  return { environment, bindings: { self, object: self, oldSelf, oldObject: oldSelf, params: read(params, []) } };
}

function typedWorld({ input, old, params, schema: file, version, path }: ExpressionInput): World {
  if (params !== undefined) throw new Error('--params is for policies, which have no --schema');
  const data = input === undefined ? undefined : parse(input);
  const rules = naming(file as NamedText, 'use schema', () => {
    const apiVersion = dataAt(data, ['apiVersion']);
    const { schema, isResourceRoot } = findSchema(parse(file as NamedText), { version, apiVersion });
    const isRoot = isResourceRoot && path.length === 0;
    const found = ruleEnvironment(structuralShape(schemaAt(schema, path), { isResource: isRoot }));
    if (found === undefined) throw new Error('expressions cannot see data without a type');
    return found;
  });
  const bindings = {
    self: data === undefined ? undefined : at(data, path, input as NamedText),
    oldSelf: read(old, path),
  };
  return { environment: rules.environment, bindings, sizes: rules.sizes };
}

function read(file: NamedText | undefined, path: Path): unknown {
  return file === undefined ? undefined : at(parse(file), path, file);
}

function at(data: unknown, path: Path, { name }: NamedText): unknown {
  const found = dataAt(data, path);
  if (found === undefined) throw new Error(`Cannot use "${name}": it has nothing at "${path.join('.')}"`);
  return found;
}

function parse(file: NamedText): unknown {
  return naming(file, 'read', () => new YamlBody(file.text).untyped());
}

function naming<T>({ name }: NamedText, action: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`Cannot ${action} "${name}"`, { cause });
  }
}

const FLAGS: Readonly<Record<string, string>> = {
  self: 'input',
  object: 'input',
  oldSelf: 'old',
  oldObject: 'old',
  params: 'params',
};

/** Throws if the expression uses a variable without data. */
function requireBindings(expression: CheckedExpression, bindings: Bindings): void {
  for (const [variable, flag] of Object.entries(FLAGS)) {
    if (!expression.mentions(variable) || bindings[variable] !== undefined) continue;
    throw new Error(`Cannot evaluate the expression: it uses "${variable}", so --${flag} must be given`);
  }
  for (const variable of ['request', 'namespaceObject']) {
    if (expression.mentions(variable))
      throw new Error(`Cannot evaluate the expression: there is no "${variable}" here`);
  }
}
