import { quantityOf } from '../api/values/index.ts';

/** Bytes as the API writes them: `2Mi` for 2097152. */
export function binary(bytes: number): string {
  return quantityOf(Math.trunc(bytes), 'BinarySI').toString();
}
