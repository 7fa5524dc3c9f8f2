import { deepEqual } from '../../base/index.ts';
import { setOwn } from '../json/index.ts';
import { mergeLists } from './merge-lists.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { asList, asMap, isEmptyMap, kindOf, memberOf } from './value-kind.ts';

/**
 * The live value with what a configuration says put over it. Nothing is taken away; leaves are the configuration's, and
 * so is the order of lists that both have something to say about.
 *
 * Guarantees: neither value is changed; the parts of `live` that stay as they are, are the same objects in the result.
 * Assumes: the configuration has been checked against the type.
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
