// The public conformance suite of the language, run in the environment that Kubernetes gives expressions.
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import {
  baseEnvironment,
  declareFunction,
  type Environment,
  formatType,
  member,
  overload,
  type Overload,
  ProgramError,
  type Variable,
} from '../../src/cel/index.ts';
import { describeValue } from '../vectors/cel/describe.ts';
import { type Json, NeedsMessages, typeOfMessage, valueOf } from './protobuf-json.ts';

/** A test of the suite, as the JSON form of cel.expr.conformance.test.SimpleTest has it. */
interface Test {
  readonly expr: string;
  readonly checkOnly?: boolean;
  readonly disableCheck?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: Json };
    readonly function?: { readonly overloads: readonly Signature[] };
  }[];
  readonly bindings?: Readonly<Record<string, { readonly value: Json }>>;
  readonly value?: Json;
  readonly typedResult?: { readonly result?: Json; readonly deducedType: Json };
  readonly evalError?: Json;
}

export interface NamedTest {
  /** `file/section/test`. */
  readonly name: string;
  readonly test: Test;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: object }[];
}

interface Signature {
  readonly overloadId: string;
  readonly params?: readonly Json[];
  readonly resultType: Json;
  readonly isInstanceFunction?: boolean;
}

/** All tests. */
export const publicTests: readonly NamedTest[] = ((conformance as Suite).suites ?? []).flatMap((suite) =>
  testsOf(suite, suite.name),
);

function testsOf({ suites = [], tests = [] }: Suite, path: string): NamedTest[] {
  return [
    ...tests.map(({ original }) => ({
      name: `${path}/${(original as { readonly name: string }).name}`,
      test: original as Test,
    })),
    ...suites.flatMap((suite) => testsOf(suite, `${path}/${suite.name}`)),
  ];
}

/** What is wrong with our answer, if anything. */
export function complaintAbout(test: Test, environment: Environment = baseEnvironment()): string | undefined {
  try {
    return check(test, environment);
  } catch (error) {
    if (error instanceof NeedsMessages) return `there is no ${error.message}`;
    throw error;
  }
}

function check(test: Test, environment: Environment): string | undefined {
  const compiled = extended(environment, test).compile(test.expr);
  if (!compiled.ok) return test.evalError === undefined ? compiled.issues.toString() : undefined;
  const { expression } = compiled;
  const { typedResult } = test;
  if (typedResult !== undefined) {
    const wanted = formatType(typeOfMessage(typedResult.deducedType));
    if (expression.typeName !== wanted) return `the type is ${expression.typeName} instead of ${wanted}`;
  }
  const expected = test.value ?? typedResult?.result ?? { boolValue: true };
  if (test.checkOnly === true) return undefined;
  let program;
  try {
    program = expression.program();
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return test.evalError === undefined ? error.message : undefined;
  }
  const bindings = Object.entries(test.bindings ?? {}).map(([name, { value }]) => [name, valueOf(value)] as const);
  const result = program.evaluate(Object.fromEntries(bindings));
  if (!result.ok) return test.evalError === undefined ? result.error : undefined;
  const value = describeValue(result.value);
  if (test.evalError !== undefined) return `yields ${value} instead of an error`;
  const wanted = describeValue(valueOf(expected));
  return value === wanted ? undefined : `yields ${value} instead of ${wanted}`;
}

function extended(environment: Environment, { typeEnv = [] }: Test): Environment {
  if (typeEnv.length === 0) return environment;
  const variables = typeEnv.flatMap(({ name, ident }): Variable[] =>
    ident === undefined ? [] : [{ name, type: typeOfMessage(ident.type) }],
  );
  const functions = typeEnv.flatMap(({ name, function: declared }) =>
    declared === undefined ? [] : [declareFunction(name, declared.overloads.map(overloadOf))],
  );
  return environment.extend({ variables, libraries: [{ functions }] });
}

function overloadOf({ overloadId, params = [], resultType, isInstanceFunction = false }: Signature): Overload {
  const make = isInstanceFunction ? member : overload;
  return make(
    overloadId,
    params.map((type) => typeOfMessage(type)),
    typeOfMessage(resultType),
  );
}
