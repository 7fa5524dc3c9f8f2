import {
  asJson,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import { isExtendedResource } from '../../api/meaning/index.ts';
import type {
  DeviceClaim,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../api/types/resource/v1.d.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { checkNoOtherMetadata } from '../template-metadata-rules.ts';
import {
  checkConfiguration,
  checkDeviceToleration,
  checkFullAttributeName,
  checkLabelName,
  checkList,
  checkSelectors,
  checkSet,
} from './device-rules.ts';

const MAX_CONFIG = 32;
const MAX_CONSTRAINTS = 32;
export const MAX_REQUESTS = 32;
const MAX_ALTERNATIVES = 8;

export function checkDeviceClass({ spec }: Whole<DeviceClass>): FieldError[] {
  const { selectors = [], config = [], extendedResourceName: name } = spec;
  const isResource = name === undefined || isExtendedResource(name);
  return [
    ...checkSelectors(selectors, 'spec.selectors'),
    ...checkList(config, 'spec.config', { max: MAX_CONFIG, check: checkConfiguration }),
    ...(isResource ? [] : [invalidValue('spec.extendedResourceName', name, 'must be a valid extended resource name')]),
  ];
}

export function checkClaim({ spec }: Whole<ResourceClaim>): FieldError[] {
  return checkDevices(spec.devices ?? {}, 'spec.devices');
}

export function checkClaimTemplate({ spec }: Whole<ResourceClaimTemplate>): FieldError[] {
  const { annotations, labels, ...others } = spec.metadata ?? {};
  return [
    ...checkAnnotations(annotations, 'spec.metadata.annotations'),
    ...checkLabels(labels, 'spec.metadata.labels'),
    ...checkNoOtherMetadata(others, 'spec.metadata'),
    ...checkDevices(spec.spec?.devices ?? {}, 'spec.spec.devices'),
  ];
}

function checkDevices(claim: DeviceClaim, field: string): FieldError[] {
  const { requests = [], constraints = [], config = [] } = claim;
  const names = requestNames(claim);
  return [
    ...checkSet(requests ?? [], `${field}.requests`, {
      max: MAX_REQUESTS,
      check: checkRequest,
      key: ({ name = '' }) => name,
    }),
    ...checkList(constraints, `${field}.constraints`, {
      max: MAX_CONSTRAINTS,
      check: (constraint, at) => checkConstraint(constraint, at, names),
    }),
    ...checkList(config, `${field}.config`, {
      max: MAX_CONFIG,
      check: (item, at) => [
        ...checkRequestNames(item.requests ?? [], `${at}.requests`, names),
        ...checkConfiguration(item, at),
      ],
    }),
  ];
}

/** The names by which a claim's requests and their alternatives can be referred to. */
export function requestNames({ requests = [] }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name = '', firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name ?? ''}`),
    ]),
  );
}

export function checkRequestNames(names: readonly string[], field: string, known: ReadonlySet<string>): FieldError[] {
  return checkSet(names, field, {
    max: MAX_REQUESTS,
    check: (name, at) => checkRequestName(name, at, known),
    key: (name) => name,
  });
}

export function checkRequestName(name: string, field: string, known: ReadonlySet<string>): FieldError[] {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const parts = name.split('/');
  if (parts.length > 2) return [invalidValue(field, name, detail)];
  const errors = parts.flatMap((part) => checkLabelName(part, field));
  return known.has(name) ? errors : [...errors, invalidValue(field, name, detail)];
}

/** A request has one form, or alternatives in order of preference. */
function checkRequest({ name = '', exactly, firstAvailable = [] }: DeviceRequest, field: string): FieldError[] {
  const errors = checkLabelName(name, `${field}.name`);
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(field, detail)];
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [...errors, invalidValue(field, null, `${detail}, but multiple fields are set`)];
  }
  if (exactly !== undefined) return [...errors, ...checkAsked(exactly, `${field}.exactly`)];
  return [
    ...errors,
    ...checkSet(firstAvailable, `${field}.firstAvailable`, {
      max: MAX_ALTERNATIVES,
      check: (request, at) => [...checkLabelName(request.name ?? '', `${at}.name`), ...checkAsked(request, at)],
      key: (request) => request.name ?? '',
    }),
  ];
}

const MODES = ['All', 'ExactCount'];

function checkAsked(request: ExactDeviceRequest | DeviceSubRequest, field: string): FieldError[] {
  const { deviceClassName = '', selectors = [], allocationMode: mode = '', count = 0, tolerations = [] } = request;
  const at = `${field}.deviceClassName`;
  const errors =
    deviceClassName === ''
      ? [required(at)]
      : dns1123SubdomainProblems(deviceClassName).map((problem) => invalidValue(at, deviceClassName, problem));
  errors.push(...checkSelectors(selectors, `${field}.selectors`));
  if (!MODES.includes(mode)) errors.push(notSupported(`${field}.allocationMode`, asJson(mode ?? ''), MODES));
  if (mode === 'All' && count !== 0) {
    errors.push(invalidValue(`${field}.count`, count, "must not be specified when allocationMode is 'All'"));
  }
  if (mode === 'ExactCount' && count <= 0) {
    errors.push(invalidValue(`${field}.count`, count, 'must be greater than zero'));
  }
  return [
    ...errors,
    ...tolerations.flatMap((toleration, index) => checkDeviceToleration(toleration, `${field}.tolerations[${index}]`)),
  ];
}

function checkConstraint(constraint: DeviceConstraint, field: string, names: ReadonlySet<string>): FieldError[] {
  const { requests = [], matchAttribute, distinctAttribute } = constraint;
  const errors = checkRequestNames(requests, `${field}.requests`, names);
  if (matchAttribute !== undefined) {
    return [...errors, ...checkFullAttributeName(matchAttribute, `${field}.matchAttribute`)];
  }
  if (distinctAttribute !== undefined) {
    return [...errors, ...checkFullAttributeName(distinctAttribute, `${field}.distinctAttribute`)];
  }
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(field, detail)];
}
