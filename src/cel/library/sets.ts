import { declareFunction, overload } from '../check/declarations.ts';
import { BOOL, listOf, typeParameter } from '../type-terms/index.ts';
import { contains, type List, listItems, type Value } from '../values/index.ts';
import type { Library } from './library.ts';

const list = listOf(typeParameter('T'));

/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. */
export function setsLibrary(): Library {
  return {
    functions: [
      declareFunction('sets.contains', [overload('list_sets_contains_list', [list, list], BOOL, isSuperset)]),
      declareFunction('sets.equivalent', [overload('list_sets_equivalent_list', [list, list], BOOL, areEquivalent)]),
      declareFunction('sets.intersects', [overload('list_sets_intersects_list', [list, list], BOOL, intersect)]),
    ],
  };
}

function isSuperset(whole: Value, part: Value): Value {
  for (const item of listItems(part as List)) {
    const isThere = contains(whole as List, item);
    if (isThere !== true) return isThere;
  }
  return true;
}

function areEquivalent(left: Value, right: Value): Value {
  const isContained = isSuperset(left, right);
  return isContained === true ? isSuperset(right, left) : isContained;
}

function intersect(left: Value, right: Value): Value {
  return listItems(left as List).some((item) => contains(right as List, item) === true);
}
