/** An invalid text, with Kubernetes' message. The parsers here return it; they never throw it. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}
