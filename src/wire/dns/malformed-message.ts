/** Bytes that are no DNS message, or a message that cannot be written. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}
