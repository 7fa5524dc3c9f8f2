/** Another may lead now: what was begun must end at once. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}
