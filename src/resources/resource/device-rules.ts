import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  labelValueProblems,
  notSupported,
  qualifiedNameProblems,
  required,
  sentEmpty,
  tooLong,
  tooMany,
} from '../../api/index.ts';
import type {
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
  OpaqueDeviceConfiguration,
} from '../../api/types/resource/v1.d.ts';
import { DeviceSelectors, limits } from '../../cel/index.ts';
import { checkDriverName } from '../core/volume-sources.ts';

/** The problems of one item of a list. */
type ItemCheck<T> = (item: T, field: string) => readonly FieldError[];

/** A list that is only looked into when it is not too long. */
export function checkList<T>(
  list: readonly T[],
  field: string,
  { max, check }: { readonly max: number; readonly check: ItemCheck<T> },
): FieldError[] {
  if (list.length > max) return [tooMany(field, list.length, max)];
  return list.flatMap((item, index) => check(item, `${field}[${index}]`));
}

/** The same for a list whose items have different keys. */
export function checkSet<T>(
  list: readonly T[],
  field: string,
  options: { readonly max: number; readonly check: ItemCheck<T>; readonly key: (item: T) => unknown },
): FieldError[] {
  if (list.length > options.max) return checkList(list, field, options);
  const seen = new Set<string>();
  const repeated = list.flatMap((item, index) => {
    const key = options.key(item);
    const text = JSON.stringify(key);
    if (seen.has(text)) return [duplicate(`${field}[${index}]`, key)];
    seen.add(text);
    return [];
  });
  return [...checkList(list, field, options), ...repeated];
}

export function checkLabelName(name: string, field: string): FieldError[] {
  return dns1123LabelProblems(name).map((problem) => invalidValue(field, name, problem));
}

export function checkQualifiedLabel(name: string, field: string): FieldError[] {
  return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
}

const MAX_POOL_NAME = 253;

/** Subdomains between slashes. */
export function checkPoolName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  return [
    ...(Buffer.byteLength(name) > MAX_POOL_NAME ? [tooLong(field, MAX_POOL_NAME)] : []),
    ...name
      .split('/')
      .flatMap((part) => dns1123SubdomainProblems(part).map((problem) => invalidValue(field, part, problem))),
  ];
}

const MAX_IDENTIFIER = 32;
const IDENTIFIER_SHOWN =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' " +
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function checkIdentifier(name: string, field: string): FieldError[] {
  return [
    ...(Buffer.byteLength(name) > MAX_IDENTIFIER ? [tooLong(field, MAX_IDENTIFIER)] : []),
    ...(/^[A-Za-z_]\w*$/.test(name) ? [] : [invalidValue(field, name, IDENTIFIER_SHOWN)]),
  ];
}

/** The name of an attribute or capacity: an identifier, as a rule with the driver's domain in front. */
export function checkAttributeName(name: string, field: string): FieldError[] {
  const [first = '', second, ...others] = name.split('/');
  if (second === undefined) return checkIdentifier(first, field);
  if (others.length > 0) return [];
  return [
    ...(first === '' ? [invalidValue(field, '', 'the domain must not be empty')] : checkDriverName(first, field)),
    ...(second === '' ? [invalidValue(field, '', 'the name must not be empty')] : checkIdentifier(second, field)),
  ];
}

export function checkFullAttributeName(name: string, field: string): FieldError[] {
  const errors = checkAttributeName(name, field);
  if (name.includes('/')) return errors;
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...errors, invalidValue(field, name, detail)];
}

/** New expressions may only use features of the previous version. */
const VERSION_OF_NEW_EXPRESSIONS = 35;
const MAX_SELECTORS = 32;
const MAX_EXPRESSION_LENGTH = 10_240;

export function checkSelectors(selectors: readonly DeviceSelector[], field: string): FieldError[] {
  if (selectors.length === 0) return [];
  const compiler = new DeviceSelectors(undefined, VERSION_OF_NEW_EXPRESSIONS);
  return checkList(selectors, field, {
    max: MAX_SELECTORS,
    check: ({ cel }, at) =>
      cel === undefined
        ? [required(`${at}.cel`)]
        : checkExpression(cel.expression ?? '', `${at}.cel.expression`, compiler),
  });
}

function checkExpression(text: string, field: string, compiler: DeviceSelectors): FieldError[] {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_LENGTH) return [tooLong(field, MAX_EXPRESSION_LENGTH)];
  const compiled = compiler.compile(text);
  if (!compiled.ok) return [invalidValue(field, text, compiled.problem.detail)];
  if (compiler.maxCost(compiled) <= BigInt(limits.deviceSelectorCost)) return [];
  return [forbiddenField(field, 'too complex, exceeds cost limit')];
}

