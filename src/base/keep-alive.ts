/** The longest wait one Node timer can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Keeps the process from ending until it is disposed of: waiting on a clock does not, nor does a connection that broke. */
export function keepAlive(): Disposable {
  const handle = setInterval(() => undefined, LONGEST_TIMER_MS);
  return { [Symbol.dispose]: () => clearInterval(handle) };
}
