import { duplicate, forbiddenField, invalidValue, qualifiedNameProblems, required, withMeta } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import { isNativeResource } from '../../api/meaning/index.ts';
import type { LimitRange, LimitRangeItem } from '../../api/types/core/v1.d.ts';
import { defineKind, type Whole } from '../kind.ts';
import { amount, missingAmounts, roundToMilli, withAmounts } from './resource-list.ts';
import { checkContainerResourceName, checkResourceName } from './resource-rules.ts';

export const limitRanges = defineKind<LimitRange>({
  changeSteps: ['metadata', 'object'],
  group: '',
  plural: 'limitranges',
  createOnUpdate: true,

  applyDefaults({ spec }) {
    for (const item of spec.limits ?? []) {
      if (item.type === 'Container') defaultItem(item);
      for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
        roundToMilli(list);
      }
    }
  },

  prepareForCreate(object, { newUid }) {
    if ((object.metadata.name ?? '') === '') object.metadata = withMeta(object.metadata, { name: newUid() });
  },

  ownRulesFor: ['spec.limits'],
  validate: checkLimitRange,
});

/** The default limit is the maximum, and the default request is the default limit. */
function defaultItem(item: LimitRangeItem): void {
  const limits = missingAmounts(item.default, item.max);
  if (limits !== undefined) item.default = withAmounts(item.default, limits);
  const requests = missingAmounts(item.defaultRequest, item.default);
  if (requests !== undefined) item.defaultRequest = withAmounts(item.defaultRequest, requests);
  const least = missingAmounts(item.defaultRequest, item.min);
  if (least !== undefined) item.defaultRequest = withAmounts(item.defaultRequest, least);
}

const TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

function checkLimitRange({ spec }: Whole<LimitRange>): FieldError[] {
  const seen = new Set<string>();
  return (spec.limits ?? []).flatMap((item, index) => {
    const field = `spec.limits[${index}]`;
    const isRepeated = seen.has(item.type);
    seen.add(item.type);
    return [
      ...checkType(item.type ?? '', `${field}.type`),
      ...(isRepeated ? [duplicate(`${field}.type`, item.type)] : []),
      ...checkNames(item, field),
      ...namesOf(item).flatMap((name) => checkOrder(item, name, field)),
    ];
  });
}

function checkType(type: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, type, problem));
  if (type.includes('/') || TYPES.has(type)) return [];
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function namesOf(item: LimitRangeItem): string[] {
  const lists = item.type === 'Pod' ? LISTS.filter((list) => list !== 'default' && list !== 'defaultRequest') : LISTS;
  return [...new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})))].sort();
}

function checkNames(item: LimitRangeItem, field: string): FieldError[] {
  const check = item.type === 'Pod' || item.type === 'Container' ? checkContainerResourceName : checkResourceName;
  const errors: FieldError[] = [];
  for (const list of LISTS) {
    const isRefused = item.type === 'Pod' && (list === 'default' || list === 'defaultRequest');
    const names = Object.keys(item[list] ?? {});
    if (isRefused && names.length > 0) {
      errors.push(forbiddenField(`${field}.${list}`, "may not be specified when `type` is 'Pod'"));
    } else if (!isRefused) {
      errors.push(...names.flatMap((name) => check(name, `${field}.${list}[${name}]`)));
    }
  }
  const hasStorage = item.min?.['storage'] !== undefined || item.max?.['storage'] !== undefined;
  if (item.type === 'PersistentVolumeClaim' && !hasStorage) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(`${field}.limits`, detail));
  }
  return errors;
}

/** Minimum, defaults and maximum must be in order. */
function checkOrder(item: LimitRangeItem, name: string, field: string): FieldError[] {
  const isPod = item.type === 'Pod';
  const min = item.min?.[name];
  const max = item.max?.[name];
  const limit = isPod ? undefined : item.default?.[name];
  const request = isPod ? undefined : item.defaultRequest?.[name];
  const ratio = item.maxLimitRequestRatio?.[name];
  const errors: FieldError[] = [];
  const compare = (left: string | undefined, right: string | undefined, error: () => FieldError): void => {
    if (left !== undefined && right !== undefined && amount(left).compare(amount(right)) > 0) errors.push(error());
  };
  const at = (list: string): string => `${field}.${list}[${name}]`;
  compare(min, max, () => invalidValue(at('min'), min, `min value ${min} is greater than max value ${max}`));
  compare(min, request, () =>
    invalidValue(at('defaultRequest'), request, `min value ${min} is greater than default request value ${request}`),
  );
  compare(request, max, () =>
    invalidValue(at('defaultRequest'), request, `default request value ${request} is greater than max value ${max}`),
  );
  compare(request, limit, () =>
    invalidValue(
      at('defaultRequest'),
      request,
      `default request value ${request} is greater than default limit value ${limit}`,
    ),
  );
  compare(min, limit, () =>
    invalidValue(at('default'), min, `min value ${min} is greater than default value ${limit}`),
  );
  compare(limit, max, () =>
    invalidValue(at('default'), max, `default value ${limit} is greater than max value ${max}`),
  );
  compare('1', ratio === '1' ? undefined : ratio, () =>
    invalidValue(at('maxLimitRequestRatio'), ratio, `ratio ${ratio} is less than 1`),
  );
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const bound = amount(max).milliValue() / amount(min).milliValue();
    if (amount(ratio).milliValue() / 1000 > bound) {
      const detail = `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`;
      errors.push(invalidValue(at('maxLimitRequestRatio'), ratio, detail));
    }
  }
  const isFixed = !isNativeResource(name) || name.startsWith('hugepages-');
  if (isFixed && limit !== undefined && request !== undefined && amount(limit).compare(amount(request)) !== 0) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    errors.push(invalidValue(at('defaultRequest'), request, detail));
  }
  return errors;
}
