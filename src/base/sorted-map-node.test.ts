import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Branch, EditSession, Leaf, MAX_WIDTH, MIN_WIDTH, type SortedNode } from './sorted-map-node.ts';
import { treeOf } from './sorted-map-tree.ts';

/** Checks all invariants of a tree, and returns its depth. */
function checkTree(
  node: SortedNode<number>,
  isRoot: boolean,
  [above, below]: [string | undefined, string | undefined],
): number {
  expect(node.width).toBeLessThanOrEqual(MAX_WIDTH);
  if (!isRoot) expect(node.width).toBeGreaterThanOrEqual(MIN_WIDTH);
  for (const [index, key] of node.keys.entries()) {
    const before = node.keys[index - 1] ?? (node.isLeaf ? undefined : above);
    const isInPlace =
      (before === undefined || before < key) &&
      (above === undefined || above <= key) &&
      (below === undefined || key < below);
    if (!isInPlace) expect.fail(`key "${key}" is out of place`);
  }
  if (node.isLeaf) {
    expect(node.values.length).toBe(node.keys.length);
    return 1;
  }
  expect(node.keys.length).toBe(node.children.length - 1);
  expect(node.size).toBe(node.children.reduce((sum, child) => sum + child.size, 0));
  const depths = node.children.map((child, index) =>
    checkTree(child, false, [node.keys[index - 1] ?? above, node.keys[index] ?? below]),
  );
  expect(new Set(depths).size).toBe(1);
  return 1 + (depths[0] ?? 0);
}

/** Makes any change of a tree that a snapshot now holds an error. */
function freezeTree(node: SortedNode<number>): void {
  if (Object.isFrozen(node)) return;
  Object.freeze(node);
  Object.freeze(node.keys);
  if (node.isLeaf) {
    Object.freeze(node.values);
    return;
  }
  Object.freeze(node.children);
  for (const child of node.children) freezeTree(child);
}

class Tree {
  root: SortedNode<number> = new Leaf<number>(undefined, [], []);
  edit = new EditSession<number>();

  set(key: string): void {
    this.edit.sizeChange = 0;
    const root = this.root.set(this.edit, key, 1);
    const { sibling, separator } = this.edit;
    this.edit.sibling = undefined;
    this.root = sibling === undefined ? root : Branch.over(this.edit, [separator], [root, sibling]);
  }

  delete(key: string): void {
    this.edit.sizeChange = 0;
    const root = this.root.delete(this.edit, key);
    this.root = !root.isLeaf && root.width === 1 ? (root.children[0] as SortedNode<number>) : root;
  }

  freeze(): void {
    freezeTree(this.root);
    this.edit = new EditSession<number>();
  }
}

const phase = fc.record({
  action: fc.constantFrom('set' as const, 'delete' as const, 'freeze' as const),
  from: fc.nat(3000),
  count: fc.nat(1500),
  step: fc.constantFrom(1, -1, 7, 1009),
});

test('the tree stays balanced, within its widths and correctly counted, and never changes a frozen node', () => {
  fc.assert(
    fc.property(fc.array(phase, { minLength: 2, maxLength: 12 }), (phases) => {
      const tree = new Tree();
      for (const { action, from, count, step } of phases) {
        if (action === 'freeze') tree.freeze();
        else for (let index = 0; index < count; index++) tree[action](keyAt(from + index * step));
        checkTree(tree.root, true, [undefined, undefined]);
      }
    }),
    { numRuns: 20 },
  );
});

test('inserting in key order fills leaves to three quarters', () => {
  const tree = new Tree();
  for (let index = 0; index < 10_000; index++) tree.set(keyAt(index));

  expect(leavesOf(tree.root)).toBeLessThanOrEqual(Math.ceil(10_000 / (MAX_WIDTH - MIN_WIDTH)));
});

test('a tree of sorted keys has them all in as few leaves as possible, and can be edited', () => {
  fc.assert(
    fc.property(fc.nat(3000), (count) => {
      const keys = Array.from({ length: count }, (_key, index) => keyAt(index)).toSorted();
      const tree = new Tree();
      tree.root = treeOf(
        keys,
        keys.map(() => 1),
      );
      checkTree(tree.root, true, [undefined, undefined]);
      expect(tree.root.size).toBe(count);
      expect(leavesOf(tree.root)).toBe(Math.max(1, Math.ceil(count / MAX_WIDTH)));
      freezeTree(tree.root);
      for (let index = 0; index < 50; index++) tree[index % 2 === 0 ? 'set' : 'delete'](keyAt(count - 25 + index));
      checkTree(tree.root, true, [undefined, undefined]);
    }),
    { numRuns: 20 },
  );
  expect(() => treeOf(['a', 'c', 'b'], [1, 2, 3])).toThrow(/key "b" is not above the one before it/);
  expect(() => treeOf(['a', 'a'], [1, 2])).toThrow(RangeError);
});

test('deleting everything leaves a single empty leaf', () => {
  const tree = new Tree();
  for (let index = 0; index < 5000; index++) tree.set(keyAt(index));
  tree.freeze();
  for (let index = 0; index < 5000; index++) tree.delete(keyAt(index * 7));

  expect(tree.root.isLeaf).toBe(true);
  expect(tree.root.size).toBe(0);
});

function leavesOf(node: SortedNode<number>): number {
  return node.isLeaf ? 1 : node.children.reduce((sum, child) => sum + leavesOf(child), 0);
}

/** Wraps around at 5000, which 7 and 1009 do not divide, so that strides reach every key. */
function keyAt(position: number): string {
  return String(((position % 5000) + 5000) % 5000).padStart(4, '0');
}
