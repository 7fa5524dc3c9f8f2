/** A text that is not what it should be, worded as Kubernetes words it. The parsers here return it; they never throw it. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}
