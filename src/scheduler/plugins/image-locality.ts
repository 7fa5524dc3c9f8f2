import type { PodInfo } from '../cache/pod-info.ts';
import type { PlacedImage } from '../cache/image-index.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { CycleKey } from '../framework/cycle.ts';
import { MAX_NODE_SCORE, type Plugin } from '../framework/plugin.ts';

const MEBIBYTE = 1024 * 1024;
/** Images below this total size score 0. */
const MIN_TOTAL_BYTES = 23 * MEBIBYTE;
/** At this size per container, a node has the highest score. */
const MAX_BYTES_PER_CONTAINER = 1000 * MEBIBYTE;

interface Scored {
  readonly image: PlacedImage;
  /**
   * The image's size, scaled by the share of nodes that have it, so that an image on few nodes does not attract all
   * pods there.
   */
  readonly worth: number;
}

interface PodImages {
  readonly images: readonly Scored[];
  readonly maxBytes: number;
}

const NAME = 'ImageLocality';
const imagesKey: CycleKey<PodImages> = { name: `PreScore${NAME}` };

/** Score: better where the images of the pod's containers and image volumes are already present. */
export function imageLocality(): Plugin {
  return {
    name: NAME,
    preScore(cycle, _nodes, snapshot) {
      const images = imagesOf(cycle.pod, snapshot);
      if (images.length === 0) return 'skip';
      const { containers = [], initContainers = [] } = cycle.pod.pod.spec ?? {};
      cycle.write(imagesKey, {
        images,
        maxBytes: MAX_BYTES_PER_CONTAINER * (containers.length + initContainers.length),
      });
      return undefined;
    },
    score(cycle, { slot }) {
      const { images, maxBytes } = cycle.read(imagesKey);
      let sum = 0;
      for (const { image, worth } of images) if (image.slots.has(slot)) sum += worth;
      const bytes = Math.min(maxBytes, Math.max(MIN_TOTAL_BYTES, sum));
      return Math.floor((MAX_NODE_SCORE * (bytes - MIN_TOTAL_BYTES)) / (maxBytes - MIN_TOTAL_BYTES));
    },
  };
}

function imagesOf({ pod }: PodInfo, snapshot: Snapshot): Scored[] {
  const { containers = [], initContainers = [], volumes = [] } = pod.spec ?? {};
  const names = [...initContainers, ...containers].map(({ image }) => image ?? '');
  for (const { image } of volumes) if (image !== undefined) names.push(image.reference ?? '');
  return names.flatMap((name) => {
    const image = snapshot.images.find(withTag(name));
    if (image === undefined) return [];
    return [{ image, worth: Math.trunc(image.size * (image.slots.size / snapshot.nodes.length)) }];
  });
}

/** As container runtimes name images: the default tag is `latest`. */
function withTag(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
}
