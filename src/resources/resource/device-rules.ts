import { type FieldError, forbiddenField, invalidValue, required, tooLong } from '../../api/index.ts';
import type {
  DeviceClaim,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../api/types/resource/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { DeviceSelectors, limits } from '../../cel/index.ts';
import { checkNodeSelector } from '../core/affinity-rules.ts';
import type { Whole } from '../kind.ts';

const MAX_EXPRESSION_LENGTH = 10_240;

export function checkDeviceClass({ spec }: Whole<DeviceClass>): FieldError[] {
  return checkSelectors(spec.selectors ?? [], 'spec.selectors');
}

/** Stored values are not checked again. */
export function checkDeviceClassUpdate(now: Whole<DeviceClass>, old: Whole<DeviceClass>): FieldError[] {
  return deepEqual(now.spec, old.spec) ? [] : checkDeviceClass(now);
}

export function checkClaim({ spec }: Whole<ResourceClaim>): FieldError[] {
  return checkDevices(spec.devices, 'spec.devices');
}

export function checkClaimTemplate({ spec }: Whole<ResourceClaimTemplate>): FieldError[] {
  return checkDevices(spec.spec?.devices, 'spec.spec.devices');
}

function checkDevices(devices: DeviceClaim | undefined, field: string): FieldError[] {
  return (devices?.requests ?? []).flatMap((request, index) => checkRequest(request, `${field}.requests[${index}]`));
}

/** New expressions may only use features of the previous version. */
const VERSION_OF_NEW_EXPRESSIONS = 35;

function checkSelectors(selectors: readonly DeviceSelector[], field: string): FieldError[] {
  if (selectors.length === 0) return [];
  const compiler = new DeviceSelectors(undefined, VERSION_OF_NEW_EXPRESSIONS);
  return selectors.flatMap(({ cel }, index) => {
    const at = `${field}[${index}].cel`;
    return cel === undefined ? [required(at)] : checkExpression(cel.expression, `${at}.expression`, compiler);
  });
}

function checkExpression(text: string, field: string, compiler: DeviceSelectors): FieldError[] {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_LENGTH) return [tooLong(field, MAX_EXPRESSION_LENGTH)];
  const compiled = compiler.compile(text);
  if (!compiled.ok) return [invalidValue(field, text, compiled.problem.detail)];
  if (compiler.maxCost(compiled) <= BigInt(limits.deviceSelectorCost)) return [];
  return [forbiddenField(field, 'too complex, exceeds cost limit')];
}

/** A request has one form, or alternatives in order of preference. */
function checkRequest({ exactly, firstAvailable = [] }: DeviceRequest, field: string): FieldError[] {
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) return [required(field, detail)];
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [invalidValue(field, null, `${detail}, but multiple fields are set`)];
  }
  const asked = exactly === undefined ? firstAvailable : [exactly];
  return asked.flatMap((request, index) => {
    const at = exactly === undefined ? `${field}.firstAvailable[${index}]` : `${field}.exactly`;
    return [
      ...checkSelectors(request.selectors ?? [], `${at}.selectors`),
      ...checkCount(request.allocationMode, request.count ?? 0, `${at}.count`),
    ];
  });
}

function checkCount(mode: string | undefined, count: number, field: string): FieldError[] {
  if (mode === 'All' && count !== 0) {
    return [invalidValue(field, count, "must not be specified when allocationMode is 'All'")];
  }
  return mode === 'ExactCount' && count <= 0 ? [invalidValue(field, count, 'must be greater than zero')] : [];
}

/** A slice states where its devices are: on one node, on those of a selector, on all, or each device for itself. */
export function checkSlice({ spec }: Whole<ResourceSlice>): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const errors: FieldError[] = [];
  if (nodeName === '') {
    errors.push(invalidValue('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
  }
  errors.push(...checkNodeSelector(nodeSelector, 'spec.nodeSelector'));
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (nodeSelector !== undefined && terms.length !== 1) {
    const detail = 'must have exactly one node selector term';
    errors.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', terms, detail));
  }
  for (const [name, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === false) errors.push(invalidValue(`spec.${name}`, value, 'must be either unset or set to true'));
  }
  const given = [
    ...((nodeName ?? '') === '' ? [] : ['`nodeName`']),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes === true ? ['`allNodes`'] : []),
    ...(perDeviceNodeSelection === true ? ['`perDeviceNodeSelection`'] : []),
  ];
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (given.length === 0) errors.push(required('spec', detail));
  if (given.length > 1) {
    errors.push(invalidValue('spec', `{${given.join(', ')}}`, `${detail}, but multiple fields are set`));
  }
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    errors.push(invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  return errors;
}
