const DIGITS = /^[1-9][0-9]*$/;

/** Whether versions can be put in order: positive integers, as every current API server hands out. */
export function isOrdered(resourceVersion: string | undefined): resourceVersion is string {
  return resourceVersion !== undefined && DIGITS.test(resourceVersion);
}

/** Whether version `left` comes after `right`. Both are positive integers of any length. */
export function isNewer(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length;
}
