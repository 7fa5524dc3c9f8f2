/** Resolves when the event loop has gone round: sockets, timers and signals have had their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
