import type { VolumePlugin } from '../../node/index.ts';

/** `image`: the runtime mounts the content of an image, which the agent has pulled by then. Nothing is to be done here. */
export const IMAGE_VOLUMES: VolumePlugin = {
  name: 'kubernetes.io/image',
  refreshEvery: undefined,
  supports: ({ volume }) => volume.image !== undefined,
  mount: async () => '',
  unmount: async () => undefined,
  mounted: async () => [],
  grow: async () => undefined,
};
