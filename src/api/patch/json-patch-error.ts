/** A patch that does not apply. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}
