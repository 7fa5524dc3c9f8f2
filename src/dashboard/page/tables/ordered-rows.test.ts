import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OrderedRows, type RowChange } from './ordered-rows.ts';
import { sortRows } from './row-order.ts';
import type { Column, Row } from './table-rows.ts';

const columns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Status', type: 'string', priority: 0 },
];

function row(name: string, status: string): Row {
  const plain = { uid: '', createdMs: 0, isTerminating: false, labels: {}, owners: [], changedAt: 0 };
  return { ...plain, id: `default/${name}`, name, namespace: 'default', cells: [name, status] };
}

const change = fc.record({
  name: fc.integer({ min: 0, max: 60 }).map((number) => `pod-${number}`),
  status: fc.option(fc.constantFrom('Running', 'Pending', '1/2', '2', '10', 'Failed'), { nil: undefined }),
});

test('rows that change one by one are in the same order as rows that are sorted whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 12 }),
      fc.constantFrom('Name', 'Status'),
      fc.boolean(),
      fc.constantFrom(undefined, ({ cells }: Row) => cells[1] !== 'Failed'),
      (rounds, by, isDescending, matches) => {
        const choice = { columns, order: { by, isDescending }, matches };
        const known = new Map(
          Array.from({ length: 40 }, (_, index) => row(`pod-${index}`, 'Running')).map((each) => [each.id, each]),
        );
        const ordered = new OrderedRows(known.values(), choice);
        for (const round of rounds) {
          const changes: RowChange[] = [];
          for (const { name, status } of round) {
            const before = known.get(`default/${name}`);
            const after = status === undefined ? undefined : row(name, status);
            if (after === undefined) known.delete(`default/${name}`);
            else known.set(after.id, after);
            changes.push({ before, after });
          }
          ordered.apply(changes, known.values());
          const whole = [...known.values()].filter(matches ?? (() => true));
          expect(ordered.rows).toEqual(sortRows(whole, columns, choice.order));
        }
      },
    ),
  );
});

test('few changes compare few rows', () => {
  let looks = 0;
  const counted = (name: string, status: string): Row => {
    const plain = row(name, status);
    return Object.defineProperty({ ...plain }, 'name', {
      get: () => {
        looks += 1;
        return name;
      },
    });
  };
  const known = Array.from({ length: 10_000 }, (_, index) =>
    counted(`pod-${String(index).padStart(5, '0')}`, 'Running'),
  );
  const ordered = new OrderedRows(known, {
    columns,
    order: { by: 'Name', isDescending: false },
    matches: undefined,
  });
  looks = 0;
  const after = counted('pod-07000', 'Pending');
  ordered.apply([{ before: known[7000], after }], known.with(7000, after));
  expect(ordered.rows[7000]).toBe(after);
  expect(looks).toBeLessThan(100); // sorting them looks at each
});
