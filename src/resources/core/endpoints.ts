import { ipWarnings } from '../../api/index.ts';
import type { Endpoints } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { endpointsColumns } from '../columns/service-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkEndpoints } from './endpoints-rules.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';

export const endpoints = defineKind<Endpoints>({
  group: '',
  plural: 'endpoints',
  columns: endpointsColumns,
  folder: 'services/endpoints',
  createOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  validate: checkEndpoints,
  /** What was stored once may be stored again, though it would be refused today. */
  validateUpdate: (object, old) => (deepEqual(object.subsets ?? [], old.subsets ?? []) ? [] : checkEndpoints(object)),
  warnings: (object) => addressWarnings(object),
});

/** The controller writes addresses well, so its own objects are not looked through. */
function addressWarnings({ metadata, subsets = [] }: Whole<Endpoints>): string[] {
  if (metadata.labels?.[MANAGED_BY] === CONTROLLER) return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, index) => [
    ...addresses.flatMap(({ ip }, at) => ipWarnings(`subsets[${index}].addresses[${at}].ip`, ip)),
    ...notReadyAddresses.flatMap(({ ip }, at) => ipWarnings(`subsets[${index}].notReadyAddresses[${at}].ip`, ip)),
  ]);
}
