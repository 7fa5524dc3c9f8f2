/** Specs of critest that a runtime without a kernel cannot pass, by what they need. Every other one passes. */
export const KNOWN_FAILURES: Readonly<Record<string, readonly RegExp[]>> = {
  'addresses of pods that can be dialled': [
    /runtime should support port mapping/,
    /runtime should support portforward/,
    /Multiple Containers .* should support network/,
    /runtime should support HostNetwork is true/,
  ],
  'mounts of the machine': [/mount propagation/, /readonly mounts/],
  'namespaces of the kernel': [
    /runtime should support (?:HostIpc is true|HostPID|PodPID|ContainerPID)/,
    /runtime should support sysctls/,
  ],
  'privileges of processes': [
    /NoNewPrivs/,
    /SeccompProfilePath/,
    /runtime should support (?:MaskedPaths|ReadonlyPaths|RunAsUserName|Privileged is false)/,
    /runtime should support (?:adding|dropping) (?:ALL capabilities|capability)/,
    /runtime should support that ReadOnlyRootfs is true/,
  ],
  'memory that runs out': [/should terminate with exitCode 137 and reason OOMKilled/],
};

/** Why a spec is known to fail; undefined when it has to pass. */
export function knownReason(spec: string): string | undefined {
  return Object.entries(KNOWN_FAILURES).find(([, patterns]) => patterns.some((pattern) => pattern.test(spec)))?.[0];
}
