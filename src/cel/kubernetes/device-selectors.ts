import type { MinorVersion } from '../../base/index.ts';
import { declareFunction, member } from '../check/declarations.ts';
import { bindingsLibrary } from '../library/bindings.ts';
import type { Library } from '../library/library.ts';
import type { Program } from '../program.ts';
import { BOOL, DYN, formatType } from '../type-terms/index.ts';
import { CelError, isEqual, isList, listAt, listSize, typeOf, type Value } from '../values/index.ts';
import { baseEnvironment, STORED } from './base-environment.ts';
import { compileExpression, type ExpressionResult } from './compile-expression.ts';
import { DeclProvider } from './decl-provider.ts';
import { type Device, DeviceError, deviceValue } from './device-data.ts';
import { type DeviceFeatures, DeviceSizes, deviceType, MAX_ATTRIBUTE_VALUES } from './device-types.ts';
import type { Environment } from '../environment.ts';
import { limits } from './limits.ts';

/** The features' defaults in Kubernetes 1.36. */
const DEFAULTS: DeviceFeatures = { hasConsumableCapacity: true, hasListAttributes: false };

export type DeviceMatch =
  | { readonly ok: true; readonly matches: boolean; readonly cost: number }
  | { readonly ok: false; readonly error: string };

/** Compiles and evaluates the selectors of device classes and claims. */
export class DeviceSelectors {
  readonly #features: DeviceFeatures;
  readonly #environment: Environment;
  readonly #sizes: DeviceSizes;

  /** Stored selectors may use everything; new ones what the version and the features allow. */
  constructor(features: DeviceFeatures = DEFAULTS, version: MinorVersion = STORED) {
    this.#features = features;
    this.#sizes = new DeviceSizes(features);
    const isStored = version === STORED;
    const device = deviceType({ ...features, hasConsumableCapacity: isStored || features.hasConsumableCapacity });
    const hasDevice = version >= (features.hasConsumableCapacity ? 34 : 31);
    const hasIncludes = isStored || (features.hasListAttributes && version >= 36);
    this.#environment = baseEnvironment(version).extend({
      libraries: [...(version >= 31 ? [bindingsLibrary()] : []), ...(hasIncludes ? [includesLibrary()] : [])],
      variables: hasDevice ? [{ name: 'device', type: device.type }] : [],
      types: hasDevice ? [new DeclProvider([device], { allowsKeywords: version >= 31 })] : [],
    });
  }

  /** The environment itself, for tools. */
  get environment(): Environment {
    return this.#environment;
  }

  compile(text: string): ExpressionResult {
    return compileExpression(this.#environment, text, {
      returnTypes: [BOOL],
      allows: ({ kind }) => kind === 'any' || (kind === 'dyn' && this.#features.hasListAttributes),
      wrongType: (_, got) => `must evaluate to bool or the unknown type, not ${nameOf(got)}`,
      costLimit: limits.deviceSelectorCost,
    });
  }

  /** The max cost of evaluating a selector. */
  maxCost({ expression }: Extract<ExpressionResult, { ok: true }>): bigint {
    return expression.estimateCost(this.#sizes).max;
  }

  /** Whether the selector matches the device. */
  matches(program: Program, device: Device): DeviceMatch {
    try {
      const bindings = { device: deviceValue(device, this.#features.hasListAttributes) };
      const result = program.evaluate(bindings);
      if (!result.ok) return { ok: false, error: result.error };
      if (typeof result.value === 'boolean') return { ok: true, matches: result.value, cost: result.cost };
      return { ok: false, error: notBoolean(result.value) };
    } catch (error) {
      if (error instanceof DeviceError) return { ok: false, error: error.message };
      throw error;
    }
  }
}

function notBoolean(value: Value): string {
  const { name, kind } = typeOf(value);
  return `CEL result of type ${name} could not be converted to bool: ${CONVERSIONS[kind] ?? `type conversion error from '${shortName(name)}' to 'bool'`}`;
}

/** The conversion errors of the individual types. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  bytes: "type conversion error from Bytes to 'bool'",
  double: "type conversion error from Double to 'bool'",
  duration: "type conversion error from 'Duration' to 'bool'",
  int: "unsupported type conversion from 'int' to bool",
  list: "type conversion error from list to 'bool'",
  map: "type conversion error from map to 'bool'",
  null: "type conversion error from 'null_type' to 'bool'",
  string: "unsupported native conversion from string to 'bool'",
  timestamp: "type conversion error from 'Timestamp' to 'bool'",
  type: "type conversion not supported for 'type'",
  uint: "unsupported type conversion from 'uint' to bool",
};

function shortName(typeName: string): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1);
}

/** `includes`: whether an attribute is a value, or a list that contains it. */
function includesLibrary(): Library {
  return {
    functions: [declareFunction('includes', [member('dra_includes_dyn_dyn', [DYN, DYN], BOOL, includes)])],
  };
}

function includes(target: Value, wanted: Value): Value {
  if (!isList(target)) return isEqual(target, wanted);
  const size = listSize(target);
  for (let index = 0; index < size; index++) {
    if (index >= MAX_ATTRIBUTE_VALUES) {
      const limit = `lists longer than ${MAX_ATTRIBUTE_VALUES} values`;
      return new CelError(`'includes' function cannot be applied to ${limit}`);
    }
    if (isEqual(listAt(target, index), wanted)) return true;
  }
  return false;
}

/** Types by the names that they have in messages of the compiler. */
function nameOf(type: Parameters<typeof formatType>[0]): string {
  const text = formatType(type);
  return text === 'null' ? 'null_type' : text;
}
