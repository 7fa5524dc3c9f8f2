import { expect, test } from 'vitest';
import { int64, MessageTable, repeated, textMap } from './message-table.ts';

const table = new MessageTable({ groups: repeated(int64(1)), labels: textMap(2) });

test('packed numbers, as proto3 writes them, read like single ones', () => {
  const packed = Buffer.from('0a0401ac0205', 'hex');
  const single = Buffer.from('080108ac020805', 'hex');

  expect(table.decode(packed)).toEqual({ groups: [1, 300, 5] });
  expect(table.decode(single)).toEqual({ groups: [1, 300, 5] });
  expect(() => table.decode(packed.subarray(0, 4))).toThrow('unexpected EOF');
});

test('a map is a repeated message of key and value; absent halves are empty, and the last value of a key counts', () => {
  const labels = new Map([
    ['__proto__', 'a'],
    ['b', ''],
  ]);
  const bytes = table.encode({ labels });

  expect(table.decode(bytes)).toEqual({ labels });
  expect(table.decode(Buffer.from('120012030a016112061201620a0161', 'hex'))).toEqual({
    labels: new Map([
      ['', ''],
      ['a', 'b'],
    ]),
  });
});
