/** A container cannot be configured. The message is shown in the status of the pod. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}
