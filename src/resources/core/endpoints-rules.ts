import { invalidValue, legacyIpProblems, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { EndpointAddress, Endpoints } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkEndpointIp, isApiEndpoint } from './address-rules.ts';

export function checkEndpoints({ metadata, subsets = [] }: Whole<Endpoints>): FieldError[] {
  if (isApiEndpoint(metadata)) return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`;
    const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
    return [
      ...(isEmpty ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...checkAddresses(addresses, `${field}.addresses`),
      ...checkAddresses(notReadyAddresses, `${field}.notReadyAddresses`),
      ...ports.flatMap(({ name = '' }, at) =>
        ports.length > 1 && name === '' ? [required(`${field}.ports[${at}].name`)] : [],
      ),
    ];
  });
}

function checkAddresses(addresses: readonly EndpointAddress[], field: string): FieldError[] {
  return addresses.flatMap(({ ip }, index) => {
    const at = `${field}[${index}].ip`;
    return [...legacyIpProblems(ip).map((problem) => invalidValue(at, ip, problem)), ...checkEndpointIp(ip, at)];
  });
}
