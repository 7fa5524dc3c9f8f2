import type { Service } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { refusal } from './refusal.ts';
import { isWriteOf, storedObject, writtenObject } from './written-object.ts';

/** Services get no external addresses beyond those that they have: whoever chooses one may catch other people's traffic. */
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
