export interface ConfigErrorOptions extends ErrorOptions {
  /** Why the container waits, in the status of the pod; default CreateContainerConfigError. */
  readonly reason?: 'CreateContainerConfigError' | 'CreateContainerError';
}

/** A container cannot be configured. The message is shown in the status of the pod. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
  readonly reason: NonNullable<ConfigErrorOptions['reason']>;

  constructor(message: string, { reason = 'CreateContainerConfigError', ...options }: ConfigErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
  }
}
