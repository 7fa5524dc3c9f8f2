/** What an error says. Node's errors for several addresses say nothing themselves, so the first one speaks. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error and of what caused it, outermost first; what a message has told already is not told again. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && depth < 10; depth++) {
    const message = current.message === '' ? current.name : current.message;
    if (messages.at(-1)?.endsWith(message) !== true) messages.push(message);
    current = current.cause;
  }
  if (messages.length === 0) return String(error);
  return messages.join(': ');
}
