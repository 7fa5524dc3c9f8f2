import { isIPv4 } from 'node:net';

/** An IP address as its 4 or 16 bytes. */
export function ipBytes(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  const groups = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = groups.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const all = groups.includes('::') ? [...left, ...middle, ...right] : left;
  const bytes = Buffer.alloc(16);
  for (const [index, group] of all.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
