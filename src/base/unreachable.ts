/** Ends an exhaustive switch: the compiler refuses the call when a case is missing, and it throws if one appears at run time. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}`);
}
