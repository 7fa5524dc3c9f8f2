/**
 * Ends an exhaustive switch: the compiler rejects the call when a case is missing, and it throws on an unexpected value at
 * run time.
 */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
