import type { Service } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { refusal } from './refusal.ts';
import { isWriteOf, storedObject, writtenObject } from './written-object.ts';

/** Refuses new external addresses of services, with which a user could intercept the traffic of others. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: (target) => isWriteOf(target, { group: '', plural: 'services' }),
    validate(request) {
      const known = new Set(addressesBefore(request));
      const { externalIPs = [] } = writtenObject<Service>(request).spec;
      if (externalIPs.every((address) => known.has(address))) return;
      throw refusal(request, 'Use of external IPs is denied by admission control');
    },
  };
}

function addressesBefore(request: AdmissionAttributes): readonly string[] {
  return request.old === undefined ? [] : (storedObject<Service>(request).spec.externalIPs ?? []);
}
