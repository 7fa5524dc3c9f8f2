import type { Volume } from '../../../api/types/core/v1.d.ts';
import { type Check, distinct, plural, quoted, type SecuredPod, type Violation } from './check.ts';

const ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[];

/** Restricted: only volume types that do not reach outside the cluster. */
export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  revisions: [{ since: 0, judge: judgeVolumes, overrides: ['hostPathVolumes'] }],
};

function judgeVolumes({ spec }: SecuredPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => ALLOWED.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map(typeOf));
  const names = quoted(bad.map(({ name }) => name));
  const use = bad.length === 1 ? 'uses' : 'use';
  const what = plural('restricted volume type', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', bad.length)} ${names} ${use} ${what} ${quoted(types)}`,
  };
}

/** A volume has one source besides its name. */
function typeOf({ name: _, ...source }: Volume): string {
  return Object.keys(source)[0] ?? 'unknown';
}
