import { compareUtf8 } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import type { KeyRange } from '../store.ts';

/** The smallest key there is: etcd refuses the empty one. As the end of a range it means "no end". */
export const FIRST_KEY = '\0';

/** A range of keys as etcd's requests name it. */
export interface EtcdRange {
  readonly key: string;
  readonly rangeEnd: string;
}

/** All keys. */
export const EVERYTHING: EtcdRange = { key: FIRST_KEY, rangeEnd: FIRST_KEY };

/** Translates between the store's keys and etcd's. */
export interface KeyNames {
  toEtcd(key: string): string;
  /** Whether a key in etcd has a name here. */
  has(etcdKey: string): boolean;
  /** Assumes `has(etcdKey)`. */
  fromEtcd(etcdKey: string): string;
  /** `undefined` when the range cannot contain any key, which etcd cannot express. */
  rangeToEtcd(range: KeyRange): EtcdRange | undefined;
}

const ROOT = '/registry/';

/** Maps the store's '/registry/…' to '<prefix>/…' in etcd, as kube-apiserver's `--etcd-prefix` does. */
export function keyNames(prefix = ROOT): KeyNames {
  const parts = prefix.split('/').filter((part) => part !== '');
  const root = parts.length === 0 ? '/' : `/${parts.join('/')}/`;
  return root === ROOT ? ownNames : new PrefixedNames(root);
}

const ownNames: KeyNames = {
  toEtcd: (key) => key,
  has: () => true,
  fromEtcd: (etcdKey) => etcdKey,
  rangeToEtcd({ from, to }) {
    const key = from === '' ? FIRST_KEY : from;
    return compareUtf8(key, to) < 0 ? { key, rangeEnd: to } : undefined;
  },
};

class PrefixedNames implements KeyNames {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  toEtcd(key: string): string {
    if (key.startsWith(ROOT)) return this.#root + key.slice(ROOT.length);
    throw new TypeError(`Cannot use key ${JSON.stringify(key)}: etcd's prefix stands for "${ROOT}" only`);
  }

  has(etcdKey: string): boolean {
    return etcdKey.startsWith(this.#root);
  }

  fromEtcd(etcdKey: string): string {
    return ROOT + etcdKey.slice(this.#root.length);
  }

  rangeToEtcd(range: KeyRange): EtcdRange | undefined {
    if (compareUtf8(range.from, range.to) >= 0) return undefined;
    const isToTheEnd = range.to === prefixRange(ROOT).to;
    const rangeEnd = isToTheEnd ? prefixRange(this.#root).to : this.toEtcd(range.to);
    return { key: this.toEtcd(range.from), rangeEnd };
  }
}
