import type { NodeInfo } from './node-info.ts';
import type { NodeSlots } from './node-slots.ts';

/** An image that nodes have. */
export interface PlacedImage {
  /** In bytes, as reported by the first node that has the image. */
  readonly size: number;
  /** The slots of the nodes that have it. */
  readonly slots: ReadonlySet<number>;
}

interface Entry extends PlacedImage {
  readonly slots: Set<number>;
}

type Images = NonNullable<NonNullable<NonNullable<NodeInfo['node']>['status']>['images']>;

/** Indexes which nodes have which container images. An update visits only the nodes that changed. */
export class ImageIndex {
  readonly #slots: NodeSlots;
  readonly #byName = new Map<string, Entry>();
  /** By slot: the images that were counted for the node. */
  readonly #counted: (Images | undefined)[] = [];
  #position = -1;

  constructor(slots: NodeSlots) {
    this.#slots = slots;
  }

  /** Looks up an image by its name with tag or digest; undefined when no node has it. */
  find(name: string): PlacedImage | undefined {
    this.#position = this.#slots.follow(this.#position, (slot, node) => this.#recount(slot, node));
    return this.#byName.get(name);
  }

  #recount(slot: number, info: NodeInfo | undefined): void {
    const images = info?.node?.status?.images;
    const before = this.#counted[slot];
    if (images === before) return;
    this.#counted[slot] = images;
    for (const name of namesIn(before)) {
      const entry = this.#byName.get(name);
      entry?.slots.delete(slot);
      if (entry?.slots.size === 0) this.#byName.delete(name);
    }
    for (const { names = [], sizeBytes = 0 } of images ?? []) {
      for (const name of names) {
        const entry = this.#byName.get(name) ?? { size: sizeBytes, slots: new Set<number>() };
        entry.slots.add(slot);
        this.#byName.set(name, entry);
      }
    }
  }
}

function namesIn(images: Images | undefined): string[] {
  return (images ?? []).flatMap(({ names = [] }) => names);
}
