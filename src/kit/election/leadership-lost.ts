/** Another process may lead now: all work must stop at once. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}