const MAX_PARAMETERS = 10 * 1024;

/** What is handed to a driver as it is: a JSON object of limited size. */
export function checkConfiguration(
  { opaque }: { readonly opaque?: OpaqueDeviceConfiguration },
  field: string,
): FieldError[] {
  const at = `${field}.opaque`;
  if (opaque === undefined) return [required(at)];
  return [
    ...checkDriverName(opaque.driver ?? '', `${at}.driver`),
    ...checkRawObject(opaque.parameters, `${at}.parameters`, MAX_PARAMETERS),
  ];
}

export function checkRawObject(value: unknown, field: string, maxBytes: number): FieldError[] {
  if (value === undefined || value === null) return [required(field)];
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return [tooLong(field, maxBytes)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [invalidValue(field, '<value omitted>', 'must be a valid JSON object')];
}

const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS = ['Equal', 'Exists'];

export function checkDeviceTaint(taint: DeviceTaint, field: string): FieldError[] {
  const effect: string = taint.effect ?? '';
  const errors = checkTaintTexts(taint, field);
  if (effect === '') return [...errors, required(`${field}.effect`)];
  if (!TAINT_EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, asJson(effect), TAINT_EFFECTS));
  return errors;
}

/** The key and the value of a taint. */
export function checkTaintTexts({ key = '', value = '' }: Partial<DeviceTaint>, field: string): FieldError[] {
  return [
    ...checkQualifiedLabel(key, `${field}.key`),
    ...(value === '' ? [] : checkLabelValue(value, `${field}.value`)),
  ];
}

export function checkDeviceToleration(toleration: DeviceToleration, field: string): FieldError[] {
  const { key = '', value = '' } = toleration;
  const effect: string = toleration.effect ?? '';
  const errors = key === '' ? [] : checkQualifiedLabel(key, `${field}.key`);
  switch ((toleration.operator ?? '') as string) {
    case 'Exists':
      if (value !== '') errors.push(invalidValue(`${field}.value`, value, 'must be empty for operator `Exists`'));
      break;
    case 'Equal':
      errors.push(...checkLabelValue(value, `${field}.value`));
      break;
    case '':
      errors.push(required(`${field}.operator`));
      break;
    default:
      errors.push(notSupported(`${field}.operator`, asJson(toleration.operator ?? ''), OPERATORS));
  }
  if (effect !== '' && !TAINT_EFFECTS.includes(effect)) {
    errors.push(notSupported(`${field}.effect`, asJson(effect ?? ''), TAINT_EFFECTS));
  }
  return errors;
}

export function checkLabelValue(value: string, field: string): FieldError[] {
  return labelValueProblems(value).map((problem) => invalidValue(field, value, problem));
}

interface Binding {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const MAX_CONDITIONS = 4;

/** The conditions that a device waits for, and those that make it fail: both or none, and none in common. */
export function checkBinding(device: Binding, field: string): FieldError[] {
  const { bindingConditions: ready = [], bindingFailureConditions: failed = [] } = device;
  const list = { max: MAX_CONDITIONS, check: checkQualifiedLabel };
  const ofReady = `${field}.bindingConditions`;
  const ofFailed = `${field}.bindingFailureConditions`;
  const errors = [...checkList(ready, ofReady, list), ...checkList(failed, ofFailed, list)];
  const repeated = (names: readonly string[], index: number, at: string): FieldError[] =>
    names.indexOf(names[index] ?? '') === index ? [] : [duplicate(`${at}[${index}]`, names[index])];
  for (const index of ready.keys()) errors.push(...repeated(ready, index, ofReady));
  for (const [index, name] of failed.entries()) {
    errors.push(...repeated(failed, index, ofFailed));
    if (!ready.includes(name)) continue;
    const detail = 'bindingFailureConditions must not overlap with bindingConditions';
    errors.push(invalidValue(`${ofFailed}[${index}]`, name, detail));
  }
  if (ready.length === 0 && failed.length > 0) {
    const detail = 'bindingConditions are required to use bindingFailureConditions';
    errors.push(invalidValue(ofReady, sentEmpty(device, 'bindingConditions'), detail));
  }
  if (failed.length === 0 && ready.length > 0) {
    const detail = 'bindingFailureConditions are required to use bindingConditions';
    errors.push(invalidValue(ofFailed, sentEmpty(device, 'bindingFailureConditions'), detail));
  }
  return errors;
}
