import { claimVolumesOf } from '../../api/meaning/index.ts';
import { index, Pod } from '../../client/index.ts';

/** Pods by the keys of the claims that they use. */
export const podsByClaim = index(Pod, (pod) =>
  claimVolumesOf(pod).map(({ claim }) => `${pod.metadata.namespace}/${claim}`),
);
