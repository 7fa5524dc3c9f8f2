import { type ApiObject, keepSentEmpty, sentEmpty, withoutSentEmpty } from '../../api/index.ts';
import type { Conversion } from '../kind.ts';

type Members = Record<string, unknown>;

const EXACT = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
] as const;

/** A request of v1beta1 has flat what v1 has under `exactly`. Lists that were sent empty count. */
function requestToStored(request: Members): Members {
  const { name, firstAvailable } = request;
  const exactly: Members = {};
  for (const member of EXACT) {
    const value = request[member];
    if (value !== undefined && value !== '' && value !== 0) exactly[member] = value;
  }
  const isEmpty = Object.keys(exactly).length === 0;
  const forgotten = isEmpty ? ['firstAvailable'] : ['firstAvailable', 'tolerations'];
  keepSentEmpty(exactly, withoutSentEmpty(request, forgotten));
  const isExact = !isEmpty || ['selectors', 'tolerations'].some((member) => sentEmpty(request, member) !== null);
  const stored = { name, ...(isExact ? { exactly } : {}), ...given({ firstAvailable }) };
  return keepSentEmpty(stored, withoutSentEmpty(request, EXACT));
}

function requestFromStored(request: Members): Members {
  const { name, exactly, firstAvailable } = request;
  const sent = { name, deviceClassName: '', ...(exactly as Members | undefined), ...given({ firstAvailable }) };
  return keepSentEmpty(sent, request);
}

function given(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function inDevices(spec: Members, convert: (request: Members) => Members): Members {
  const devices = spec['devices'] as Members | undefined;
  const requests = devices?.['requests'] as Members[] | undefined | null;
  if (requests === undefined || requests === null) return spec;
  return { ...spec, devices: { ...devices, requests: requests.map(convert) } };
}

function onSpec(object: ApiObject, change: (spec: Members) => Members): ApiObject {
  const spec = object['spec'] as Members | undefined;
  return spec === undefined ? object : { ...object, spec: change(spec) };
}

/** ResourceClaim between v1beta1 and v1. */
export const claimConversion: Conversion = {
  toStored: (object) => onSpec(object, (spec) => inDevices(spec, requestToStored)),
  fromStored: (object) => onSpec(object, (spec) => inDevices(spec, requestFromStored)),
};

function onTemplate(convert: (request: Members) => Members): (spec: Members) => Members {
  return (spec) => ({ ...spec, spec: inDevices((spec['spec'] ?? {}) as Members, convert) });
}

/** ResourceClaimTemplate likewise, one level down. */
export const claimTemplateConversion: Conversion = {
  toStored: (object) => onSpec(object, onTemplate(requestToStored)),
  fromStored: (object) => onSpec(object, onTemplate(requestFromStored)),
};

/** Members of a device that are absent in v1 if they were sent empty. */
const FORGOTTEN = ['attributes', 'capacity', 'consumesCounters', 'taints'];

/** A device of v1beta1 has all but its name under `basic`. */
function deviceToStored({ name, basic }: Members): Members {
  return { name, ...withoutSentEmpty((basic ?? {}) as Members, FORGOTTEN) };
}

function deviceFromStored({ name, ...basic }: Members): Members {
  return { name, basic };
}

function withDevices(spec: Members, convert: (device: Members) => Members): Members {
  const devices = spec['devices'] as Members[] | undefined | null; // null until 1.34, where a slice has only counters
  return devices === undefined || devices === null ? spec : { ...spec, devices: devices.map(convert) };
}

/** Capacities of v1alpha3 are plain amounts. */
function capacities(device: Members, convert: (amount: unknown) => unknown): Members {
  const { capacity, ...rest } = device;
  if (capacity === undefined) return device;
  return {
    ...rest,
    capacity: Object.fromEntries(Object.entries(capacity as Members).map(([name, each]) => [name, convert(each)])),
  };
}

/** ResourceSlice between v1alpha3 and v1. */
export const alphaSliceConversion: Conversion = {
  toStored: (object) =>
    onSpec(sliceConversion.toStored(object), (spec) =>
      withDevices(spec, (device) => capacities(device, (value) => ({ value }))),
    ),
  fromStored: (object) =>
    sliceConversion.fromStored(
      onSpec(object, (spec) => withDevices(spec, (device) => capacities(device, (each) => (each as Members)['value']))),
    ),
};

/** ResourceSlice: devices; and an empty node name and a false `allNodes` are absent in v1. */
export const sliceConversion: Conversion = {
  toStored: (object) =>
    onSpec(object, ({ nodeName, allNodes, ...spec }) => ({
      ...withDevices(spec, deviceToStored),
      ...(nodeName === '' || nodeName === undefined ? {} : { nodeName }),
      ...(allNodes === true ? { allNodes } : {}),
    })),
  fromStored: (object) => onSpec(object, (spec) => withDevices(spec, deviceFromStored)),
};
