import { deepEqual } from '../../base/index.ts';
import { setOwn } from '../json/index.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { asList, asMap, isEmptyMap, kindOf, memberOf } from './value-kind.ts';
import { identified } from './list-items.ts';

/**
 * The live value overlaid with a configuration. Nothing is removed; leaves come from the configuration, and so does the
 * order of lists that both have.
 *
 * Changes neither value; unchanged parts of `live` are shared with the result. The configuration must have been checked
 * against the type.
 */
export function mergeObjects(live: unknown, config: unknown, type: MergeType): unknown {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  switch (kindOf(config, type)) {
    case 'scalar':
      return mergeLeaves(live, config);
    case 'map':
      return mergeMaps(live, config, type.map as MapType);
    case 'list':
      return mergeItems(live, config, type.list as ListType);
  }
}

function mergeLeaves(live: unknown, config: unknown): unknown {
  return deepEqual(live, config) ? live : config;
}

function mergeMaps(live: unknown, config: unknown, type: MapType): unknown {
  const [left, right] = [asMap(live), asMap(config)];
  if (type.isAtomic || (isEmptyMap(left) && isEmptyMap(right))) return mergeLeaves(live, config);
  if (right === undefined) return left;
  if (left === undefined) return right;
  let result: Record<string, unknown> | undefined;
  for (const name in right) {
    const member = right[name];
    if (member === undefined) continue;
    const own = memberOf(left, name);
    const merged = mergeObjects(own, member, memberType(type, type.field(name)));
    if (merged !== own) setOwn((result ??= { ...left }), name, merged);
  }
  return result ?? left;
}

function mergeItems(live: unknown, config: unknown, type: ListType): unknown {
  const [left, right] = [asList(live), asList(config)];
  const isEmpty = (left?.length ?? 0) === 0 && (right?.length ?? 0) === 0;
  if (type.relation === 'atomic' || isEmpty) return mergeLeaves(live, config);
  return mergeLists(left ?? [], right ?? [], { type, mergeItem: (own, item) => mergeObjects(own, item, type.element) });
}

interface ListMerge {
  readonly type: ListType;
  mergeItem(live: unknown, config: unknown): unknown;
}

/**
 * Merges two lists whose items have keys. Items of both get the configuration's order; items that only the live list has
 * stay, as far as possible, at their place among them.
 *
 * Duplicates in the live list stay if the configuration does not contain their key, and are otherwise replaced by its item.
 * The configuration must have no duplicates.
 */
function mergeLists(live: readonly unknown[], config: readonly unknown[], merge: ListMerge): readonly unknown[] {
  const weave = new Weave(live, config, merge);
  const result = weave.run();
  return result.length === live.length && result.every((item, index) => item === live[index]) ? live : result;
}

/** Marks live items that have duplicates and are therefore not merged. */
const DUPLICATED = null;

class Weave {
  readonly #live: readonly unknown[];
  readonly #merge: ListMerge;
  readonly #liveKeys: readonly string[];
  readonly #configKeys: readonly string[];
  readonly #liveByKey = new Map<string, unknown>();
  readonly #configByKey = new Map<string, unknown>();
  readonly #merged = new Set<string>();
  /** Keys that both lists have, in the order of the configuration; `#nextShared` is the next one. */
  readonly #shared: readonly string[];
  #nextShared = 0;

  constructor(live: readonly unknown[], config: readonly unknown[], merge: ListMerge) {
    this.#live = live;
    this.#merge = merge;
    this.#liveKeys = live.map((item, index) => this.#index(this.#liveByKey, item, index));
    this.#configKeys = config.map((item, index) => this.#index(this.#configByKey, item, index));
    this.#shared = this.#configKeys.filter((key) => this.#liveByKey.has(key));
  }

  #index(items: Map<string, unknown>, item: unknown, index: number): string {
    const { text } = identified(item, this.#merge.type, index);
    items.set(text, items.has(text) ? DUPLICATED : item);
    return text;
  }

  run(): unknown[] {
    const [liveKeys, configKeys] = [this.#liveKeys, this.#configKeys];
    const result: unknown[] = [];
    let [at, atConfig] = [0, 0];
    while (at < liveKeys.length || atConfig < configKeys.length) {
      const key = liveKeys[at];
      const configKey = configKeys[atConfig];
      if (key !== undefined && key === configKey) {
        result.push(this.#take(key));
        at += 1;
        atConfig += 1;
        this.#nextShared += 1;
        continue;
      }
      if (key !== undefined && configKey !== undefined && this.#isAhead(key)) {
        at += 1;
        continue;
      }
      if (key !== undefined && !this.#configByKey.has(key)) {
        result.push(this.#live[at]);
        at += 1;
        continue;
      }
      if (key !== undefined && this.#merged.has(key)) at += 1;
      if (configKey === undefined) continue;
      result.push(this.#take(configKey));
      atConfig += 1;
      if (this.#shared[this.#nextShared] === configKey) this.#nextShared += 1;
    }
    return result;
  }

  /** Whether a live item must wait because the configuration has other shared items before it. */
  #isAhead(key: string): boolean {
    const next = this.#shared[this.#nextShared];
    return this.#configByKey.has(key) && next !== undefined && next !== key;
  }

  #take(key: string): unknown {
    this.#merged.add(key);
    const config = this.#configByKey.get(key);
    return this.#liveByKey.has(key) ? this.#merge.mergeItem(this.#liveByKey.get(key), config) : config;
  }
}
