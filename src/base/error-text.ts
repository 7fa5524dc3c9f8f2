/** The message of an error. Node's AggregateError for several addresses has an empty one: then the first address's message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The messages of an error and its causes, outermost first; a cause whose text is already part of a message is left out. */
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
