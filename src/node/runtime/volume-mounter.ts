import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

export type Volume = DeepReadonly<core.Volume>;

/** Makes the volumes of pods available on the node. */
export interface VolumeMounter {
  /** Prepares a volume, unless that was done before; answers with its path on the node. */
  mount(pod: Observed<Pod>, volume: Volume, options: { readonly signal: AbortSignal }): Promise<string>;
  /** A text in a volume, by its path on the node; undefined when volumes have no content. */
  readFile(path: string): Promise<string | undefined>;
  /** Takes a pod over whose containers run already, when the node's agent was started anew. */
  adopt?(pod: Observed<Pod>): Promise<void>;
  /** Takes away all volumes of a pod whose containers have stopped. */
  unmountAll(pod: Observed<Pod>): Promise<void>;
}

/** Takes every volume to be there already, at the place where a kubelet would have it. */
export const assumedVolumes: VolumeMounter = {
  mount: async ({ metadata }, { name, ...source }) => {
    const [kind = 'emptyDir'] = Object.keys(source);
    return `/var/lib/kubelet/pods/${metadata.uid}/volumes/kubernetes.io~${kind.toLowerCase()}/${name}`;
  },
  readFile: async () => undefined,
  unmountAll: async () => undefined,
};
