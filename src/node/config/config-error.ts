/** A container cannot be configured as its pod says; the message is what the pod shows. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}
