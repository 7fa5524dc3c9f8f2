/** What an error says. Node's errors for several addresses say nothing themselves, so the first one speaks. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error and of what caused it, outermost first. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && messages.length < 10) {
    messages.push(current.message === '' ? current.name : current.message);
    current = current.cause;
  }
  if (messages.length === 0) return String(error);
  return messages.join(': ');
}
