import { batchArea } from './batch-area.ts';
import type { AreaParts, SoakArea } from './area.ts';
import { devicesArea } from './devices-area.ts';
import { identityArea } from './identity-area.ts';
import { limitsArea } from './limits-area.ts';
import { statefulArea } from './stateful-area.ts';

export { AREA_PREFIX, type SoakArea } from './area.ts';
export { DRIVER, PER_NODE } from './devices-area.ts';

/** All that is used beside Deployments and Services. */
export function soakAreas(parts: AreaParts): readonly SoakArea[] {
  return [statefulArea, batchArea, limitsArea, identityArea, devicesArea].map((area) => area(parts));
}
