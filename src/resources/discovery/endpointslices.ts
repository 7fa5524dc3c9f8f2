import { dns1123SubdomainProblems, ipWarnings } from '../../api/index.ts';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { endpointSliceColumns } from '../columns/service-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkEndpointSlice, checkEndpointSliceUpdate } from './endpointslice-rules.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export const endpointSlices = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  columns: endpointSliceColumns,

  /** Everything but metadata counts, and of metadata the labels. */
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

/** Topology by labels was the beta way; only what is stored already still has it. */
function withoutTopology(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map(({ deprecatedTopology: _, ...endpoint }) => endpoint);
}

/** The node that an old slice named by its label is named properly now. */
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
  if (CONTROLLERS.has(slice.metadata.labels?.[MANAGED_BY] ?? '')) return warnings; // they write addresses well
  return [
    ...warnings,
    ...(slice.endpoints ?? []).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, at) => ipWarnings(`endpoints[${index}].addresses[${at}]`, address)),
    ),
  ];
}
