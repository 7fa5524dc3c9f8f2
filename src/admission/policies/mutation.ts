import { applyJsonPatch, JsonPatchError, type JsonPatchOperation, mergeConfig, MergeError } from '../../api/index.ts';
import type { ApiObject, PlainObject, Struct } from '../../api/index.ts';
import type { Mutation } from '../../api/types/admissionregistration/v1.d.ts';
import {
  CelError,
  type ComposedBindings,
  type Condition,
  type Environment,
  evaluateConditions,
  isList,
  JsonPatchValue,
  limits,
  listItems,
  listOf,
  objectType,
  ObjectValue,
  plainJson,
  type Value,
} from '../../cel/index.ts';
import { condition } from './policy-expressions.ts';

const APPLY_TYPES = [objectType('Object')];
const PATCH_TYPES = [listOf(objectType('JSONPatch'))];

/** Why a mutation failed, in Kubernetes' words; the failure policy decides the outcome of the request. */
export class MutationProblem extends Error {
  override readonly name = 'MutationProblem';
}

/** One mutation of a policy with its expression compiled. */
export class CompiledMutation {
  readonly isJsonPatch: boolean;
  readonly #condition: Condition;

  constructor({ patchType, jsonPatch, applyConfiguration }: Mutation, environment: Environment) {
    this.isJsonPatch = patchType === 'JSONPatch';
    this.#condition = this.isJsonPatch
      ? condition(environment, jsonPatch?.expression ?? '', PATCH_TYPES)
      : condition(environment, applyConfiguration?.expression ?? '', APPLY_TYPES);
  }

  /** The expression's value. Ends: with a `MutationProblem`. */
  evaluate(bound: ComposedBindings): Value {
    const { result } = this.#condition;
    if (!result.ok) throw new MutationProblem(result.problem.detail);
    const outcome = evaluateConditions([this.#condition], bound, limits.objectCost);
    if (!outcome.ok) throw new MutationProblem(outcome.problem.detail);
    const [answer] = outcome.answers;
    if (answer?.ok !== true) throw new MutationProblem(answer?.problem.detail ?? 'no answer');
    return answer.value;
  }

  /**
   * The object changed by the expression's result, not decoded yet; the same one when there is nothing to change.
   * Without a type, configurations cannot be applied.
   */
  apply(value: Value, object: ApiObject, struct: Struct | undefined): unknown {
    return this.isJsonPatch ? patched(value, object) : merged(value, object, struct);
  }
}

function merged(value: Value, object: ApiObject, struct: Struct | undefined): unknown {
  if (!(value instanceof ObjectValue))
    throw new MutationProblem('unsupported return type from ApplyConfiguration expression');
  checkTypeNames(value);
  const { kind, apiVersion } = object;
  const config = { ...(jsonOf(value) as object), kind, apiVersion };
  if (struct === undefined) throw new MutationProblem(`error applying patch: ${withoutType(object)}`);
  try {
    return mergeConfig(object as unknown as PlainObject, config as unknown as PlainObject, struct);
  } catch (cause) {
    if (!(cause instanceof MergeError)) throw cause;
    throw new MutationProblem(`error applying patch: ${cause.message}`, { cause });
  }
}

function withoutType({ kind = '', apiVersion = '' }: ApiObject): string {
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `failed to convert patch object to typed object: no corresponding type for ${version}, Kind=${kind}`;
}

const TEST_FAILED = 'test failed';

function patched(value: Value, object: ApiObject): unknown {
  const items = isList(value) ? listItems(value) : [];
  try {
    return applyJsonPatch(object, items.map(operationOf));
  } catch (cause) {
    if (!(cause instanceof JsonPatchError)) throw cause;
    if (cause.message.endsWith(TEST_FAILED)) return object;
    throw new MutationProblem(`JSON Patch: ${cause.message}`, { cause });
  }
}

function operationOf(item: Value): JsonPatchOperation {
  if (!(item instanceof JsonPatchValue)) {
    throw new MutationProblem('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  }
  const { fields } = item;
  const from = fields.get('from') ?? '';
  const operation = { op: fields.get('op') ?? '', path: fields.get('path') ?? '', ...(from === '' ? {} : { from }) };
  const value = fields.get('value');
  if (value === undefined) return operation;
  if (value instanceof ObjectValue) checkTypeNames(value);
  return { ...operation, value: jsonOf(value) };
}

function checkTypeNames(value: ObjectValue): void {
  const problems = value.typeNameProblems();
  if (problems.length > 0) throw new MutationProblem(`type mismatch: ${problems.join('\n')}`);
}

function jsonOf(value: Value): unknown {
  const json = plainJson(value);
  if (!(json instanceof CelError)) return json;
  throw new MutationProblem(
    `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${json.message}`,
  );
}
