// What a node makes of a pod that it reads from a manifest in place of the API.
import { createHash } from 'node:crypto';
import type * as core from '../../api/types/core/v1.d.ts';
import type { Observed, Pod } from '../../client/index.ts';

/** Where a manifest comes from. */
export type ManifestSource =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'http'; readonly url: string };

const SOURCE = 'kubernetes.io/config.source';
const SEEN = 'kubernetes.io/config.seen';
const HASH = 'kubernetes.io/config.hash';
/** On the pod that stands in the API for a static pod: the hash of that pod. */
export const MIRROR = 'kubernetes.io/config.mirror';

/** The pod with its name on this node, and with an id that changes whenever the manifest does. */
export function staticPod(
  pod: core.Pod,
  { node, source, nowMs }: { readonly node: string; readonly source: ManifestSource; readonly nowMs: number },
): core.Pod {
  const { metadata = {}, spec = { containers: [] } } = pod;
  const { name = '', namespace = '', uid = '' } = metadata;
  const hash = uid === '' ? hashOf(pod, node, source) : uid;
  const tolerations = [...(spec.tolerations ?? [])];
  const isTolerant = tolerations.some(
    ({ key = '', operator, effect }) => key === '' && operator === 'Exists' && effect === 'NoExecute',
  );
  if (source.type === 'file' && !isTolerant) tolerations.push({ operator: 'Exists', effect: 'NoExecute' });
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: `${name}-${node.toLowerCase()}`,
      namespace: namespace === '' ? 'default' : namespace,
      uid: hash,
      annotations: {
        ...metadata.annotations,
        [HASH]: hash,
        [SEEN]: new Date(nowMs).toISOString(),
        [SOURCE]: source.type,
      },
    },
    spec: { ...spec, nodeName: node, ...(tolerations.length === 0 ? {} : { tolerations }) },
  };
}

function hashOf(pod: core.Pod, node: string, source: ManifestSource): string {
  const place = source.type === 'file' ? `host:${node} file:${source.path}` : `url:${source.url}`;
  const { status: _, ...content } = pod;
  return createHash('sha256').update(JSON.stringify(content)).update(place).digest('hex').slice(0, 32);
}

/** Whether a pod was read from a manifest; the pods of the API have no source. */
export function isStaticPod({ metadata }: Pick<Observed<Pod>, 'metadata'>): boolean {
  const source = metadata.annotations?.[SOURCE];
  return source !== undefined && source !== 'api' && !isMirrorPod({ metadata });
}

/** Whether a pod of the API only shows a pod that a node runs by itself. */
export function isMirrorPod({ metadata }: Pick<Observed<Pod>, 'metadata'>): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

/** Whether a pod of the API shows this static pod, as its manifest is now. */
export function isMirrorOf(mirror: Observed<Pod>, pod: Observed<Pod>): boolean {
  return mirror.metadata.annotations?.[MIRROR] === pod.metadata.annotations?.[HASH];
}
