/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Keeps the process from exiting until disposed. Waiting on a clock does not, nor does a broken connection. */
export function keepAlive(): Disposable {
  const handle = setInterval(() => undefined, MAX_TIMER_MS);
  return { [Symbol.dispose]: () => clearInterval(handle) };
}
