import { RandomUidSource } from '../../base/index.ts';
import type { StoreContents } from '../../store/index.ts';
import type { ForkOptions } from '../control-plane.ts';
import { Stamps } from './stamps.ts';

/** The clock, random source and log of a cluster that starts from a template. */
export type TemplateOptions = Omit<ForkOptions, 'contents'> & Required<Pick<ForkOptions, 'log'>>;

/**
 * A cluster at rest, from which others start instead of creating each object again: they get new uids and times, and everything else
 * as it was.
 */
export class ClusterTemplate<Cluster> {
  readonly #stamps: Stamps;
  readonly #copy: (options: ForkOptions) => Cluster;

  /** Use `Cluster.template`. */
  constructor(
    { contents, takenAtMs }: { readonly contents: StoreContents; readonly takenAtMs: number },
    copy: (options: ForkOptions) => Cluster,
  ) {
    this.#stamps = new Stamps(contents, takenAtMs);
    this.#copy = copy;
  }

  /** A cluster whose time begins as its clock says. */
  start(options: TemplateOptions): Cluster {
    const { clock, random } = options;
    const contents = this.#stamps.renewed({ uids: new RandomUidSource(random), atMs: clock.now() });
    return this.#copy({ ...options, contents });
  }
}
