import type { Kind, KubernetesObject } from '../../client/index.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';

interface Reading {
  readonly name: string;
  readonly reads?: readonly Kind[];
}

/** The kinds that an admission reads besides its own, from the caches of the running app. */
export class ReadKinds {
  readonly #admission: Reading;
  #source: Pick<AppContext, 'objects'> | undefined;

  constructor(admission: Reading) {
    this.#admission = admission;
  }

  /** Creates the caches; must be called before the app runs. */
  readFrom(source: Pick<AppContext, 'objects'>): void {
    for (const kind of this.#admission.reads ?? []) source.objects(kind);
    this.#source = source;
  }

  objects<R extends KubernetesObject>(kind: Kind<R>): Objects<R> {
    const { name, reads = [] } = this.#admission;
    if (!reads.some((each) => each.plural === kind.plural && each.group === kind.group))
      throw new Error(`Cannot read ${kind.plural} in admission "${name}": its reads do not name them`);
    if (this.#source === undefined)
      throw new Error(
        `Cannot read ${kind.plural} in admission "${name}": its configuration is not part of a running app`,
      );
    return this.#source.objects(kind);
  }
}
