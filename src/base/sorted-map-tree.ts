import { Branch, Leaf, MAX_WIDTH, type SortedNode } from './sorted-map-node.ts';
import { compareUtf8 } from './utf8-order.ts';

/** The root of an immutable tree of these entries; throws a RangeError unless the keys are strictly ascending. */
export function treeOf<V>(keys: readonly string[], values: readonly V[]): SortedNode<V> {
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    if (compareUtf8(key, keys[index - 1] as string) <= 0)
      throw new RangeError(`key ${JSON.stringify(key)} is not above the one before it`);
  }
  const leaves = parts(keys.length);
  let nodes: SortedNode<V>[] = leaves.map(
    ({ from, to }) => new Leaf(undefined, keys.slice(from, to), values.slice(from, to)),
  );
  let firstKeys = leaves.map(({ from }) => keys[from] as string);
  while (nodes.length > 1) {
    const below = { nodes, firstKeys };
    const branches = parts(nodes.length);
    nodes = branches.map(({ from, to }) =>
      Branch.over(undefined, below.firstKeys.slice(from + 1, to), below.nodes.slice(from, to)),
    );
    firstKeys = branches.map(({ from }) => below.firstKeys[from] as string);
  }
  return nodes[0] ?? new Leaf<V>(undefined, [], []);
}

/** Splits `count` items into as few nodes as possible, all about equally full. */
function parts(count: number): { readonly from: number; readonly to: number }[] {
  const length = Math.ceil(count / MAX_WIDTH);
  return Array.from({ length }, (_part, index) => ({
    from: Math.floor((index * count) / length),
    to: Math.floor(((index + 1) * count) / length),
  }));
}
