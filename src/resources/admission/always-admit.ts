import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';

const WHY = 'admission control is denying all modifications';

/** Does nothing, and logs at the start that it is deprecated. */
export function alwaysAdmit({ log }: Pick<AdmissionParts, 'log'>): AdmissionPlugin {
  log?.warn(deprecated('AlwaysAdmit'));
  return { name: 'AlwaysAdmit', handles: () => false };
}

/** Refuses every write and every connection, and logs at the start that it is deprecated. */
export function alwaysDeny({ log }: Pick<AdmissionParts, 'log'>): AdmissionPlugin {
  log?.warn(deprecated('AlwaysDeny'));
  return {
    name: 'AlwaysDeny',
    mutate(request) {
      throw refusal(request, WHY);
    },
    validate(request) {
      throw refusal(request, WHY);
    },
  };
}

function deprecated(name: string): string {
  return `${name} admission controller is deprecated. Please remove this controller from your configuration files and scripts.`;
}
