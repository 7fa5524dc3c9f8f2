/**
 * Applies `act` to a value, synchronously if it is not a promise: every pod passes admission, and a needless await costs
 * more than most plugins.
 */
export function whenThere<T, R>(value: T | Promise<T>, act: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(act) : act(value);
}
