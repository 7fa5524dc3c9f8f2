import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  fullyQualifiedDomainNameProblems,
  invalidValue,
  ipProblems,
  ipWarnings,
  isIpv4,
  labelValueProblems,
  legacyIpProblems,
  parseIp,
  required,
  tooMany,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, each, firstThree, nameColumn, UNSET } from '../columns/column.ts';
import { checkEndpointIp, isApiEndpoint } from '../core/address-rules.ts';
import { defineKind, type Whole } from '../kind.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export const endpointSlices = defineKind<EndpointSlice>({
  changeSteps: ['metadata', 'object', 'change'],
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  columns: [
    nameColumn,
    column('AddressType', 'Kind of the addresses', ({ addressType }) => addressType),
    column('Ports', 'First ports of the endpoints', slicePorts),
    column('Endpoints', 'First addresses of the endpoints', sliceAddresses),
    ageColumn,
  ],

  countsDroppedFields: true,
  /** Changes of labels and of everything outside metadata count. */
  raisesGeneration: (slice, old) =>
    !deepEqual(comparable(slice), comparable(old)) ||
    !deepEqual(slice.metadata.labels ?? {}, old.metadata.labels ?? {}),

  prepareForCreate(slice) {
    const endpoints = slice.endpoints ?? [];
    if (endpoints.length > 0) slice.endpoints = withoutTopology(endpoints);
  },

  prepareForUpdate(slice, old) {
    const endpoints = slice.endpoints ?? [];
    if (endpoints.length === 0 || deepEqual(endpoints, old.endpoints)) return;
    const hosts = new Set((old.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[HOSTNAME] ?? ''));
    slice.endpoints = withoutTopology(endpoints.map((endpoint) => withNodeName(endpoint, hosts)));
  },

  validate: checkEndpointSlice,
  validateUpdate: checkEndpointSliceUpdate,
  warnings: addressWarnings,
});

function comparable(slice: Whole<EndpointSlice>): Omit<EndpointSlice, 'metadata'> {
  const { metadata: _, ...rest } = slice;
  return rest;
}

/** Removes the topology labels of the beta version; only stored slices still have them. */
function withoutTopology(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map(({ deprecatedTopology: _, ...endpoint }) => endpoint);
}

/** Moves the node name from the old topology label to its field. */
function withNodeName(endpoint: Endpoint, hosts: ReadonlySet<string>): Endpoint {
  const host = endpoint.deprecatedTopology?.[HOSTNAME] ?? '';
  if (endpoint.nodeName !== undefined || host === '' || !hosts.has(host)) return endpoint;
  return dns1123SubdomainProblems(host).length > 0 ? endpoint : { ...endpoint, nodeName: host };
}

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLERS = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);

function addressWarnings(slice: Whole<EndpointSlice>, old: Whole<EndpointSlice> | undefined): string[] {
  const isNewName = slice.addressType === 'FQDN' && old === undefined;
  const warnings = isNewName ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  if (CONTROLLERS.has(slice.metadata.labels?.[MANAGED_BY] ?? '')) return warnings; // their addresses are always canonical
  return [
    ...warnings,
    ...(slice.endpoints ?? []).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, at) => ipWarnings(`endpoints[${index}].addresses[${at}]`, address)),
    ),
  ];
}

const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20_000;
const MAX_ADDRESSES = 100;

function checkEndpointSlice(slice: Whole<EndpointSlice>): FieldError[] {
  return isApiEndpoint(slice.metadata) ? [] : checkAll(slice);
}

function checkEndpointSliceUpdate(slice: Whole<EndpointSlice>, old: Whole<EndpointSlice>): FieldError[] {
  if (isApiEndpoint(slice.metadata)) return [];
  return deepEqual(slice.endpoints, old.endpoints) ? checkPorts(slice.ports ?? []) : checkAll(slice);
}

function checkAll({ addressType, endpoints, ports }: Whole<EndpointSlice>): FieldError[] {
  const errors = checkPorts(ports ?? []);
  const all = endpoints ?? [];
  if (all.length > MAX_ENDPOINTS) return [...errors, tooMany('endpoints', all.length, MAX_ENDPOINTS)];
  return [
    ...errors,
    ...all.flatMap((endpoint, index) => {
      const field = `endpoints[${index}].addresses`;
      const addresses = endpoint.addresses ?? [];
      const hints = checkHints(endpoint, `endpoints[${index}].hints`);
      if (addresses.length === 0) return [required(field, 'must contain at least 1 address'), ...hints];
      const surplus = addresses.length > MAX_ADDRESSES ? [tooMany(field, addresses.length, MAX_ADDRESSES)] : [];
      return [
        ...surplus,
        ...addresses.flatMap((address, at) => checkAddress(address, addressType, { field, at })),
        ...hints,
      ];
    }),
  ];
}

function checkHints({ hints }: Endpoint, field: string): FieldError[] {
  const { forZones = [], forNodes = [] } = hints ?? {};
  if (forZones.length > MAX_HINTS) return [tooMany(`${field}.forZones`, forZones.length, MAX_HINTS)];
  const zones = checkHinted(forZones, `${field}.forZones`, labelValueProblems);
  if (forNodes.length > MAX_HINTS) return [...zones, tooMany(`${field}.forNodes`, forNodes.length, MAX_HINTS)];
  return [...zones, ...checkHinted(forNodes, `${field}.forNodes`, dns1123SubdomainProblems)];
}

const MAX_HINTS = 8;

function checkHinted(
  places: readonly { readonly name?: string }[],
  field: string,
  problemsOf: (name: string) => readonly string[],
): FieldError[] {
  const seen = new Set<string>();
  return places.flatMap(({ name = '' }, index) => {
    const at = `${field}[${index}].name`;
    const errors = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...errors, ...problemsOf(name).map((problem) => invalidValue(at, name, problem))];
  });
}

function checkAddress(
  address: string,
  type: string,
  { field, at }: { readonly field: string; readonly at: number },
): FieldError[] {
  const item = `${field}[${at}]`;
  if (type === 'FQDN') {
    const problems = fullyQualifiedDomainNameProblems(address);
    return problems.map((found) =>
      found.type === 'Required' ? required(item) : invalidValue(item, found.value, found.detail),
    );
  }
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const problems = type === 'IPv4' ? legacyIpProblems(address) : ipProblems(address);
  if (problems.length > 0) return problems.map((problem) => invalidValue(item, address, problem));
  const parsed = parseIp(address);
  const errors: FieldError[] = [];
  if (parsed !== undefined && isIpv4(parsed) !== (type === 'IPv4')) {
    errors.push(invalidValue(field, address, `must be an ${type} address`));
  }
  return [...errors, ...checkEndpointIp(address, item)];
}

function checkPorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '' }, index) => {
    const field = `ports[${index}].name`;
    const problems = name === '' ? [] : dns1123LabelProblems(name);
    const errors = problems.map((problem) => invalidValue(field, name, problem));
    if (names.has(name)) errors.push(duplicate(field, name));
    names.add(name);
    return errors;
  });
}

function slicePorts({ ports: slice }: EndpointSlice): string {
  return firstThree(
    each(slice).map(({ port, name }) => String(port ?? name ?? '*')),
    UNSET,
  );
}

function sliceAddresses({ endpoints }: EndpointSlice): string {
  return firstThree(
    each(endpoints).flatMap(({ addresses }) => each(addresses)),
    UNSET,
  );
}
