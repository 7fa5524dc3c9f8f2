/** What is made of a value, at once where it is there: every pod passes admission, and waiting for nothing costs more than most plugins. */
export function whenThere<T, R>(value: T | Promise<T>, act: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(act) : act(value);
}
