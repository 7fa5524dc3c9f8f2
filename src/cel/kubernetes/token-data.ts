import { Double, type Failure, fromJson, isJsonObject, ListValue, MapBase, type Value } from '../values/index.ts';
import { unescapeName } from './escape.ts';
import { LazyMap } from './lazy-map.ts';

/** The claims of a token as the variable `claims`. Their numbers are doubles. */
export function claimsValue(claims: Readonly<Record<string, unknown>>): LazyMap {
  return new LazyMap(
    'kubernetes.claims',
    new Map(Object.entries(claims).map(([name, claim]) => [name, () => tokenValue(claim)])),
  );
}

/** A user as the variable `user`. */
export interface UserData {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user as the variable `user`. */
export function userInfoValue({ username, uid, groups, extra }: UserData): LazyMap {
  const fields = Object.entries({ username, uid, groups, extra });
  return new LazyMap('kubernetes.UserInfo', new Map(fields.map(([name, raw]) => [name, () => tokenValue(raw)])));
}

function tokenValue(raw: unknown): Value {
  if (typeof raw === 'number' || typeof raw === 'bigint') return new Double(Number(raw));
  if (Array.isArray(raw)) return new TokenList(raw as readonly unknown[]);
  return isJsonObject(raw as Value) ? new TokenMap(raw as Readonly<Record<string, unknown>>) : fromJson(raw);
}

/** Data in a token, whose field names may be escaped. */
class TokenMap extends MapBase {
  readonly goName = '*oidc.unescapeMapper';
  readonly #raw: Readonly<Record<string, unknown>>;

  constructor(raw: Readonly<Record<string, unknown>>) {
    super();
    this.#raw = raw;
  }

  get size(): number {
    return Object.keys(this.#raw).length;
  }

  find(key: Value): Value | Failure | undefined {
    if (typeof key !== 'string') return undefined;
    const name = unescapeName(key) ?? key;
    return Object.hasOwn(this.#raw, name) ? tokenValue(this.#raw[name]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#raw);
  }
}

class TokenList extends ListValue {
  readonly goName = '*oidc.unescapeLister';
  readonly #raw: readonly unknown[];

  constructor(raw: readonly unknown[]) {
    super();
    this.#raw = raw;
  }

  get size(): number {
    return this.#raw.length;
  }

  at(index: number): Value {
    return tokenValue(this.#raw[index]);
  }
}
