import { NOT_READY_TAINT, UNREACHABLE_TAINT } from '../../api/meaning/index.ts';
import type { Toleration } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';
import { withMembers } from '../../base/index.ts';

type Parts = Partial<Pick<AdmissionParts, 'tolerationSeconds'>>;

const SECONDS = 300;

/**
 * Makes pods leave nodes that are not ready or unreachable after five minutes by default, unless they have their own
 * toleration.
 */
export function defaultTolerationSeconds({ tolerationSeconds = {} }: Parts = {}): AdmissionPlugin {
  const { notReady = SECONDS, unreachable = SECONDS } = tolerationSeconds;
  const seconds = new Map([
    [NOT_READY_TAINT, notReady],
    [UNREACHABLE_TAINT, unreachable],
  ]);
  return {
    name: 'DefaultTolerationSeconds',
    handles: (target) => isPodWrite(target),
    mutate(request) {
      const { spec } = podOf(request);
      const stated = spec.tolerations ?? [];
      const missing = [...seconds].filter(([key]) => !stated.some((each) => isAbout(key, each)));
      if (missing.length === 0) return;
      const added = missing.map(([key, each]): Toleration => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: each,
      }));
      setPodSpec(request, withMembers(spec, { tolerations: [...stated, ...added] }));
    },
  };
}

/** A toleration without a key or an effect matches all. */
function isAbout(taint: string, toleration: Toleration): boolean {
  const { key = '', effect = '' }: { readonly key?: string; readonly effect?: string } = toleration;
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
