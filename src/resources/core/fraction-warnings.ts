import { amount } from './resource-list.ts';

const WHOLE_BYTES = ['memory', 'ephemeral-storage'];

/** A part of a byte can be asked for, but not be given. */
export function fractionWarnings(amounts: Readonly<Record<string, string>> | undefined, field: string): string[] {
  return WHOLE_BYTES.flatMap((name) => {
    const text = amounts?.[name];
    if (text === undefined || amount(text).scaledValue(-3) % 1000n === 0n) return [];
    return [`${field}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
  });
}
