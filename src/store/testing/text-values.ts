import type { Entry, Operation } from '../store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

export function text(entry: Entry | undefined): string | undefined {
  return entry === undefined ? undefined : decoder.decode(entry.value);
}

export function put(key: string, value: string, ttlSeconds?: number): Operation {
  return ttlSeconds === undefined
    ? { type: 'put', key, value: bytes(value) }
    : { type: 'put', key, value: bytes(value), ttlSeconds };
}

export function del(key: string): Operation {
  return { type: 'delete', key };
}
