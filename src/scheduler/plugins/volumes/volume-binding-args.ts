const DEFAULT_SECONDS = 600;

/** Reads how long a pod waits for its volumes, in the form of VolumeBindingArgs. */
export function readBindTimeoutMs(args: unknown): number {
  const { bindTimeoutSeconds = DEFAULT_SECONDS } = (args ?? {}) as { bindTimeoutSeconds?: unknown };
  if (typeof bindTimeoutSeconds === 'number' && Number.isInteger(bindTimeoutSeconds) && bindTimeoutSeconds >= 0)
    return bindTimeoutSeconds * 1000;
  throw new Error(
    `bindTimeoutSeconds: Invalid value: ${JSON.stringify(bindTimeoutSeconds)}: invalid BindTimeoutSeconds, should not be a negative value`,
  );
}
