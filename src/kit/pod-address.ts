/** The variable with the address of a pod that is a process of a machine, which it shares with other pods. */
export const POD_ADDRESS = 'KEELSON_POD_ADDRESS';

/** Where an app listens in its pod: at all addresses, or at the pod's own where several pods share a machine's. */
export function podAddress(environment: Readonly<Record<string, string | undefined>>): string {
  return environment[POD_ADDRESS] ?? '';
}
