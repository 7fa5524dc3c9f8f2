import { NOT_READY_TAINT, UNREACHABLE_TAINT } from '../../api/meaning/index.ts';
import type { Toleration } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

/** How long pods stay on a node that is lost, unless they say otherwise. */
const SECONDS = 300;
const KEYS = [NOT_READY_TAINT, UNREACHABLE_TAINT];

/** Pods leave nodes that are not ready or not reachable after five minutes, unless they tolerate that in their own way. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    handles: (target) => isPodWrite(target),
    mutate(request) {
      const { spec } = podOf(request);
      const stated = spec.tolerations ?? [];
      const missing = KEYS.filter((key) => !stated.some((each) => isAbout(key, each)));
      if (missing.length === 0) return;
      const added = missing.map((key): Toleration => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: SECONDS,
      }));
      setPodSpec(request, { ...spec, tolerations: [...stated, ...added] });
    },
  };
}

/** Without a key or an effect a toleration is about all. */
function isAbout(taint: string, toleration: Toleration): boolean {
  const { key = '', effect = '' }: { readonly key?: string; readonly effect?: string } = toleration;
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
